/** Queued commands: how many are in flight, and what happens to those that wait. */
import { expect } from 'chai'
import { limitInFlight } from '#store-redis/in-flight'
import { stopClock } from '../../support/clock.ts'

interface Running {
  number: number
  resolve(value: number): void
  reject(error: unknown): void
}

describe('queued Redis commands', () => {
  const clock = stopClock()

  function start(most: number, count: number) {
    const inTurn = limitInFlight(most)
    const begun: Running[] = []
    const outcomes: string[] = []
    const ask = (number: number) =>
      inTurn(() => new Promise<number>((resolve, reject) => begun.push({ number, resolve, reject }))).then(
        (value) => void outcomes.push(`${value} done`),
        (error: { code?: string }) => void outcomes.push(`${number} ${error.code ?? 'failed'}`),
      )
    for (let number = 0; number < count; number += 1) void ask(number)
    return { begun, outcomes, ask }
  }
  const numbers = (begun: readonly Running[]) => begun.map(({ number }) => number)

  it('start as others finish, in order', async () => {
    const { begun, outcomes } = start(2, 5)
    expect(numbers(begun)).to.deep.equal([0, 1])
    begun[1]?.resolve(1)
    await clock.tick(0)
    expect(numbers(begun)).to.deep.equal([0, 1, 2])
    for (let index = 0; index < 5; index += 1) {
      begun[index]?.resolve(index)
      await clock.tick(0)
    }
    expect(outcomes).to.deep.equal(['1 done', '0 done', '2 done', '3 done', '4 done'])
  })

  it('continue after a single failure', async () => {
    const { begun, outcomes } = start(1, 2)
    begun[0]?.reject({ code: 'late' })
    await clock.tick(0)
    begun[1]?.resolve(1)
    await clock.tick(0)
    expect(outcomes).to.deep.equal(['0 late', '1 done'])
  })
})
