/** The sticky sessions that a process remembers, and those that it forgets. */
import { expect } from 'chai'
import { createSessionHomes } from '#routing/session-homes'

describe('the targets of sticky sessions', () => {
  let nowMs: number
  const open = () => createSessionHomes(() => nowMs)
  beforeEach(() => {
    nowMs = 1
  })

  it('are remembered for their time', () => {
    const homes = open()
    homes.set('a', 'first', 1000)
    homes.set('b', 'second', 5000)
    expect([homes.get('a'), homes.get('b'), homes.get('c')]).to.deep.equal(['first', 'second', null])
    nowMs += 1001
    expect([homes.get('a'), homes.get('b')]).to.deep.equal([null, 'second'])
  })

  it('are not kept after their time: as many stay as there were at once, at most twice', () => {
    const homes = open()
    let most = 0
    for (let round = 0; round < 20; round += 1) {
      for (let index = 0; index < 2000; index += 1) homes.set(`${round}-${index}`, 'target', 1000)
      nowMs += 1001
      most = Math.max(most, homes.size)
    }
    expect(most).to.be.at.most(4000)
  })

  it('are at most 100,000', () => {
    const homes = open()
    for (let index = 0; index < 101_000; index += 1) homes.set(String(index), 'target', 1000)
    expect(homes.size).to.equal(100_000)
    expect(homes.get('0')).to.equal(null)
    expect(homes.get('100999')).to.equal('target')
  })
})
