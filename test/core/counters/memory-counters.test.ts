/** Counters in memory: the suite for all engines, and the removal of expired windows. */
import { expect } from 'chai'
import { createMemoryCounters } from '#counters/memory-counters'
import { borderMs, describeCounters, hold, request } from '../../conformance/stores/counters.ts'

describeCounters('in memory', async () => [createMemoryCounters()])

describe('counters in memory', () => {
  it('drop windows that have passed, and no budget', async () => {
    const counters = createMemoryCounters()
    await counters.seed([{ key: 'budget', used: 3 }])
    for (let index = 0; index < 5000; index += 1)
      await counters.reserve('a', [request(`old/${index}`, 5)], { leaseMs: 1000, nowMs: borderMs })
    for (let index = 0; index < 5000; index += 1)
      await counters.reserve('a', [request(`new/${index}`, 5)], { leaseMs: 1000, nowMs: borderMs + 300_000 })
    const left = Array.from({ length: 5000 }, (_, index) => counters.useOf(`old/${index}`)).filter(Boolean)
    expect(left).to.have.length(0)
    expect(counters.useOf('budget')?.current).to.equal(3)
  })

  it('list every key whose usage has changed, and no other', async () => {
    const changed: string[] = []
    const counters = createMemoryCounters({ onChange: (key) => changed.push(key) })
    await counters.reserve('a', [request('requests', 5), hold('tokens', 9, { need: 4 })], {
      leaseMs: 1000,
      nowMs: borderMs,
    })
    expect(changed).to.include('requests')
    changed.length = 0
    await counters.reserve('refused', [hold('tokens', 9, { need: 8 })], { leaseMs: 1000, nowMs: borderMs })
    await counters.settle('nobody', [{ key: 'requests', window: null, amount: 1 }], borderMs)
    expect(changed).to.deep.equal([])
    await counters.settle(
      'a',
      [{ key: 'tokens', window: { lengthMs: 60_000, offsetMs: 0 }, amount: 1 }],
      borderMs,
    )
    expect(changed).to.deep.equal(['tokens'])
  })
})
