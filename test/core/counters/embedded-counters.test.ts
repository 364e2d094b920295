/** Counters in memory over a store used by only one process: their counts, the stored data, and the time of writes. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Counters, GatewayError, type Store } from '@gateway/contract'
import sqlStore from '@gateway/store-sql'
import { expect } from 'chai'
import { createEmbeddedCounters, type EmbeddedCounters } from '#counters/embedded-counters'
import { createMemoryCounters } from '#counters/memory-counters'
import {
  borderMs,
  describeCounters,
  hold,
  leaseMs,
  minute,
  request,
} from '../../conformance/stores/counters.ts'
import { stopClock } from '../../support/clock.ts'

const noReport = (error: unknown) => {
  throw error
}

/** A store that can be unavailable, and counts its calls. */
function createStored(): {
  stored: Counters
  saves: string[][]
  loads: string[][]
  fail(isAway: boolean): void
} {
  const memory = createMemoryCounters()
  const saves: string[][] = []
  const loads: string[][] = []
  let isAway = false
  const check = () => {
    if (isAway) throw new GatewayError('store_unavailable', 'The store is away.')
  }
  const stored: Counters = {
    ...memory,
    snapshots: {
      async load(keys) {
        loads.push([...keys])
        check()
        return keys.map((key) => memory.useOf(key))
      },
      async save(uses) {
        saves.push(uses.map(({ key }) => key))
        check()
        for (const { key, use } of uses) memory.restore(key, use)
      },
    },
  }
  const fail = (away: boolean) => {
    isAway = away
  }
  return { stored, saves, loads, fail }
}

describe('embedded counters over memory', () => {
  const opened: EmbeddedCounters[] = []
  // Their last batches would be written during the tests of another file.
  after(() => Promise.all(opened.map((counters) => counters.flush())))
  describeCounters('embedded', async () => {
    const { stored } = createStored()
    const counters = createEmbeddedCounters(stored, { report: noReport })
    opened.push(counters)
    return [counters]
  })
})

describe('embedded counters over a file', () => {
  let directory: string
  let store: Store
  const open = async (): Promise<EmbeddedCounters> => {
    store = await sqlStore.open('sqlite:counters.db', { directory, report: noReport })
    if (store.counters === undefined) throw new Error('It has no counters.')
    return createEmbeddedCounters(store.counters, { report: noReport })
  }
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gateway-embedded-'))
  })
  after(() => rm(directory, { recursive: true, force: true }))

  it('keep windows and budgets after a restart, and drop reservations', async () => {
    const before = await open()
    const budget = { window: null }
    await before.reserve('a', [request('requests', 9), hold('budget', 9, { need: 4, given: budget })], {
      leaseMs,
      nowMs: borderMs,
    })
    await before.settle('a', [{ key: 'budget', window: null, amount: 0.5 }], borderMs)
    await before.reserve('dead', [hold('budget', 9, { need: 4, given: budget })], {
      leaseMs,
      nowMs: borderMs,
    })
    await before.flush()
    await store.close()
    const after = await open()
    const result = await after.reserve(
      'b',
      [request('requests', 9), hold('budget', 9, { need: 1, given: budget })],
      { leaseMs, nowMs: borderMs },
    )
    await after.flush()
    await store.close()
    expect(result.readings).to.deep.equal([
      { used: 2, reserved: 0, isAdmitted: true },
      { used: 0.5, reserved: 1, isAdmitted: true },
    ])
  })
})

describe('embedded counters', () => {
  const clock = stopClock()

  it('load a key once for any number of waiting requests, and write after the requests', async () => {
    const { stored, saves, loads } = createStored()
    const counters = createEmbeddedCounters(stored, { report: noReport })
    await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        counters.reserve(`a${index}`, [request('key', 99)], { leaseMs, nowMs: borderMs }),
      ),
    )
    expect(loads).to.deep.equal([['key']])
    expect(saves).to.deep.equal([])
    await clock.tick(350)
    expect(saves).to.deep.equal([['key']])
    await clock.tick(5000)
    expect(saves).to.have.length(1)
    expect(await stored.read([{ key: 'key', window: minute }], borderMs)).to.deep.equal([
      { used: 50, reserved: 0 },
    ])
  })

  for (const [what, window] of [
    ['a budget', null],
    ['a rate of a minute', minute],
  ] as const) {
    it(`write ${what} a third of a second after each request`, async () => {
      const { stored, saves } = createStored()
      const counters = createEmbeddedCounters(stored, { report: noReport })
      for (let request = 1; request <= 3; request += 1) {
        await counters.reserve('a', [hold('key', 7, { need: 1, given: { window, takes: 'use' } })], {
          leaseMs,
          nowMs: borderMs,
        })
        await clock.tick(350)
        expect(saves).to.have.length(request)
        expect((await stored.read([{ key: 'key', window }], borderMs))[0]?.used).to.equal(request)
      }
    })
  }

  it('write any number of keys together', async () => {
    const { stored, saves } = createStored()
    const counters = createEmbeddedCounters(stored, { report: noReport })
    const keys = Array.from({ length: 2500 }, (_, index) => `key-${index}`)
    for (const key of keys) await counters.reserve(key, [request(key, 9)], { leaseMs, nowMs: borderMs })
    await clock.tick(350)
    expect(saves.flat()).to.have.members(keys)
  })

  it('retry failed writes together with newer ones', async () => {
    const { stored, fail } = createStored()
    const counters = createEmbeddedCounters(stored, { report: () => undefined })
    await counters.reserve('a', [request('one', 9), request('two', 9)], { leaseMs, nowMs: borderMs })
    fail(true)
    await clock.tick(350)
    await counters.reserve('b', [request('two', 9)], { leaseMs, nowMs: borderMs })
    fail(false)
    await clock.tick(1000)
    const kept = await stored.read(
      ['one', 'two'].map((key) => ({ key, window: minute })),
      borderMs,
    )
    expect(kept.map(({ used }) => used)).to.deep.equal([1, 2])
  })

  it('add usage counted while a key is loaded to the stored count', async () => {
    const { stored } = createStored()
    await stored.seed([{ key: 'budget', used: 5 }])
    const counters = createEmbeddedCounters(stored, { report: noReport })
    const wanted = [hold('budget', 7, { need: 1, given: { window: null, takes: 'use' } })]
    const results = await Promise.all(
      Array.from({ length: 5 }, (_, index) =>
        counters.reserve(`a${index}`, wanted, { leaseMs, nowMs: borderMs }),
      ),
    )
    expect(results.filter(({ isAdmitted }) => isAdmitted)).to.have.length(2)
  })

  it('do not store windows of one second', async () => {
    const { stored, saves } = createStored()
    const counters = createEmbeddedCounters(stored, { report: noReport })
    await counters.reserve('a', [request('key', 9, { lengthMs: 1000, offsetMs: 0 })], {
      leaseMs,
      nowMs: borderMs,
    })
    await counters.flush()
    expect(saves).to.deep.equal([])
  })

  it('have stored a reset before it resolves', async () => {
    const { stored } = createStored()
    await stored.seed([{ key: 'budget', used: 5 }])
    const counters = createEmbeddedCounters(stored, { report: noReport })
    await counters.reset(['budget'])
    expect(await stored.list('budget', null, 1)).to.deep.equal([{ key: 'budget', used: 0 }])
  })

  it('keep counting known keys while the store is unavailable, log it once, and write everything when it is back', async () => {
    const { stored, fail } = createStored()
    const reports: unknown[] = []
    const counters = createEmbeddedCounters(stored, { report: (error) => reports.push(error) })
    await counters.reserve('a', [request('known', 9)], { leaseMs, nowMs: borderMs })
    fail(true)
    await counters.reserve('b', [request('known', 9)], { leaseMs, nowMs: borderMs })
    await clock.tick(5000)
    expect(reports).to.have.length(1)
    const refused = async () => counters.reserve('c', [request('unknown', 9)], { leaseMs, nowMs: borderMs })
    const fault = await refused().catch((error: unknown) => error)
    expect(fault).to.have.property('code', 'store_unavailable')
    fail(false)
    await clock.tick(1000)
    expect(await stored.read([{ key: 'known', window: minute }], borderMs)).to.deep.equal([
      { used: 2, reserved: 0 },
    ])
    expect(
      (await counters.reserve('c', [request('unknown', 9)], { leaseMs, nowMs: borderMs })).isAdmitted,
    ).to.equal(true)
  })
})
