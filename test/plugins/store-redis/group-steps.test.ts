/** Reservations and settlements of one turn of the event loop: the number of calls, and who gets which answer. */
import { expect } from 'chai'
import { groupSteps } from '#store-redis/group-steps'
import { leaseMs, minute, request } from '../../conformance/stores/counters.ts'

type Input = [counters: (string | number)[], ids: string[], steps: (string | number)[][]]

const hour = { lengthMs: 3_600_000, offsetMs: 0 }

/** Calls that are answered with one admitted reservation of one counter for each step: used 1, 2, 3, …. */
function createCalls() {
  const inputs: Input[] = []
  let used = 0
  const steps = groupSteps(async (_nowMs, input) => {
    const parsed = JSON.parse(input) as Input
    inputs.push(parsed)
    return parsed[2].flatMap(() => {
      used += 1
      return [1, used, 0, 1]
    })
  })
  const reserve = (key: string, window = minute) =>
    steps.reserve('a', [{ ...request(key, 9), window }], { leaseMs, nowMs: 0 })
  return { inputs, steps, reserve, sizes: () => inputs.map(([, , all]) => all.length) }
}

describe('batched counter steps on Redis', () => {
  it('of one turn of the event loop are one call, which names each counter once', async () => {
    const { inputs, reserve } = createCalls()
    const results = await Promise.all(['a', 'b', 'a'].map((key) => reserve(key)))
    expect(results.map(({ readings }) => readings[0]?.used)).to.deep.equal([1, 2, 3])
    expect(inputs).to.have.length(1)
    expect(inputs[0]?.[0]).to.deep.equal(['a', 60_000, 0, 'b', 60_000, 0])
    expect(inputs[0]?.[2].map((step) => step[4])).to.deep.equal([1, 2, 1])
  })

  it('of two turns are two calls', async () => {
    const { reserve, sizes } = createCalls()
    const first = reserve('a')
    await new Promise((resolve) => setImmediate(resolve))
    await Promise.all([first, reserve('a')])
    expect(sizes()).to.deep.equal([1, 1])
  })

  it('are at most a hundred in one call', async () => {
    const { reserve, sizes } = createCalls()
    const results = await Promise.all(Array.from({ length: 250 }, () => reserve('a')))
    expect(sizes()).to.deep.equal([100, 100, 50])
    expect(results.at(-1)?.readings[0]?.used).to.equal(250)
  })

  it('name at most a thousand counters in one call', async () => {
    const { inputs, steps } = createCalls()
    const many = (from: number) =>
      Array.from({ length: 600 }, (_, index) => ({ key: `${from + index}`, window: minute, amount: 1 }))
    await Promise.all([steps.settle('a', many(0), 0), steps.settle('b', many(600), 0)])
    expect(inputs.map(([counters]) => counters.length / 3)).to.deep.equal([600, 600])
  })

  it('with two windows for one key are two calls', async () => {
    const { reserve, sizes } = createCalls()
    await Promise.all([reserve('a'), reserve('a', hour), reserve('b', hour)])
    expect(sizes()).to.deep.equal([1, 2])
  })

  it('all fail when their call fails, and the next turn sends a new call', async () => {
    let isAway = true
    const steps = groupSteps(async () => {
      if (isAway) throw new Error('away')
      return [1, 1, 0, 1]
    })
    const ask = () => steps.reserve('a', [request('key', 9)], { leaseMs, nowMs: 0 })
    const outcomes = await Promise.allSettled([ask(), ask()])
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected'])
    isAway = false
    expect((await ask()).isAdmitted).to.equal(true)
  })
})
