/**
 * The usage that several processes counted alone while their shared counters were away is added exactly once, even if
 * the hand-over is interrupted.
 */
import { type Counters, GatewayError } from '@gateway/contract'
import { expect } from 'chai'
import fc from 'fast-check'
import { createMemoryCounters } from '#counters/memory-counters'
import { createResilientCounters, type ResilientCounters } from '#counters/resilient-counters'
import { hold, leaseMs } from '../../conformance/stores/counters.ts'
import { assertProperty } from '../../support/assert-property.ts'
import { stopClock } from '../../support/clock.ts'

type Line = 'whole' | 'cut' | 'deaf'

/** The connection of one process to the shared counters. `deaf`: operations are carried out, but no answer arrives. */
interface Replica {
  counters: ResilientCounters
  line: Line
  /** The number of operations that are answered before the connection is cut again; null: all. */
  answersLeft: number | null
}

function startReplica(memory: Counters): Replica {
  const replica: { line: Line; answersLeft: number | null } = { line: 'whole', answersLeft: null }
  const away = () => new GatewayError('dependency_unavailable', 'Away.')
  const answer = async <T>(question: () => T | Promise<T>): Promise<T> => {
    if (replica.line === 'cut') throw away()
    if (replica.answersLeft === 0) {
      replica.answersLeft = null
      replica.line = 'cut'
      await question()
      throw away()
    }
    if (replica.answersLeft !== null) replica.answersLeft -= 1
    const result = await question()
    if (replica.line === 'deaf') throw away()
    return result
  }
  const shared: Counters = {
    reserve: (...given) => answer(() => memory.reserve(...given)),
    settle: (...given) => answer(() => memory.settle(...given)),
    read: (...given) => answer(() => memory.read(...given)),
    reset: (...given) => answer(() => memory.reset(...given)),
    seed: (...given) => answer(() => memory.seed(...given)),
    list: (...given) => answer(() => memory.list(...given)),
    listWindows: (...given) => answer(() => memory.listWindows(...given)),
    seedWindows: (...given) => answer(() => memory.seedWindows(...given)),
  }
  return Object.assign(replica, { counters: createResilientCounters(shared, { report: () => undefined }) })
}

describe('counters of two replicas', () => {
  const clock = stopClock()
  const budgets = ['one', 'other']
  let memory: Counters
  let replicas: [Replica, Replica]
  let count = 0
  const begin = () => {
    memory = createMemoryCounters()
    replicas = [startReplica(memory), startReplica(memory)]
  }
  const end = async () => {
    for (const replica of replicas) {
      Object.assign(replica, { line: 'whole', answersLeft: null })
      await replica.counters.close()
    }
  }
  beforeEach(begin)
  afterEach(end)

  // Uses the stopped clock, like the hand-over: leases that ended by another clock would lose their reservations.
  const reserve = async ({ counters }: Replica, key = 'one') => {
    count += 1
    const id = `attempt-${count}`
    const wanted = hold(key, 1_000_000, { need: 10, given: { window: null, admits: 'open' } })
    const { isAdmitted } = await counters.reserve(id, [wanted], { leaseMs, nowMs: Date.now() })
    expect(isAdmitted).to.equal(true)
    return (amount: number) => counters.settle(id, [{ key, window: null, amount }], Date.now())
  }
  const spend = async (replica: Replica, amount: number, key = 'one') => (await reserve(replica, key))(amount)
  const used = async (key = 'one') => (await memory.read([{ key, window: null }], Date.now()))[0]
  const mend = async () => {
    for (const replica of replicas) Object.assign(replica, { line: 'whole', answersLeft: null })
    await clock.tick(2000)
  }

  it('add up the usage that each of them counted alone', async () => {
    for (const replica of replicas) await spend(replica, 20)
    for (const replica of replicas) replica.line = 'cut'
    for (const replica of replicas) for (let index = 0; index < 5; index += 1) await spend(replica, 7)
    await mend()
    expect(await used()).to.deep.equal({ used: 40 + 70, reserved: 0 })
  })

  it('count calls from an outage that end after it', async () => {
    for (const replica of replicas) await spend(replica, 20)
    for (const replica of replicas) replica.line = 'cut'
    const settlements = [await reserve(replicas[0]), await reserve(replicas[1])]
    await mend()
    for (const settle of settlements) await settle(12)
    expect(await used()).to.deep.equal({ used: 40 + 24, reserved: 0 })
  })

  it('restore the counts of a server that restarted empty, and add the usage since then', async () => {
    for (const replica of replicas) await spend(replica, 20)
    await spend(replicas[0], 1)
    for (const replica of replicas) replica.line = 'cut'
    for (const replica of replicas) await spend(replica, 7)
    const empty = createMemoryCounters()
    Object.assign(memory, empty)
    await mend()
    expect(await used()).to.deep.equal({ used: 41 + 14, reserved: 0 })
  })

  it('count a write once when its answer was lost', async () => {
    await spend(replicas[0], 20)
    replicas[0].line = 'cut'
    await spend(replicas[0], 7)
    replicas[0].line = 'deaf'
    await clock.tick(10_000)
    await mend()
    expect(await used()).to.deep.equal({ used: 27, reserved: 0 })
  })

  it('count usage once after a second outage', async () => {
    await spend(replicas[0], 20)
    replicas[0].line = 'cut'
    await spend(replicas[0], 7)
    await mend()
    replicas[0].line = 'cut'
    expect(await spend(replicas[0], 3)).to.deep.equal([{ used: 30, reserved: 0 }])
  })

  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ do: fc.constant('spend' as const), amount: fc.nat(50) }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('begin' as const) }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('end' as const), amount: fc.nat(50) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('cut' as const) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('mend' as const), answers: fc.nat(8) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('mend' as const), answers: fc.constant(null) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.nat(3000) }) },
  )
  const steps = fc.array(fc.tuple(fc.nat(1), fc.constantFrom(...budgets), step), { maxLength: 40 })

  it('charge each use exactly once, whenever connections are cut', async () => {
    await assertProperty(
      fc.asyncProperty(steps, async (all) => {
        begin()
        const expected = new Map(budgets.map((key) => [key, 0]))
        const underWay: { key: string; settle: (amount: number) => unknown }[][] = [[], []]
        const note = (key: string, amount: number) => expected.set(key, (expected.get(key) ?? 0) + amount)
        for (const replica of replicas) for (const key of budgets) await spend(replica, 0, key)
        for (const [index, key, what] of all) {
          const replica = replicas[index] as Replica
          if (what.do === 'spend') {
            await spend(replica, what.amount, key)
            note(key, what.amount)
          } else if (what.do === 'begin') {
            underWay[index]?.push({ key, settle: await reserve(replica, key) })
          } else if (what.do === 'end') {
            const one = underWay[index]?.shift()
            await one?.settle(what.amount)
            if (one !== undefined) note(one.key, what.amount)
          } else if (what.do === 'cut') replica.line = 'cut'
          else if (what.do === 'mend') Object.assign(replica, { line: 'whole', answersLeft: what.answers })
          else await clock.tick(what.ms)
        }
        await mend()
        await clock.tick(5000)
        for (const { key, settle } of underWay.flat()) {
          await settle(1)
          note(key, 1)
        }
        for (const key of budgets) expect((await used(key))?.used).to.equal(expected.get(key))
        await end()
      }),
      { numRuns: 150 },
    )
  })
})
