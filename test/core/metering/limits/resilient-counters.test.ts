/** What limits do while the counters that processes share are out of reach, and when they are back, by a turned clock. */
import { type Counters, GatewayError } from '@gateway/contract'
import { expect } from 'chai'
import { createResilientCounters } from '#core/metering/limits/resilient-counters'
import { createMemoryCounters } from '#core/store/memory/counters'
import {
  borderMs,
  describeCounters,
  hold,
  leaseMs,
  minute,
  request,
} from '../../../conformance/stores/counters.ts'
import { stopClock } from '../../../support/clock.ts'

const budget = { window: null, admits: 'open' } as const
const noReport = (error: unknown) => {
  throw error
}

describeCounters('resilient', async () => [
  createResilientCounters(createMemoryCounters(), { report: noReport }),
])

describe('resilient counters', () => {
  const clock = stopClock()
  let memory: Counters
  let counters: Counters
  let shared: Counters
  let state: 'here' | 'away' | 'silent'
  let asked: number
  let reports: unknown[]

  beforeEach(() => {
    memory = createMemoryCounters()
    state = 'here'
    asked = 0
    reports = []
    const answer = async <T>(question: () => T | Promise<T>): Promise<T> => {
      asked += 1
      if (state === 'silent') await new Promise(() => undefined)
      if (state === 'away') throw new GatewayError('dependency_unavailable', 'Away.')
      return question()
    }
    shared = {
      reserve: (...given) => answer(() => memory.reserve(...given)),
      settle: (...given) => answer(() => memory.settle(...given)),
      read: (...given) => answer(() => memory.read(...given)),
      reset: (...given) => answer(() => memory.reset(...given)),
      seed: (...given) => answer(() => memory.seed(...given)),
      list: (...given) => answer(() => memory.list(...given)),
    }
    counters = createResilientCounters(shared, { report: (error) => reports.push(error), deadlineMs: 100 })
  })

  const reserve = async (id: string, wanted = [hold('budget', 100, 10, budget)]) =>
    counters.reserve(id, wanted, leaseMs, borderMs)
  const spend = async (id: string, amount: number) => {
    await reserve(id)
    await counters.settle(id, [{ key: 'budget', window: null, amount }], borderMs)
  }
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => undefined,
      (error: { code?: string }) => error.code,
    )
  const sharedBudget = async () => (await memory.read([{ key: 'budget', window: null }], borderMs))[0]
  const comeBack = async () => {
    state = 'here'
    await clock.tick(1000)
    await reserve('first', [request('other', 99)])
    await clock.tick(0)
  }

  it('hold rate limits in this process while they are away', async () => {
    state = 'away'
    const results = []
    for (let index = 0; index < 20; index += 1) results.push(await reserve(`a${index}`, [request('key', 5)]))
    expect(results.filter(({ isAdmitted }) => isAdmitted)).to.have.length(5)
  })

  it('refuse whatever is limited while they are away, where that is asked for, and count again at once', async () => {
    counters = createResilientCounters(shared, { report: () => undefined, failsClosed: true })
    expect((await reserve('here', [request('key', 5)])).isAdmitted).to.equal(true)
    state = 'away'
    expect(await codeOf(reserve('away', [request('key', 5)]))).to.equal('store_unavailable')
    state = 'here'
    await clock.tick(1000)
    expect((await reserve('back', [request('key', 5)])).isAdmitted).to.equal(true)
  })

  it('go by the last known value of a usage limit for 60 s, then refuse', async () => {
    await spend('a', 40)
    state = 'away'
    await spend('b', 50)
    expect((await reserve('c')).readings).to.deep.equal([{ used: 90, reserved: 10, isAdmitted: true }])
    await counters.settle('c', [{ key: 'budget', window: null, amount: 10 }], borderMs)
    expect((await reserve('d')).isAdmitted).to.equal(false)
    await clock.tick(60_000)
    expect((await reserve('e')).isAdmitted).to.equal(false)
    await clock.tick(1)
    expect(await codeOf(reserve('f'))).to.equal('store_unavailable')
    expect((await reserve('g', [request('key', 5)])).isAdmitted).to.equal(true)
  })

  it('refuse a usage limit of which nothing is known', async () => {
    state = 'away'
    expect(await codeOf(reserve('a'))).to.equal('store_unavailable')
    expect(await codeOf(reserve('b', [request('key', 5), hold('budget', 9, 1, budget)]))).to.equal(
      'store_unavailable',
    )
  })

  it('raise budgets to what was counted here once they are back, and do not add it', async () => {
    await spend('a', 40)
    state = 'away'
    await spend('b', 20)
    await memory.seed([{ key: 'budget', used: 55 }])
    await comeBack()
    expect(await sharedBudget()).to.deep.equal({ used: 60, reserved: 0 })
  })

  it('lower nothing when others have used more meanwhile', async () => {
    await spend('a', 40)
    state = 'away'
    await spend('b', 20)
    await memory.seed([{ key: 'budget', used: 95 }])
    await comeBack()
    expect(await sharedBudget()).to.deep.equal({ used: 95, reserved: 0 })
  })

  it('settle what was reserved before they went, once, when they are back', async () => {
    await reserve('a', [hold('budget', 100, 30, budget), hold('tokens', 100, 30)])
    state = 'away'
    const used = [
      { key: 'budget', window: null, amount: 7 },
      { key: 'tokens', window: minute, amount: 8 },
    ]
    await counters.settle('a', used, borderMs)
    await counters.settle('a', used, borderMs)
    expect((await counters.read([{ key: 'budget', window: null }], borderMs))[0]?.used).to.equal(7)
    await comeBack()
    expect(await sharedBudget()).to.deep.equal({ used: 7, reserved: 0 })
    expect(await memory.read([{ key: 'tokens', window: minute }], borderMs)).to.deep.equal([
      { used: 8, reserved: 0 },
    ])
  })

  it('charge nothing for an attempt that was refused, or that held nothing', async () => {
    await spend('a', 40)
    state = 'away'
    await counters.settle('a', [{ key: 'budget', window: null, amount: 40 }], borderMs)
    await counters.settle('nobody', [{ key: 'budget', window: null, amount: 40 }], borderMs)
    expect((await counters.read([{ key: 'budget', window: null }], borderMs))[0]?.used).to.equal(40)
  })

  it('give a server that came back empty what was last known', async () => {
    await spend('a', 40)
    state = 'away'
    await reserve('b')
    memory = createMemoryCounters()
    await comeBack()
    expect(await sharedBudget()).to.deep.equal({ used: 40, reserved: 0 })
  })

  it('leave alone what somebody else has reset meanwhile', async () => {
    await spend('a', 40)
    state = 'away'
    await reserve('b')
    await memory.reset(['budget'])
    await comeBack()
    expect(await sharedBudget()).to.deep.equal({ used: 0, reserved: 0 })
  })

  it('ask no more after five failures, and then once a second', async () => {
    state = 'away'
    for (let index = 0; index < 20; index += 1) await reserve(`a${index}`, [request('key', 99)])
    expect(asked).to.equal(5)
    await clock.tick(1000)
    for (let index = 0; index < 20; index += 1) await reserve(`b${index}`, [request('key', 99)])
    expect(asked).to.equal(6)
    expect(reports).to.have.length(1)
  })

  it('wait for no answer longer than the deadline', async () => {
    state = 'silent'
    const result = reserve('a', [request('key', 5)])
    await clock.tick(100)
    expect((await result).isAdmitted).to.equal(true)
  })

  it('keep a fault that is no absence', async () => {
    expect(
      await codeOf(reserve('a', [hold('key', 1, -1)]).catch(() => Promise.reject({ code: 'refused' }))),
    ).to.equal('refused')
    expect(reports).to.deep.equal([])
  })

  it('know what they handed over when the others go again at once', async () => {
    await spend('a', 40)
    state = 'away'
    await spend('b', 20)
    await comeBack()
    state = 'away'
    expect((await reserve('c')).readings).to.deep.equal([{ used: 60, reserved: 10, isAdmitted: true }])
  })

  it('count for all again once they are back', async () => {
    state = 'away'
    for (let index = 0; index < 6; index += 1) await reserve(`a${index}`, [request('key', 5)])
    await comeBack()
    await reserve('b', [request('key', 5)])
    expect(await memory.read([{ key: 'key', window: minute }], borderMs)).to.deep.equal([
      { used: 1, reserved: 0 },
    ])
  })
})
