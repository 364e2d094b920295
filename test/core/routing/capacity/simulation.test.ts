/**
 * 10,000 requests over three credentials with different limits, in virtual time: the refusals that are avoided, the waits,
 * and the share of the limits that is used. The figures are those of the guide.
 */
import { readFileSync } from 'node:fs'
import { type Clock, install } from '@sinonjs/fake-timers'
import { expect } from 'chai'
import type { Hold, Need } from '#flow/capacity'
import { readLimits } from '#routing/capacity/limit-headers'
import { TargetLimits } from '#routing/capacity/target-limits'
import { createWaitQueue } from '#routing/capacity/wait-queue'
import { pickWeighted } from '#routing/weighted'
import { limitProvider } from '../../../support/limited-provider.ts'
import { seeded } from '../../../support/seeded.ts'

const requests = 10_000
const windowMs = 60_000
const credentials = [
  { requests: 500, tokens: 300_000, windowMs },
  { requests: 240, tokens: 90_000, windowMs },
  { requests: 60, tokens: 45_000, windowMs },
]
const keys = 20
const longestWaitMs = 300_000
const percentileOf = (values: readonly number[], share: number): number =>
  [...values].sort((one, other) => one - other)[Math.ceil(values.length * share) - 1] ?? 0

type Mode = 'by weight' | 'left out' | 'queue'

interface Outcome {
  /** Answers with 429 that callers got, and that providers gave. */
  refused: number
  refusals: number
  waitsMs: number[]
  /** The mean share of the limits that was used in the windows that were full of work. */
  usedShare: number
}

describe('the limits of three credentials, in a simulation', () => {
  let clock: Clock & { uninstall(): void }
  beforeEach(() => {
    clock = install({ now: 0, toFake: ['setTimeout', 'clearTimeout', 'Date'], shouldClearNativeTimers: true })
  })
  afterEach(() => clock.uninstall())

  const sleepFor = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

  async function simulate(mode: Mode, load: (ask: () => Promise<void>) => Promise<void>): Promise<Outcome> {
    const random = seeded(7)
    const startMs = Date.now()
    const targets = credentials.map((limits, index) => ({
      provider: limitProvider(limits, startMs),
      known: new TargetLimits(String(index)),
      weight: 1,
    }))
    const queue = createWaitQueue({ maxWaiting: () => requests })
    const outcome: Outcome = { refused: 0, refusals: 0, waitsMs: [], usedShare: 0 }

    /** 200 to 1,000 tokens; the estimate is a little off, usually too high. */
    const sizeOf = () => {
      const inputTokens = Math.round(100 + 500 * random())
      const outputTokens = Math.round(100 + 300 * random())
      const actual = Math.round((inputTokens + outputTokens) * (0.75 + 0.3 * random()))
      return { need: { inputTokens, outputTokens }, actual }
    }

    async function call(need: Need, actual: number, hold: Hold | null): Promise<boolean> {
      const nowMs = Date.now()
      const hasRoom = ({ known }: (typeof targets)[number]) => known.fullUntil(need, nowMs, hold) === null
      const candidates = mode === 'by weight' ? targets : targets.filter(hasRoom)
      const target = pickWeighted(candidates, random())
      hold?.release()
      if (target === undefined) return false
      const mark = target.known.send(need, nowMs)
      const { isAdmitted, headers } = target.provider.admit(actual, nowMs)
      await sleepFor(isAdmitted ? 400 + 2000 * random() : 50)
      const status = isAdmitted ? 200 : 429
      const told = { status, headers, need, mark, nowMs: Date.now() }
      target.known.learn(readLimits(headers, status, told.nowMs), told)
      queue.serve()
      return isAdmitted
    }

    let asked = 0
    async function ask(): Promise<void> {
      const { need, actual } = sizeOf()
      const caller = String(asked % keys)
      asked += 1
      const startedAt = Date.now()
      let isServed = false
      let waitedMs = 0
      if (mode !== 'queue') isServed = await call(need, actual, null)
      else {
        const seats = targets.map(({ known }) => ({ target: known, need }))
        const ticket = queue.join({ seats, priority: 50, caller, isOtherwiseFree: null })
        while (!isServed && Date.now() - startedAt < longestWaitMs) {
          const joinedAt = Date.now()
          const { outcome: end, hold } = await ticket.wait(longestWaitMs - (joinedAt - startedAt))
          waitedMs += Date.now() - joinedAt
          if (end !== 'served') break
          isServed = await call(need, actual, hold)
        }
      }
      if (isServed) outcome.waitsMs.push(waitedMs)
      else outcome.refused += 1
    }

    // One call of each, as in a gateway that has been running.
    for (const { known, provider } of targets) {
      const need = { inputTokens: 1, outputTokens: 1 }
      const { headers } = provider.admit(2, startMs)
      const told = { status: 200, headers, need, mark: known.send(need, startMs), nowMs: startMs }
      known.learn(readLimits(headers, 200, startMs), told)
    }
    let isOver = false
    const done = load(ask).then(() => {
      isOver = true
    })
    while (!isOver) {
      clock.next()
      for (let turn = 0; turn < 12; turn += 1) await Promise.resolve()
    }
    await done
    queue.stop()
    outcome.refusals = targets.reduce((sum, { provider }) => sum + provider.counts.refused, 0)
    // The last windows have less work than the limits allow.
    const shares = targets.flatMap(({ provider }) => provider.usedShares().slice(0, -1))
    outcome.usedShare = shares.reduce((sum, share) => sum + share, 0) / shares.length
    return outcome
  }

  /** 900 requests in the first 20 s of a minute, 380 in those of the next: on average less than the limits allow. */
  async function bursts(ask: () => Promise<void>): Promise<void> {
    const random = seeded(11)
    const perMinute = [900, 380]
    const startMs = Date.now()
    const calls: Promise<void>[] = []
    for (let minute = 0; calls.length < requests; minute += 1) {
      for (let index = 0; index < (perMinute[minute % 2] ?? 0) && calls.length < requests; index += 1) {
        const at = minute * 60_000 + random() * 20_000
        calls.push(sleepFor(startMs + at - Date.now()).then(ask))
      }
    }
    await Promise.all(calls)
  }

  /** 500 callers who ask again as soon as they have an answer. */
  async function backlog(ask: () => Promise<void>): Promise<void> {
    let left = requests
    const loop = async () => {
      while (left > 0) {
        left -= 1
        await ask()
      }
    }
    await Promise.all(Array.from({ length: 500 }, loop))
  }

  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
  const guide = () => readFileSync(new URL('../../../../../docs/guides/capacity.md', import.meta.url), 'utf8')

  it('answers bursts without refusals when requests wait, and with fewer when full targets are left out', async () => {
    const rows: string[] = []
    const found = new Map<Mode, Outcome>()
    for (const [mode, name] of [
      ['by weight', 'targets chosen by equal weights'],
      ['left out', 'targets at their limits skipped'],
      ['queue', 'with `queue`'],
    ] as const) {
      const outcome = await simulate(mode, bursts)
      found.set(mode, outcome)
      const waits = [0.5, 0.99].map((share) => seconds(percentileOf(outcome.waitsMs, share)))
      const counts = [outcome.refused, outcome.refusals].map((value) => value.toLocaleString('en'))
      rows.push(`| ${[name, ...counts, ...waits].join(' | ')} |`)
    }
    expect(found.get('queue')?.refused).to.equal(0)
    expect(found.get('queue')?.refusals).to.be.at.most(requests / 1000)
    expect(found.get('left out')?.refusals).to.be.at.most(requests / 1000)
    expect(found.get('left out')?.refused ?? 0).to.be.below(found.get('by weight')?.refused ?? 0)
    for (const row of rows) expect(guide()).to.contain(row)
  })

  it('uses at least 95 % of the limits while requests are waiting', async () => {
    const outcome = await simulate('queue', backlog)
    expect(outcome.refused).to.equal(0)
    expect(outcome.usedShare).to.be.at.least(0.95)
    const waits = [0.5, 0.99].map((share) => seconds(percentileOf(outcome.waitsMs, share)))
    const row = `| 500 callers without a pause | ${(outcome.usedShare * 100).toFixed(1)} % | ${outcome.refusals} | ${waits.join(' | ')} |`
    expect(guide()).to.contain(row)
  })
})
