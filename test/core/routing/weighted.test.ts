/** Weighted random choice, for any weights and any random number. */
import { expect } from 'chai'
import { type Arbitrary, array, assert, double, property } from 'fast-check'
import { pickWeighted } from '#routing/weighted'

const random: Arbitrary<number> = double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
const weight: Arbitrary<number> = double({ min: 0, max: 1000, noNaN: true })
const items: Arbitrary<{ weight: number }[]> = array(
  weight.map((value) => ({ weight: value })),
  { minLength: 1, maxLength: 8 },
)

const sumOf = (list: readonly { weight: number }[]) => list.reduce((sum, item) => sum + item.weight, 0)

function placeOf(list: readonly { weight: number }[], number: number): number {
  const picked = pickWeighted(list, number)
  return picked === undefined ? -1 : list.indexOf(picked)
}

describe('weighted random choice', () => {
  it('never chooses an item of weight 0, and always chooses one when another has a weight', () => {
    assert(
      property(items, random, (list, number) => {
        const picked = pickWeighted(list, number)
        if (list.every((item) => item.weight === 0)) expect(picked).to.equal(undefined)
        else expect(picked?.weight).to.be.greaterThan(0)
      }),
    )
  })

  it('chooses each item for its share of the numbers from 0 to 1', () => {
    const whole = array(
      double({ min: 0, max: 9, noNaN: true }).map((value) => ({ weight: Math.floor(value) })),
      { minLength: 1, maxLength: 6 },
    ).filter((list) => sumOf(list) > 0)
    assert(
      property(whole, (list) => {
        const sum = sumOf(list)
        // One number in the middle of each unit of the sum: every item is chosen in proportion to its weight.
        const picks = Array.from({ length: sum }, (_, unit) => pickWeighted(list, (unit + 0.5) / sum))
        for (const item of list) expect(picks.filter((pick) => pick === item)).to.have.length(item.weight)
      }),
    )
  })

  it('is unchanged when all weights are scaled', () => {
    const scale = double({ min: 0.001, max: 1000, noNaN: true })
    const whole = array(
      double({ min: 0, max: 9, noNaN: true }).map((value) => ({ weight: Math.floor(value) })),
      { minLength: 1, maxLength: 6 },
    ).filter((list) => sumOf(list) > 0)
    assert(
      property(whole, scale, (list, factor) => {
        const sum = sumOf(list)
        const scaled = list.map((item) => ({ weight: item.weight * factor }))
        for (let unit = 0; unit < sum; unit += 1) {
          const number = (unit + 0.5) / sum
          expect(placeOf(scaled, number)).to.equal(placeOf(list, number))
        }
      }),
    )
  })

  it('keeps the shares when the sum exceeds the largest number', () => {
    const huge = [1e308, 0, 1e308, 1e308].map((weight) => ({ weight }))
    const places = [0.1, 0.5, 0.9].map((number) => placeOf(huge, number))
    expect(places).to.deep.equal([0, 2, 3])
  })
})
