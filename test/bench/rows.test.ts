import { expect } from 'chai'
import { makeRow } from './rows.ts'

const PARTS = { scenario: 'chat', figure: 'rate', unit: 'req/s' } as const

const CASES = [
  { name: 'no target', parts: { values: { gateway: 5 } }, verdict: '' },
  { name: 'a value at its limit', parts: { values: { gateway: 5 }, atMost: 5 }, verdict: 'yes' },
  { name: 'a value above its limit', parts: { values: { gateway: 5.1 }, atMost: 5 }, verdict: 'no' },
  { name: 'a value at its least', parts: { values: { gateway: 5 }, atLeast: 5 }, verdict: 'yes' },
  { name: 'a value below its least', parts: { values: { gateway: 4.9 }, atLeast: 5 }, verdict: 'no' },
  { name: 'a missing value', parts: { values: { relay: 9 }, atMost: 5 }, verdict: 'not measured' },
  {
    name: 'both ratios reached',
    parts: { values: { gateway: 50, relay: 100, reference: 5 }, ratioTo: { relay: 0.45, reference: 8 } },
    verdict: 'yes',
  },
  {
    name: 'one ratio of two missed',
    parts: { values: { gateway: 50, relay: 100, reference: 7 }, ratioTo: { relay: 0.45, reference: 8 } },
    verdict: 'no',
  },
  {
    name: 'a ratio to a server that is missing',
    parts: { values: { gateway: 50, relay: 100 }, ratioTo: { relay: 0.45, reference: 8 } },
    verdict: 'not measured',
  },
]

describe('bench: the verdict on a row', () => {
  for (const { name, parts, verdict } of CASES) {
    it(`is "${verdict}" with ${name}`, () => {
      expect(makeRow({ ...PARTS, ...parts }).verdict).to.equal(verdict)
    })
  }

  it('is followed by the target in words', () => {
    const row = makeRow({ ...PARTS, values: {}, ratioTo: { relay: 0.45, reference: 8 }, atMost: 3 })
    expect(row.target).to.equal('≥ 45 % of relay and ≥ 8 × reference and ≤ 3 req/s')
  })
})
