/** The soak's measure of growth: a small leak is visible in noise that is larger than its growth per minute. */
import { expect } from 'chai'
import { seeded } from '../support/seeded.ts'
import { type Growth, growthOf } from './memory.ts'
import { memoryChecks, mostKeptMbIn10Minutes } from './memory-checks.ts'
import { leastOfMinutes, type Sample, slopeOf } from './slope.ts'

const minutes = 15
const fromMinute = 15
const perMinute = 4
const seeds = 500

/**
 * Samples like those of the soak: most are near the kept memory; those taken while a config is replaced are up to 2 MB
 * above.
 */
function noiseOf(random: () => number): number {
  const around = 0.3 * random() - 0.15
  return random() < 1 / 3 ? around + 2 * random() : around
}

const seriesOf = (mbIn10Minutes: number, noise: () => number): Sample[] =>
  Array.from({ length: minutes * perMinute }, (_, index) => {
    const at = fromMinute + index / perMinute
    return { at, megabytes: 47 + (mbIn10Minutes / 10) * at + noise() }
  })

const slopeFrom = (samples: readonly Sample[]) => slopeOf(leastOfMinutes(samples, fromMinute)) ?? Number.NaN

describe('the growth of memory in a soak', () => {
  const leaks: [what: string, mbIn10Minutes: number, isMet: boolean][] = [
    ['no leak', 0, true],
    ['a shrinking heap', -3, true],
    ['a leak of 1 MB in 10 minutes', 1, false],
    ['a leak of 5 MB in 10 minutes', 5, false],
  ]
  for (const [what, leak, isMet] of leaks)
    it(`${isMet ? 'is within' : 'exceeds'} the limit with noise and ${what}`, () => {
      for (let seed = 1; seed <= seeds; seed += 1) {
        const random = seeded(seed * 7919)
        const samples = seriesOf(leak, () => noiseOf(random))
        expect(slopeFrom(samples) <= mostKeptMbIn10Minutes, `seed ${seed}`).to.equal(isMet)
      }
    })

  it('does not follow a few values far off the line', () => {
    const line = seriesOf(0, () => 0)
    const samples = line.map((sample) => (sample.at >= 28 ? { ...sample, megabytes: 80 } : sample))
    expect(slopeFrom(samples)).to.equal(0)
  })

  it('is that of a line without noise', () => {
    expect(slopeOf([1, 2, 3, 4].map((at) => ({ at, megabytes: 3 * at })))).to.equal(30)
  })

  it('is unknown for one value', () => {
    expect(slopeOf([{ at: 1, megabytes: 1 }])).to.equal(null)
  })

  it('leaves out samples from before the end of the warm-up', () => {
    const samples = [0, 14.9, 15, 15.5, 16].map((at) => ({ at, megabytes: at }))
    expect(leastOfMinutes(samples, 15)).to.deep.equal([
      { at: 15, megabytes: 15 },
      { at: 16, megabytes: 16 },
    ])
  })

  it('is that of the replica that grows most, and of no replica that ran too short', () => {
    const series = (perMinute: number, until: number) => {
      const samples = Array.from({ length: until }, (_, at) => ({ at, megabytes: perMinute * at }))
      return { kept: samples, code: samples, resident: samples }
    }
    const growth = (megabytes: number) => ({ kept: megabytes, code: megabytes, resident: megabytes })
    expect(growthOf([series(0.125, 30), series(0.25, 25), series(9, 20)])).to.deep.equal(growth(2.5))
    expect(growthOf([series(0.1, 22)])).to.equal(null)
    expect(growthOf([])).to.equal(null)
  })

  const demands: [growth: Growth | null, minutes: number, figures: string[], met: boolean[]][] = [
    [null, 10, ['too short to tell', 'too short to tell, peak 180 MB'], [true, true]],
    [null, 30, ['not measured', 'not measured, peak 180 MB'], [false, false]],
    [
      { kept: 0.2, code: 1.5, resident: 2 },
      30,
      ['0.20 MB, and compiled code 1.50 MB', '2.00 MB, peak 180 MB'],
      [true, true],
    ],
    [
      { kept: 1, code: 0, resident: 6 },
      30,
      ['1.00 MB, and compiled code 0.00 MB', '6.00 MB, peak 180 MB'],
      [false, false],
    ],
  ]
  for (const [growth, minutes, figures, met] of demands)
    it(`is shown and judged after ${minutes} minutes: ${JSON.stringify(growth)}`, () => {
      const checks = memoryChecks(growth, { peakMb: 180.4, minutes })
      expect(checks.map(({ figure }) => figure)).to.deep.equal(figures)
      expect(checks.map(({ isMet }) => isMet)).to.deep.equal(met)
    })
})
