/** Usage that a process could not deliver before it stopped is delivered by the next one, once. */
import { type Counters, GatewayError, type Work } from '@gateway/contract'
import { expect } from 'chai'
import { createKeptUsage, type KeptUsage } from '#counters/kept-usage'
import { createMemoryCounters } from '#counters/memory-counters'
import { createResilientCounters, type ResilientCounters } from '#counters/resilient-counters'
import { createMemoryWork } from '#store/memory/work'
import { hold, leaseMs } from '../../conformance/stores/counters.ts'
import { stopClock } from '../../support/clock.ts'

describe('usage of a process that stops while the shared counters are unavailable', () => {
  const clock = stopClock()
  let memory: Counters
  let work: Work
  let kept: KeptUsage
  let counters: ResilientCounters
  let isAway: boolean
  /** Settlements and reservations that are carried out before the next one fails; null: all. */
  let answersLeft: number | null

  beforeEach(() => {
    memory = createMemoryCounters()
    work = createMemoryWork()
    isAway = false
    answersLeft = null
    const answer = async <T>(question: () => T | Promise<T>): Promise<T> => {
      if (isAway || answersLeft === 0) throw new GatewayError('dependency_unavailable', 'Away.')
      if (answersLeft !== null) answersLeft -= 1
      return question()
    }
    const shared: Counters = {
      ...memory,
      reserve: (...given) => answer(() => memory.reserve(...given)),
      settle: (...given) => answer(() => memory.settle(...given)),
      read: (...given) => answer(() => memory.read(...given)),
    }
    kept = createKeptUsage(work, shared)
    counters = createResilientCounters(shared, { report: () => undefined, keep: kept.keep })
  })

  const budget = { window: null, admits: 'open' } as const
  const begin = async (id: string, key = 'budget') => {
    await counters.reserve(id, [hold(key, 100_000, { need: 10, given: budget })], {
      leaseMs,
      nowMs: Date.now(),
    })
    return (amount: number) => counters.settle(id, [{ key, window: null, amount }], Date.now())
  }
  const used = async (key = 'budget') => (await memory.read([{ key, window: null }], Date.now()))[0]

  /** A call before, one whose settlement waits, and two that the process counts alone; then it stops. */
  async function stopAlone(): Promise<void> {
    await (await begin('before'))(20)
    const settle = await begin('held')
    isAway = true
    await settle(5)
    for (const id of ['alone', 'alone too']) await (await begin(id))(7)
    await counters.close()
    expect(await used()).to.deep.equal({ used: 20, reserved: 10 })
    isAway = false
  }

  it('is delivered once by the next process', async () => {
    await stopAlone()
    await kept.deliver()
    expect(await used()).to.deep.equal({ used: 20 + 5 + 14, reserved: 0 })
    await kept.deliver()
    expect(await used()).to.deep.equal({ used: 20 + 5 + 14, reserved: 0 })
  })

  it('is delivered once even if the delivery breaks off', async () => {
    await stopAlone()
    for (const answers of [0, 1, 2]) {
      answersLeft = answers
      await kept.deliver().catch(() => undefined)
      await clock.tick(120_000)
    }
    answersLeft = null
    await kept.deliver()
    expect(await used()).to.deep.equal({ used: 20 + 5 + 14, reserved: 0 })
  })

  it('is charged even if its lease has expired meanwhile', async () => {
    await stopAlone()
    await clock.tick(leaseMs * 2)
    await kept.deliver()
    expect(await used()).to.deep.equal({ used: 20 + 5 + 14, reserved: 0 })
  })

  it('of more calls than fit into a row is delivered completely', async () => {
    await (await begin('before'))(1)
    const settles = []
    for (let index = 0; index < 450; index += 1) settles.push(await begin(`held-${index}`))
    isAway = true
    for (const settle of settles) await settle(2)
    await counters.close()
    isAway = false
    await kept.deliver()
    expect(await used()).to.deep.equal({ used: 901, reserved: 0 })
  })

  it('of two processes is delivered by a third', async () => {
    await stopAlone()
    counters = createResilientCounters(
      {
        ...memory,
        read: async () => {
          throw new GatewayError('dependency_unavailable', 'Away.')
        },
        settle: async () => {
          throw new GatewayError('dependency_unavailable', 'Away.')
        },
      },
      { report: () => undefined, keep: kept.keep },
    )
    await (await begin('other'))(100)
    await counters.close()
    await kept.deliver()
    expect(await used()).to.deep.equal({ used: 39 + 100, reserved: 0 })
  })
})
