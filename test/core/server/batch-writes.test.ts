import { setImmediate as endOfTurn } from 'node:timers/promises'
import { expect } from 'chai'
import { batchWrite } from '#core/server/koa-transport'

describe('answers within one turn of the event loop', () => {
  it('are written at once when they are alone, and in one batch from the second answer on', async () => {
    const left: string[] = []
    const answer = (name: string) => batchWrite(() => left.push(name))
    // Answers of an earlier test in the previous turn must not affect this one.
    answer('')
    await endOfTurn()
    left.length = 0

    answer('alone')
    expect(left).to.deep.equal(['alone'])
    await endOfTurn()
    answer('first')
    answer('second')
    answer('third')
    expect(left).to.deep.equal(['alone', 'first'])
    await endOfTurn()
    expect(left).to.deep.equal(['alone', 'first', 'second', 'third'])

    // A turn with several answers is likely to be followed by another one.
    answer('fourth')
    expect(left).to.have.length(4)
    await endOfTurn()
    expect(left.at(-1)).to.equal('fourth')
  })
})
