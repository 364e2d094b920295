/** The statistics of replays, tested as properties: coverage, symmetry, and samples. */
import { runInTurns, type Turns } from '@gateway/contract'
import { expect } from 'chai'
import fc from 'fast-check'
import { type Estimate, estimateMean, estimatePercentile, percentile } from '#replays/statistics/bootstrap'
import { normalShare, t95 } from '#replays/statistics/normal'
import { createRandom, sampleRanks } from '#replays/statistics/random'
import { neededPairs, verdictOf } from '#replays/statistics/verdict'
import { assertProperty } from '../../support/assert-property.ts'

const signal = new AbortController().signal
const seeds = fc.integer({ min: 0, max: 2 ** 31 - 1 })
const pairsOf = fc.array(
  fc.tuple(fc.integer({ min: -1000, max: 1000 }), fc.integer({ min: -1000, max: 1000 })),
  {
    minLength: 1,
    maxLength: 60,
  },
)

async function known(turns: Turns<Estimate | null>): Promise<Estimate> {
  const estimate = await runInTurns(turns, { signal })
  if (estimate === null) throw new Error('There is no estimate.')
  return estimate
}

describe('the intervals of a replay', () => {
  it('contain the true mean in about 95 of 100 cases, for few pairs and many, symmetric and skewed', async () => {
    const kinds: Record<string, (random: () => number) => number> = {
      uniform: (random) => random() - 0.5,
      // Exponential with the mean 1, so the true mean of the difference is 0.
      skewed: (random) => -Math.log(1 - random()) - 1,
      // A rate of 30 %, minus 0.3, so the mean is 0.
      rate: (random) => (random() < 0.3 ? 0.7 : -0.3),
    }
    for (const [name, draw] of Object.entries(kinds)) {
      for (const n of [20, 100]) {
        const random = createRandom(n)
        let covered = 0
        const rounds = 300
        for (let round = 0; round < rounds; round += 1) {
          const values = Array.from({ length: n }, () => draw(random))
          const { low, high } = await known(estimateMean(values, round))
          if (low <= 0 && high >= 0) covered += 1
        }
        const share = covered / rounds
        expect(share, `${name}, ${n} pairs`).to.be.within(0.9, 0.99)
      }
    }
  })

  it('change only their sign when baseline and candidate are swapped', async () => {
    await assertProperty(
      fc.asyncProperty(pairsOf, seeds, fc.constantFrom(0.5, 0.95), async (pairs, seed, share) => {
        const swapped = pairs.map(([one, other]): [number, number] => [other, one])
        for (const [one, other] of [
          [
            estimateMean(
              pairs.map(([a, b]) => b - a),
              seed,
            ),
            estimateMean(
              swapped.map(([a, b]) => b - a),
              seed,
            ),
          ],
          [estimatePercentile(pairs, share, seed), estimatePercentile(swapped, share, seed)],
        ] as const) {
          const [there, back] = [await known(one), await known(other)]
          expect(back.mean).to.be.closeTo(-there.mean, 1e-9)
          expect(back.low).to.be.closeTo(-there.high, 1e-9)
          expect(back.high).to.be.closeTo(-there.low, 1e-9)
          const opposite = { better: 'worse', worse: 'better', null: null } as const
          expect(verdictOf(back, 'lower')).to.equal(opposite[`${verdictOf(there, 'lower')}`])
        }
      }),
      { numRuns: 30 },
    )
  })

  it('contain the mean, and are the same for the same seed', async () => {
    await assertProperty(
      fc.asyncProperty(pairsOf, seeds, async (pairs, seed) => {
        const values = pairs.map(([one, other]) => other - one)
        const one = await known(estimateMean(values, seed))
        expect(one.low).to.be.at.most(one.mean + 1e-9)
        expect(one.high).to.be.at.least(one.mean - 1e-9)
        expect(await known(estimateMean(values, seed))).to.deep.equal(one)
      }),
      { numRuns: 30 },
    )
  })

  it('give no verdict when they include zero, or for fewer than six pairs', async () => {
    expect(verdictOf({ mean: 1, low: -1, high: 3, deviation: 1, n: 100 }, 'lower')).to.equal(null)
    expect(verdictOf({ mean: 1, low: 1, high: 1, deviation: 0, n: 5 }, 'lower')).to.equal(null)
    expect(verdictOf({ mean: 1, low: 1, high: 1, deviation: 0, n: 6 }, 'lower')).to.equal('worse')
    expect(verdictOf({ mean: 1, low: 0.5, high: 2, deviation: 1, n: 50 }, 'higher')).to.equal('better')
    expect(verdictOf({ mean: 1, low: 0.5, high: 2, deviation: 1, n: 50 }, null)).to.equal(null)
  })

  it('state how many pairs show a difference: four times as many for half of it', () => {
    const needed = (mean: number) => neededPairs({ mean, low: 0, high: 0, deviation: 1, n: 10 }, true)
    expect(needed(0.1)).to.equal(785)
    expect(needed(0.05)).to.equal(3140)
    expect(needed(0)).to.equal(null)
    expect(neededPairs({ mean: 0.5, low: 0, high: 1, deviation: 0.5, n: 10 }, false)).to.equal(385)
  })

  it('use the quantiles of the normal and the t distribution', () => {
    expect(normalShare(-1.959964)).to.be.closeTo(0.025, 1e-5)
    expect(normalShare(0.841621)).to.be.closeTo(0.8, 1e-5)
    // Values from a table of Student's distribution.
    for (const [degrees, value] of [
      [5, 2.5706],
      [10, 2.2281],
      [30, 2.0423],
    ] as const)
      expect(t95(degrees)).to.be.closeTo(value, 0.003)
  })
})

describe('the sample of a replay', () => {
  it('has distinct entries below the total, the same for the same seed, and all of a small log', () => {
    assertProperty(
      fc.property(
        fc.integer({ min: 0, max: 3000 }),
        fc.integer({ min: 1, max: 500 }),
        seeds,
        (total, count, seed) => {
          const ranks = sampleRanks(total, count, seed)
          expect(ranks).to.have.length(Math.min(total, count))
          expect(new Set(ranks).size).to.equal(ranks.length)
          for (const rank of ranks) expect(rank).to.be.within(0, total - 1)
          expect(sampleRanks(total, count, seed)).to.deep.equal(ranks)
        },
      ),
    )
  })

  it('takes each entry equally often', () => {
    const hits = new Array<number>(10).fill(0)
    for (let seed = 0; seed < 4000; seed += 1)
      for (const rank of sampleRanks(10, 3, seed)) hits[rank] = (hits[rank] ?? 0) + 1
    for (const count of hits) expect(count).to.be.within(1100, 1300)
  })
})

describe('a percentile', () => {
  it('is the smallest value with that share of values at or below it', () => {
    const values = Array.from({ length: 100 }, (_, index) => index + 1)
    expect([0.5, 0.95, 0.99].map((share) => percentile(values, share))).to.deep.equal([50, 95, 99])
    expect(percentile([], 0.5)).to.equal(null)
  })
})
