/** A property of every engine: for any operations in any order, it answers like the counters in memory. */
import type { Counters, CounterWindow, KeptWindow, Reservation } from '@gateway/contract'
import { bucketAt, slideUse, windowOfLength } from '@gateway/domain'
import { expect } from 'chai'
import fc from 'fast-check'
import { createMemoryCounters } from '#counters/memory-counters'
import { assertProperty } from '../../support/assert-property.ts'
import { listWindows } from './list-windows.ts'

type Step =
  | {
      do: 'reserve'
      attempt: number
      asked: Omit<Reservation, 'key' | 'window'>[]
      counters: number[]
      leaseMs: number
    }
  | { do: 'settle'; attempt: number; counters: number[]; amount: number }
  | { do: 'read' }
  | { do: 'reset'; counters: number[] }
  | { do: 'seed'; used: number }
  | { do: 'seedWindow'; counter: number; bucketsAgo: number; current: number; previous: number }
  | { do: 'list' }
  | { do: 'wait'; ms: number }

const windows: (CounterWindow | null)[] = [
  { lengthMs: 1000, offsetMs: 0 },
  { lengthMs: 60_000, offsetMs: 0 },
  { lengthMs: 604_800_000, offsetMs: 345_600_000 },
  null,
]
const budget = 3
/** Those of a second need not be listed. */
const isKept = ({ use }: KeptWindow) => use.lengthMs > 1000

const attempt = fc.integer({ min: 0, max: 5 })
const counters = fc.uniqueArray(fc.integer({ min: 0, max: windows.length - 1 }), { minLength: 1 })
const limits = fc.oneof(fc.integer({ min: 0, max: 100 }), fc.constant(1e10))

/** A limit counts dollars in fractions or tokens in billions, never both. */
const amounts = [
  fc.oneof(
    fc.integer({ min: 0, max: 50 }),
    fc.integer({ min: 0, max: 1e9 }).map((billionths) => billionths / 1e9),
  ),
  fc.oneof(fc.integer({ min: 0, max: 50 }), fc.integer({ min: 0, max: 5e9 })),
]

function stepOf(amount: fc.Arbitrary<number>): fc.Arbitrary<Step> {
  const asked = fc.record({
    limit: limits,
    need: amount,
    admits: fc.constantFrom<Reservation['admits'][]>('fits', 'open'),
    takes: fc.constantFrom<Reservation['takes'][]>('use', 'hold'),
  })
  const reserve = fc.record({
    do: fc.constant('reserve' as const),
    attempt,
    asked: fc.array(asked, { minLength: windows.length, maxLength: windows.length }),
    counters,
    leaseMs: fc.constantFrom(700, 30_000, 600_000),
  })
  const settle = fc.record({ do: fc.constant('settle' as const), attempt, counters, amount })
  const read = fc.record({ do: fc.constant('read' as const) })
  const reset = fc.record({ do: fc.constant('reset' as const), counters })
  const seed = fc.record({ do: fc.constant('seed' as const), used: amount })
  const seedWindow = fc.record({
    do: fc.constant('seedWindow' as const),
    counter: fc.integer({ min: 0, max: budget - 1 }),
    bucketsAgo: fc.integer({ min: 0, max: 2 }),
    current: amount,
    previous: amount,
  })
  const list = fc.record({ do: fc.constant('list' as const) })
  const wait = fc.record({
    do: fc.constant('wait' as const),
    ms: fc.oneof(
      fc.integer({ min: 1, max: 1500 }),
      fc.integer({ min: 1, max: 150_000 }),
      fc.constant(500_000_000),
    ),
  })
  return fc.oneof(
    { weight: 5, arbitrary: reserve },
    { weight: 4, arbitrary: settle },
    { weight: 2, arbitrary: read },
    { weight: 1, arbitrary: reset },
    { weight: 1, arbitrary: seed },
    { weight: 1, arbitrary: seedWindow },
    { weight: 1, arbitrary: list },
    { weight: 3, arbitrary: wait },
  )
}

const sequences = fc.oneof(
  ...amounts.map((amount) => fc.array(stepOf(amount), { minLength: 5, maxLength: 40 })),
)

let runs = 0

/** The property, by the caller's clock. */
export function describeCounterModel(open: () => Promise<Counters | undefined>, numRuns: number): void {
  it('answer like those in memory, for any operations in any order', async () => {
    const tested = await open()
    if (tested === undefined) throw new Error('The engine opened nothing.')
    const all = fc.asyncProperty(sequences, async (steps) => {
      runs += 1
      // Later than the clock of a server, which must not expire counters that have not expired by the caller's clock.
      const startMs = Date.now() + 3_600_000
      const [wanted, found] = [createMemoryCounters(), tested].map((one) =>
        play(one, steps, { run: `${process.pid}-${runs}-${startMs}`, startMs }),
      )
      expect(await found).to.deep.equal(await wanted)
    })
    await assertProperty(all, { numRuns })
  })
}

/** The answer to each step. */
async function play(
  one: Counters,
  steps: readonly Step[],
  { run, startMs }: { run: string; startMs: number },
): Promise<unknown[]> {
  const at = (index: number) => ({ key: `${run}/${index}`, window: windows[index] ?? null })
  let nowMs = startMs
  const answers: unknown[] = []
  for (const step of steps) answers.push(await take(step))
  return answers

  async function take(step: Step): Promise<unknown> {
    switch (step.do) {
      case 'reserve': {
        const reservations = step.counters.flatMap((index) => {
          const asked = step.asked[index]
          return asked === undefined ? [] : [{ ...asked, ...at(index) }]
        })
        return one.reserve(`${run}/${step.attempt}`, reservations, { leaseMs: step.leaseMs, nowMs })
      }
      case 'settle':
        return one.settle(
          `${run}/${step.attempt}`,
          step.counters.map((index) => ({ ...at(index), amount: step.amount })),
          nowMs,
        )
      case 'read':
        return one.read(
          windows.map((_, index) => at(index)),
          nowMs,
        )
      case 'reset':
        return one.reset(step.counters.map((index) => at(index).key))
      case 'seed':
        return one.seed([{ key: at(budget).key, used: step.used }])
      case 'seedWindow': {
        const { key, window } = at(step.counter)
        if (window === null) throw new Error('A budget has no buckets.')
        const { current, previous, bucketsAgo } = step
        const use = {
          lengthMs: window.lengthMs,
          bucket: bucketAt(window, nowMs) - bucketsAgo,
          current,
          previous,
        }
        return one.seedWindows([{ key, use }])
      }
      case 'list':
        // Engines may or may not have moved a window to the current time; both are equivalent.
        return (await listWindows(one, { prefix: run, nowMs })).filter(isKept).map(({ key, use }) => ({
          key,
          use: slideUse(use, windowOfLength(use.lengthMs), nowMs),
        }))
      case 'wait':
        nowMs += step.ms
        return undefined
    }
  }
}
