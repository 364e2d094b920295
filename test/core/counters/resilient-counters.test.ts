/** Limits while the shared counters are unreachable, and after they are back, with a fake clock. */
import { type Counters, GatewayError } from '@gateway/contract'
import { expect } from 'chai'
import { createMemoryCounters } from '#counters/memory-counters'
import { createResilientCounters, type ResilientCounters } from '#counters/resilient-counters'
import { chargesOnce } from '#domain/limits/charges'
import {
  borderMs,
  describeCounters,
  hold,
  leaseMs,
  minute,
  request,
} from '../../conformance/stores/counters.ts'
import { stopClock } from '../../support/clock.ts'

const budget = { window: null, admits: 'open' } as const
const noReport = (error: unknown) => {
  throw error
}

describeCounters('resilient', async () => [
  createResilientCounters(createMemoryCounters(), { report: noReport }),
])

describe('resilient counters over an unavailable store', () => {
  const clock = stopClock()
  let memory: Counters
  let counters: ResilientCounters
  let shared: Counters
  let state: 'here' | 'away' | 'silent' | 'slow'
  let slowMs: number
  let asked: number
  let reports: unknown[]
  /** Carries out the operations that a silent store received. */
  let awake: () => void

  beforeEach(() => {
    memory = createMemoryCounters()
    state = 'here'
    asked = 0
    reports = []
    const isAwake = new Promise<void>((resolve) => {
      awake = resolve
    })
    const answer = async <T>(question: () => T | Promise<T>): Promise<T> => {
      asked += 1
      if (state === 'silent') await isAwake
      if (state === 'slow') await new Promise((resolve) => setTimeout(resolve, slowMs))
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
      listWindows: (...given) => answer(() => memory.listWindows(...given)),
      seedWindows: (...given) => answer(() => memory.seedWindows(...given)),
    }
    counters = createResilientCounters(shared, { report: (error) => reports.push(error), deadlineMs: 100 })
  })
  afterEach(async () => {
    state = 'here'
    awake()
    await counters.close()
  })

  const reserve = async (id: string, wanted = [hold('budget', 100, { need: 10, given: budget })]) =>
    counters.reserve(id, wanted, { leaseMs, nowMs: borderMs })
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

  it('enforce rate limits in this process', async () => {
    state = 'away'
    const results = []
    for (let index = 0; index < 20; index += 1) results.push(await reserve(`a${index}`, [request('key', 5)]))
    expect(results.filter(({ isAdmitted }) => isAdmitted)).to.have.length(5)
  })

  it('refuse limited requests when set so, and count again as soon as the store is back', async () => {
    counters = createResilientCounters(shared, { report: () => undefined, failsClosed: true })
    expect((await reserve('here', [request('key', 5)])).isAdmitted).to.equal(true)
    state = 'away'
    expect(await codeOf(reserve('away', [request('key', 5)]))).to.equal('store_unavailable')
    state = 'here'
    await clock.tick(1000)
    expect((await reserve('back', [request('key', 5)])).isAdmitted).to.equal(true)
  })

  it('use the last known value of a usage limit for 60 s, then refuse', async () => {
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

  it('refuse requests with a usage limit of unknown value', async () => {
    state = 'away'
    expect(await codeOf(reserve('a'))).to.equal('store_unavailable')
    expect(
      await codeOf(reserve('b', [request('key', 5), hold('budget', 9, { need: 1, given: budget })])),
    ).to.equal('store_unavailable')
  })

  it("add this process's usage to the usage of others in the meantime", async () => {
    await spend('a', 40)
    state = 'away'
    await spend('b', 20)
    await memory.seed([{ key: 'budget', used: 55 }])
    await comeBack()
    expect(await sharedBudget()).to.deep.equal({ used: 75, reserved: 0 })
  })

  it('settle earlier reservations once when the store is back', async () => {
    await reserve('a', [hold('budget', 100, { need: 30, given: budget }), hold('tokens', 100, { need: 30 })])
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

  it('charge nothing for an attempt that was refused or reserved nothing', async () => {
    await spend('a', 40)
    state = 'away'
    await counters.settle('a', [{ key: 'budget', window: null, amount: 40 }], borderMs)
    await counters.settle('nobody', [{ key: 'budget', window: null, amount: 40 }], borderMs)
    expect((await counters.read([{ key: 'budget', window: null }], borderMs))[0]?.used).to.equal(40)
  })

  it('charge a reservation of the outage that is settled after it', async () => {
    await spend('a', 40)
    state = 'away'
    await reserve('b')
    await comeBack()
    const readings = await counters.settle('b', [{ key: 'budget', window: null, amount: 9 }], borderMs)
    expect(readings).to.deep.equal([{ used: 49, reserved: 0 }])
    expect(await sharedBudget()).to.deep.equal({ used: 49, reserved: 0 })
  })

  it('charge only the usage after a reset', async () => {
    await spend('a', 40)
    state = 'away'
    await spend('b', 20)
    state = 'here'
    await counters.reset(['budget'])
    state = 'away'
    await reserve('c', [request('key', 5)])
    await comeBack()
    expect(await sharedBudget()).to.deep.equal({ used: 0, reserved: 0 })
  })

  it('restore the last known counts, the usage since then and the reservations on a server that restarted empty', async () => {
    await spend('a', 40)
    await reserve('held')
    state = 'away'
    await spend('b', 20)
    await counters.settle('held', [{ key: 'budget', window: null, amount: 5 }], borderMs)
    memory = createMemoryCounters()
    await comeBack()
    expect(await sharedBudget()).to.deep.equal({ used: 65, reserved: 0 })
  })

  it('restore the last known counts on a server that restarted empty', async () => {
    await spend('a', 40)
    state = 'away'
    await reserve('b')
    memory = createMemoryCounters()
    await comeBack()
    expect(await sharedBudget()).to.deep.equal({ used: 40, reserved: 0 })
  })

  it('do not restore counters that another process has reset meanwhile', async () => {
    await spend('a', 40)
    state = 'away'
    await reserve('b')
    await memory.reset(['budget'])
    await comeBack()
    expect(await sharedBudget()).to.deep.equal({ used: 0, reserved: 0 })
  })

  it('try a failing store once per second, not once per request', async () => {
    state = 'away'
    for (let index = 0; index < 20; index += 1) await reserve(`a${index}`, [request('key', 99)])
    await clock.tick(10_000)
    const before = asked
    for (let index = 0; index < 20; index += 1) await reserve(`b${index}`, [request('key', 99)])
    expect(asked).to.equal(before)
    await clock.tick(5000)
    expect(asked).to.equal(before + 5)
    await reserve('c', [request('key', 99)])
    expect(counters.isUnshared()).to.equal(true)
    expect(reports).to.have.length(1)
  })

  it('wait for a slow store with any number of requests, and allow exactly the limit', async () => {
    state = 'slow'
    slowMs = 4900
    const results = Array.from({ length: 400 }, (_, index) => reserve(`a${index}`, [request('key', 100)]))
    await clock.tick(slowMs)
    expect((await Promise.all(results)).filter(({ isAdmitted }) => isAdmitted)).to.have.length(100)
    expect(counters.isUnshared()).to.equal(false)
    expect(reports).to.deep.equal([])
  })

  it('wait longer than 5 s while the store answers other requests', async () => {
    state = 'slow'
    slowMs = 12_000
    const slow = reserve('slow', [request('key', 1)])
    state = 'here'
    for (let second = 0; second < 12; second += 1) {
      await reserve(`quick${second}`, [request('other', 99)])
      await clock.tick(1000)
    }
    expect((await slow).isAdmitted).to.equal(true)
    expect((await memory.read([{ key: 'key', window: minute }], borderMs))[0]?.used).to.equal(1)
  })

  it('continue alone after 5 s without any answer, and return late reservations', async () => {
    await spend('known', 1)
    state = 'silent'
    const results = ['a', 'b'].map((id) => reserve(id))
    await clock.tick(4900)
    expect(counters.isUnshared()).to.equal(false)
    await clock.tick(500)
    expect((await Promise.all(results)).map(({ isAdmitted }) => isAdmitted)).to.deep.equal([true, true])
    expect(counters.isUnshared()).to.equal(true)
    state = 'here'
    awake()
    await clock.tick(6000)
    expect(counters.isUnshared()).to.equal(false)
    expect((await sharedBudget())?.reserved).to.equal(0)
  })

  it('delay a request by at most the deadline while the store is failing', async () => {
    state = 'away'
    await reserve('first', [request('key', 5)])
    state = 'silent'
    await clock.tick(1000)
    let isAnswered = false
    const result = reserve('a', [request('key', 5)]).then((answer) => {
      isAnswered = true
      return answer
    })
    await clock.tick(100)
    expect(isAnswered).to.equal(true)
    expect((await result).isAdmitted).to.equal(true)
  })

  it('count in the store when only the connection was lost and is back at once', async () => {
    state = 'away'
    const result = reserve('a', [request('key', 5)])
    await Promise.resolve()
    state = 'here'
    await result
    expect((await memory.read([{ key: 'key', window: minute }], borderMs))[0]?.used).to.equal(1)
  })

  describe('deliver pending settlements', () => {
    const used = [{ key: 'budget', window: null, amount: 7 }]
    beforeEach(async () => {
      await reserve('a', [hold('budget', 100, { need: 30, given: budget })])
      state = 'away'
      await counters.settle('a', used, borderMs)
    })

    it('when the store is back, even without a request', async () => {
      await clock.tick(5000)
      state = 'here'
      await clock.tick(1000)
      expect(await sharedBudget()).to.deep.equal({ used: 7, reserved: 0 })
    })

    it('when the gateway stops', async () => {
      state = 'here'
      await counters.close()
      expect(await sharedBudget()).to.deep.equal({ used: 7, reserved: 0 })
    })

    it('or drop them without an error when the gateway stops while the store is unavailable', async () => {
      await counters.close()
      expect((await sharedBudget())?.reserved).to.equal(30)
    })

    it('and report it to callers that need them delivered, then keep retrying', async () => {
      expect(await codeOf(counters.flush())).to.equal('store_unavailable')
      state = 'here'
      await clock.tick(5000)
      expect(await sharedBudget()).to.deep.equal({ used: 7, reserved: 0 })
    })

    it('not for a charge that its sender sends again until it is counted', async () => {
      const charge = chargesOnce('owed', [{ key: 'budget', window: null, amount: 3 }])
      expect(await codeOf(reserve('owed', charge))).to.equal('store_unavailable')
      await comeBack()
      for (let index = 0; index < 2; index += 1) await reserve('owed', charge)
      expect(await sharedBudget()).to.deep.equal({ used: 10, reserved: 0 })
    })
  })

  it('count usage settled after its lease in the window in which it began', async () => {
    const hour = { lengthMs: 3_600_000, offsetMs: 0 }
    await reserve('a', [hold('tokens', 100, { need: 30, given: { window: hour } })])
    state = 'away'
    await counters.settle('a', [{ key: 'tokens', window: hour, amount: 8 }], borderMs)
    await clock.tick(leaseMs)
    state = 'here'
    await clock.tick(1000)
    expect(await memory.read([{ key: 'tokens', window: hour }], borderMs + leaseMs)).to.deep.equal([
      { used: 8, reserved: 0 },
    ])
  })

  it('forward an error that does not mean that the store is unavailable', async () => {
    expect(
      await codeOf(
        reserve('a', [hold('key', 1, { need: -1 })]).catch(() => Promise.reject({ code: 'refused' })),
      ),
    ).to.equal('refused')
    expect(reports).to.deep.equal([])
  })

  it('do not deliver the same usage twice when the store fails again at once', async () => {
    await spend('a', 40)
    state = 'away'
    await spend('b', 20)
    await comeBack()
    state = 'away'
    expect((await reserve('c')).readings).to.deep.equal([{ used: 60, reserved: 10, isAdmitted: true }])
  })

  it('count for all processes when the store is back', async () => {
    state = 'away'
    for (let index = 0; index < 6; index += 1) await reserve(`a${index}`, [request('key', 5)])
    await comeBack()
    await reserve('b', [request('key', 5)])
    expect(await memory.read([{ key: 'key', window: minute }], borderMs)).to.deep.equal([
      { used: 1, reserved: 0 },
    ])
  })
})
