/** The benefit of hedging: thousands of calls in virtual time, one in twenty of them 20 times slower. */
import { type Clock, install } from '@sinonjs/fake-timers'
import { expect } from 'chai'
import { completeFile } from '#config-file/complete'
import { createAnswer } from '#flow/answer'
import { Canceller } from '#flow/cancellation'
import type { ConfigNode } from '#flow/config-node'
import { createExchange } from '#flow/exchange'
import type { Resolved } from '#flow/phases'
import type { Runtime } from '#flow/runtime'
import type { Workspace } from '#flow/settings'
import { sleep } from '#flow/sleep'
import type { Stores } from '#flow/stores'
import type { Transport } from '#flow/transport'
import { runHedged } from '#routing/hedge'
import { seeded } from '../../support/seeded.ts'

const calls = 4000
const slowShare = 0.05
const slowness = 20
/** The slow one of twenty first calls; for second calls it is random. */
const slowTurn = 13

/** Nearest-rank percentile. */
const percentile = (values: readonly number[], share: number): number =>
  [...values].sort((one, other) => one - other)[Math.ceil(values.length * share) - 1] ?? 0

describe('hedging in a simulation', () => {
  let clock: Clock & { uninstall(): void }
  const outcomes: string[] = []
  beforeEach(() => {
    outcomes.length = 0
    clock = install({ now: 0, toFake: ['setTimeout', 'clearTimeout', 'Date'], shouldClearNativeTimers: true })
  })
  afterEach(() => clock.uninstall())

  const ports = {
    metrics: { hedges: { inc: ({ outcome }: { outcome: string }) => void outcomes.push(outcome) } },
    log: { debug: () => undefined },
  } as unknown as Runtime
  const birth = {
    workspace: { file: completeFile({}) } as Partial<Workspace> as Workspace,
    stores: {} as Stores,
    traceId: 'trace',
  }
  const transport = { headers: {} } as unknown as Transport
  const node = { path: 'config' } as unknown as ConfigNode

  /** The duration of each call, and the total number of calls. */
  async function simulate(afterMs: number | null, seed: number): Promise<{ tookMs: number[]; made: number }> {
    const random = seeded(seed)
    const tookMs: number[] = []
    let made = 0
    /** 80 to 160 ms, or 20 times that for slow calls. */
    const call = async (fork: Resolved, isSlow: boolean) => {
      made += 1
      const usual = 80 + 80 * random()
      const abort = new AbortController()
      fork.leaving.listen(() => abort.abort())
      await sleep(isSlow ? usual * slowness : usual, abort.signal)
      return createAnswer({})
    }
    for (let count = 0; count < calls; count += 1) {
      const exchange = createExchange({ ...birth, transport, leaving: new Canceller() }) as Resolved
      const begunAt = clock.now
      let isOver = false
      const hedged = {
        hedge: { afterMs: afterMs ?? 600_000, budgetShare: 0.1 },
        first: () => exchange.fork(node),
        second: () => exchange.fork(node),
        run: (fork: Resolved) =>
          call(fork, fork.attempt.isHedge ? random() < slowShare : count % (1 / slowShare) === slowTurn),
      }
      const done = runHedged(ports, exchange, { node, calls: hedged }).then(() => {
        tookMs.push(clock.now - begunAt)
        isOver = true
      })
      while (!isOver) await clock.nextAsync()
      await done
    }
    return { tookMs, made }
  }

  it('reduces the p99 by at least 60 % with at most 6 % more calls', async () => {
    const plain = await simulate(null, 1)
    expect(plain.made).to.equal(calls)
    const afterMs = Math.ceil(percentile(plain.tookMs, 0.95))
    const hedged = await simulate(afterMs, 1)
    const [before, after] = [percentile(plain.tookMs, 0.99), percentile(hedged.tookMs, 0.99)]
    expect(1 - after / before, `p99 ${before} ms, hedged ${after} ms`).to.be.at.least(0.6)
    expect(hedged.made / calls - 1, 'more calls').to.be.within(0.01, 0.06)
    expect(outcomes.filter((outcome) => outcome === 'won').length).to.be.above(0)
  })

  it('never makes more extra calls than its budget, even with a slow provider', async () => {
    const { made } = await simulate(1, 2)
    expect(made - calls).to.be.at.most(10 + calls * 0.1)
    expect(outcomes.filter((outcome) => outcome === 'budget').length).to.be.above(calls * 0.8)
  })
})
