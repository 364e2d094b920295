/** Ids of requests, log entries and objects: UUIDs in the order of their time. */
import { timeOfId, timeOrderedId } from '@gateway/domain'
import { expect } from 'chai'

describe('ids in the order of time', () => {
  it('are UUIDs of version 7', () => {
    for (const at of [0, 1, Date.UTC(2026, 0, 2, 3, 4, 5, 6), 2 ** 48 - 1])
      expect(timeOrderedId(at)).to.match(
        /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      )
  })

  it('tell their time', () => {
    for (const at of [0, 1, Date.UTC(2026, 0, 2, 3, 4, 5, 6), 2 ** 48 - 1])
      expect(timeOfId(timeOrderedId(at))).to.equal(at)
  })

  it('differ within one millisecond, also after thousands of them', () => {
    const ids = Array.from({ length: 10_000 }, () => timeOrderedId(1))
    expect(new Set(ids).size).to.equal(ids.length)
    // Every digit of the random part takes all of its values.
    for (const at of [15, 16, 17, 20, 21, 22, 24, 35])
      expect(new Set(ids.map((id) => id[at])).size, `digit ${at}`).to.equal(16)
    expect(new Set(ids.map((id) => id[19]))).to.deep.equal(new Set(['8', '9', 'a', 'b']))
  })
})
