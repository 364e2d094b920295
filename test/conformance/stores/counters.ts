/**
 * The suite for counters of every engine. `open` returns those of two processes that share them, or one for an engine
 * of one process; all by the caller's clock.
 */
import type { Counters, CounterWindow, Reservation } from '@gateway/contract'
import { expect } from 'chai'
import { describeCounterModel } from './counter-model.ts'
import { listWindows } from './list-windows.ts'

export const minute: CounterWindow = { lengthMs: 60_000, offsetMs: 0 }
const week: CounterWindow = { lengthMs: 604_800_000, offsetMs: 345_600_000 }
export const leaseMs = 600_000

const dayMs = 86_400_000
/**
 * A boundary of all windows up to a day, more than a day ahead: no clock of the run reaches it at any time of day,
 * neither a server's nor one that a test advances.
 */
export const borderMs = (Math.floor(Date.now() / dayMs) + 2) * dayMs

/** One request of a limit. */
export function request(key: string, limit: number, window: CounterWindow | null = minute): Reservation {
  return { key, window, limit, need: 1, admits: 'fits', takes: 'use' }
}

/** Tokens or cost that are settled later. */
export function hold(
  key: string,
  limit: number,
  { need, given = {} }: { need: number; given?: Partial<Reservation> },
): Reservation {
  return { key, window: minute, limit, need, admits: 'fits', takes: 'hold', ...given }
}

const budget = { window: null, admits: 'open' } as const

/** The whole suite. */
export function describeCounters(name: string, open: () => Promise<Counters[]>, modelRuns = 100): void {
  describe(`counters ${name}`, () => {
    let one: Counters
    let other: Counters
    /** Keys are unique to a test, because the engine may outlive it. */
    let key: string
    let tests = 0
    const run = `${process.pid}-${Math.random().toString(36).slice(2)}`
    beforeEach(async () => {
      const opened = await open()
      const [first, second = first] = opened
      if (first === undefined || second === undefined) throw new Error('The engine opened nothing.')
      one = first
      other = second
      tests += 1
      key = `${run}/${tests}/é`
    })
    const read = async (window: CounterWindow | null, nowMs: number, of = key) =>
      (await other.read([{ key: of, window }], nowMs))[0]
    const settle = (
      id: string,
      amount: number,
      { nowMs, window = minute }: { nowMs: number; window?: CounterWindow | null },
    ) => one.settle(id, [{ key, window, amount }], nowMs)

    describe('admit', () => {
      it('exactly the limit of requests', async () => {
        const results = await Promise.all(
          Array.from({ length: 30 }, (_, index) =>
            (index % 2 ? one : other).reserve(`a${index}`, [request(key, 10)], { leaseMs, nowMs: borderMs }),
          ),
        )
        expect(results.filter(({ isAdmitted }) => isAdmitted)).to.have.length(10)
        expect(await read(minute, borderMs)).to.deep.equal({ used: 10, reserved: 0 })
      })

      it('for all limits or for none, and report the limit that refused', async () => {
        await one.reserve('a', [request(`${key}/tight`, 1)], { leaseMs, nowMs: borderMs })
        const both = [
          request(`${key}/wide`, 5),
          request(`${key}/tight`, 1),
          hold(`${key}/tokens`, 100, { need: 7 }),
        ]
        const refused = await other.reserve('b', both, { leaseMs, nowMs: borderMs })
        expect(refused).to.deep.equal({
          isAdmitted: false,
          readings: [
            { used: 0, reserved: 0, isAdmitted: true },
            { used: 1, reserved: 0, isAdmitted: false },
            { used: 0, reserved: 0, isAdmitted: true },
          ],
        })
        expect(await read(minute, borderMs, `${key}/wide`)).to.deep.equal({ used: 0, reserved: 0 })
      })

      it('with the readings afterwards', async () => {
        const wanted = [request(key, 5), hold(`${key}/tokens`, 100, { need: 7 })]
        expect(await one.reserve('a', wanted, { leaseMs, nowMs: borderMs })).to.deep.equal({
          isAdmitted: true,
          readings: [
            { used: 1, reserved: 0, isAdmitted: true },
            { used: 0, reserved: 7, isAdmitted: true },
          ],
        })
      })

      const cases: [string, number, Reservation, boolean][] = [
        ['what fits exactly', 60, hold('', 100, { need: 40 }), true],
        ['but not one above the limit', 60, hold('', 100, { need: 41 }), false],
        ['not the whole limit when something is used', 1, hold('', 100, { need: 5000 }), false],
        ['more than the whole limit when nothing is', 0, hold('', 100, { need: 5000 }), true],
        [
          'anything while something is left, when open',
          99,
          hold('', 100, { need: 5000, given: { admits: 'open' } }),
          true,
        ],
        [
          'nothing once nothing is left, when open',
          100,
          hold('', 100, { need: 0, given: { admits: 'open' } }),
          false,
        ],
        ['nothing at a limit of 0, when open', 0, hold('', 0, { need: 1, given: { admits: 'open' } }), false],
        ['tenths that fill it exactly', 0.7, hold('', 1, { need: 0.3 }), true],
        ['not a billionth too much', 0.7, hold('', 1, { need: 0.300000001 }), false],
      ]
      for (const [what, used, wanted, isAdmitted] of cases) {
        it(what, async () => {
          if (used > 0)
            await one.reserve('before', [hold(key, used, { need: used })], { leaseMs, nowMs: borderMs })
          const result = await other.reserve('a', [{ ...wanted, key }], { leaseMs, nowMs: borderMs })
          expect(result.isAdmitted).to.equal(isAdmitted)
        })
      }
    })

    describe('count usage that began earlier', () => {
      const late = (ageMs: number) => ({ ...request(key, 1), need: 10, limit: 1e6, ageMs })
      const cases: [string, number, number][] = [
        ['in this bucket, when it began in it', 20_000, 10],
        ['in the last bucket, in proportion to its part in the window', 30_001, 5],
        ['not at all, when the window has passed', 90_001, 0],
      ]
      for (const [what, ageMs, used] of cases) {
        it(what, async () => {
          const nowMs = borderMs + 30_000
          const { readings } = await one.reserve('a', [late(ageMs)], { leaseMs, nowMs })
          expect(readings[0]?.used).to.equal(used)
          expect(await read(minute, nowMs)).to.deep.equal({ used, reserved: 0 })
        })
      }
      it('in the budget', async () => {
        await one.reserve('a', [{ ...late(900_000), window: null }], { leaseMs, nowMs: borderMs })
        expect(await read(null, borderMs)).to.deep.equal({ used: 10, reserved: 0 })
      })
    })

    describe('settle', () => {
      it('the usage instead of the reservation', async () => {
        await one.reserve('a', [hold(key, 100, { need: 40 })], { leaseMs, nowMs: borderMs })
        expect(await other.read([{ key, window: minute }], borderMs)).to.deep.equal([
          { used: 0, reserved: 40 },
        ])
        expect(await settle('a', 12, { nowMs: borderMs })).to.deep.equal([{ used: 12, reserved: 0 }])
      })

      it('once, even if it is called several times', async () => {
        await one.reserve('a', [hold(key, 100, { need: 40 })], { leaseMs, nowMs: borderMs })
        await Promise.all([settle('a', 12, { nowMs: borderMs }), settle('a', 12, { nowMs: borderMs })])
        expect(await settle('a', 30, { nowMs: borderMs })).to.deep.equal([{ used: 12, reserved: 0 }])
      })

      it('nothing for an attempt without a reservation', async () => {
        expect(await settle('nobody', 12, { nowMs: borderMs })).to.deep.equal([{ used: 0, reserved: 0 }])
      })

      it('by releasing reservations that are not named', async () => {
        await one.reserve('a', [hold(key, 100, { need: 40 }), hold(`${key}/2`, 100, { need: 30 })], {
          leaseMs,
          nowMs: borderMs,
        })
        await one.reserve('b', [hold(`${key}/2`, 100, { need: 5 })], { leaseMs, nowMs: borderMs })
        await settle('a', 1, { nowMs: borderMs })
        expect(await read(minute, borderMs, `${key}/2`)).to.deep.equal({ used: 0, reserved: 5 })
        await one.settle('b', [], borderMs)
        expect(await read(minute, borderMs, `${key}/2`)).to.deep.equal({ used: 0, reserved: 0 })
      })

      it('two attempts in one call', async () => {
        await one.reserve('a', [hold(key, 100, { need: 40 })], { leaseMs, nowMs: borderMs })
        await other.reserve('b', [hold(key, 100, { need: 30 })], { leaseMs, nowMs: borderMs })
        expect(await settle('a', 2, { nowMs: borderMs })).to.deep.equal([{ used: 2, reserved: 30 }])
      })

      it('everything that an attempt reserved from a limit in two steps', async () => {
        await one.reserve('a', [hold(key, 100, { need: 40 })], { leaseMs, nowMs: borderMs })
        await other.reserve('a', [hold(key, 100, { need: 30 })], { leaseMs, nowMs: borderMs })
        expect(await read(minute, borderMs)).to.deep.equal({ used: 0, reserved: 70 })
        expect(await settle('a', 9, { nowMs: borderMs })).to.deep.equal([{ used: 9, reserved: 0 }])
      })

      it('in the bucket of the admission, even when the next has begun', async () => {
        await one.reserve('a', [hold(key, 100, { need: 40 })], { leaseMs, nowMs: borderMs + 59_000 })
        // Half of the last bucket still counts.
        expect(await settle('a', 20, { nowMs: borderMs + 90_000 })).to.deep.equal([{ used: 10, reserved: 0 }])
      })

      it('nothing in a bucket that has passed', async () => {
        await one.reserve('a', [hold(key, 100, { need: 40 })], { leaseMs, nowMs: borderMs })
        expect(await settle('a', 20, { nowMs: borderMs + 120_000 })).to.deep.equal([{ used: 0, reserved: 0 }])
      })

      it('fractions without rounding errors', async () => {
        for (let index = 0; index < 30; index += 1) {
          await one.reserve(`a${index}`, [hold(key, 100, { need: 0.3, given: budget })], {
            leaseMs,
            nowMs: borderMs,
          })
          await settle(`a${index}`, 0.1, { nowMs: borderMs, window: null })
        }
        expect(await read(null, borderMs)).to.deep.equal({ used: 3, reserved: 0 })
      })

      it('billions exactly', async () => {
        await one.seed([{ key, used: 9_000_000_000_000 }])
        await one.reserve('a', [hold(key, 1e15, { need: 3, given: budget })], { leaseMs, nowMs: borderMs })
        await settle('a', 1, { nowMs: borderMs, window: null })
        expect(await read(null, borderMs)).to.deep.equal({ used: 9_000_000_000_001, reserved: 0 })
      })
    })

    describe('release', () => {
      it('a reservation that was not settled, at the end of its lease', async () => {
        await one.reserve('dead', [hold(key, 100, { need: 100, given: budget })], {
          leaseMs: 1000,
          nowMs: borderMs,
        })
        expect(await read(null, borderMs + 999)).to.deep.equal({ used: 0, reserved: 100 })
        expect(await read(null, borderMs + 1000)).to.deep.equal({ used: 0, reserved: 0 })
      })

      it('only leases that have ended', async () => {
        await one.reserve('dead', [hold(key, 100, { need: 30 })], { leaseMs: 1000, nowMs: borderMs })
        await one.reserve('alive', [hold(key, 100, { need: 7 })], { leaseMs: 5000, nowMs: borderMs })
        expect(await read(minute, borderMs + 2000)).to.deep.equal({ used: 0, reserved: 7 })
      })

      it('a reservation that is not settled after its lease', async () => {
        await one.reserve('late', [hold(key, 100, { need: 30, given: budget })], {
          leaseMs: 1000,
          nowMs: borderMs,
        })
        expect(await settle('late', 20, { nowMs: borderMs + 1000, window: null })).to.deep.equal([
          { used: 0, reserved: 0 },
        ])
      })
    })

    describe('slide the window', () => {
      const slides: [string, CounterWindow, number, number][] = [
        ['at the border the whole of the last minute', minute, 60_000, 9],
        ['rounded up', minute, 60_001, 9],
        ['a third later two thirds of it', minute, 80_000, 6],
        ['a moment before its end one', minute, 119_999, 1],
        ['after two minutes nothing', minute, 120_000, 0],
      ]
      for (const [what, window, afterMs, used] of slides) {
        it(what, async () => {
          await one.reserve('a', [hold(key, 100, { need: 9, given: { takes: 'use', window } })], {
            leaseMs,
            nowMs: borderMs + 1000,
          })
          expect(await read(window, borderMs + afterMs)).to.deep.equal({ used, reserved: 0 })
        })
      }

      it('so that no boundary allows twice the limit', async () => {
        const ask = (nowMs: number) =>
          one.reserve('a', [hold(key, 10, { need: 10, given: { takes: 'use' } })], { leaseMs, nowMs })
        expect((await ask(borderMs + 59_999)).isAdmitted).to.equal(true)
        expect((await ask(borderMs + 60_000)).isAdmitted).to.equal(false)
      })

      it('with weeks from Monday', async () => {
        const thisMonday = Date.UTC(2029, 0, 1)
        await one.reserve('a', [hold(key, 100, { need: 7, given: { takes: 'use', window: week } })], {
          leaseMs,
          nowMs: thisMonday - 1,
        })
        expect(await read(week, thisMonday)).to.deep.equal({ used: 7, reserved: 0 })
        expect(await read(week, thisMonday + week.lengthMs - 1)).to.deep.equal({ used: 1, reserved: 0 })
        expect(await read(week, thisMonday + week.lengthMs)).to.deep.equal({ used: 0, reserved: 0 })
      })

      it('not backwards when a clock goes back slightly', async () => {
        await one.reserve('a', [request(key, 10)], { leaseMs, nowMs: borderMs })
        expect(
          (await one.reserve('b', [request(key, 10)], { leaseMs, nowMs: borderMs - 10 })).readings,
        ).to.deep.equal([{ used: 2, reserved: 0, isAdmitted: true }])
      })

      it('again with another window length', async () => {
        await one.reserve('a', [request(key, 10)], { leaseMs, nowMs: borderMs })
        expect(await read({ lengthMs: 3_600_000, offsetMs: 0 }, borderMs)).to.deep.equal({
          used: 0,
          reserved: 0,
        })
      })
    })

    describe('keep budgets', () => {
      it('forever, until they are reset', async () => {
        await one.reserve('a', [hold(key, 100, { need: 30, given: budget })], { leaseMs, nowMs: borderMs })
        await settle('a', 20, { nowMs: borderMs, window: null })
        expect(await read(null, borderMs + 400 * dayMs)).to.deep.equal({ used: 20, reserved: 0 })
        await other.reset([key])
        expect(await one.read([{ key, window: null }], borderMs)).to.deep.equal([{ used: 0, reserved: 0 }])
      })

      it('with their reservations across a reset', async () => {
        await one.reserve('a', [hold(key, 100, { need: 30, given: budget })], { leaseMs, nowMs: borderMs })
        await other.reset([key])
        expect(await read(null, borderMs)).to.deep.equal({ used: 0, reserved: 30 })
        expect(await settle('a', 20, { nowMs: borderMs, window: null })).to.deep.equal([
          { used: 20, reserved: 0 },
        ])
      })

      it('and reset windows too, and unknown counters', async () => {
        await one.reserve('a', [request(key, 10)], { leaseMs, nowMs: borderMs })
        await one.reset([key, `${key}/unknown`])
        expect(await read(minute, borderMs)).to.deep.equal({ used: 0, reserved: 0 })
      })

      it('seeded with the larger of two values, never the sum', async () => {
        await one.seed([{ key, used: 5.5 }])
        await other.seed([{ key, used: 3 }])
        expect(await read(null, borderMs)).to.deep.equal({ used: 5.5, reserved: 0 })
        await other.seed([{ key, used: 7 }])
        expect(await read(null, borderMs)).to.deep.equal({ used: 7, reserved: 0 })
      })

      it('listed by prefix, in order, page by page', async () => {
        const keys = ['b/2', 'a/1', 'b/1', 'b/é', 'c', 'b/3'].map((name) => `${key}/${name}`)
        await one.seed(keys.map((each, index) => ({ key: each, used: index })))
        await one.reserve('a', [request(`${key}/b/window`, 5)], { leaseMs, nowMs: borderMs })
        const first = await other.list(`${key}/b/`, null, 2)
        expect(first).to.deep.equal([
          { key: `${key}/b/1`, used: 2 },
          { key: `${key}/b/2`, used: 0 },
        ])
        expect(await other.list(`${key}/b/`, first[1]?.key ?? null, 10)).to.deep.equal([
          { key: `${key}/b/3`, used: 5 },
          { key: `${key}/b/é`, used: 3 },
        ])
        expect(await other.list(`${key}/none/`, null, 10)).to.deep.equal([])
      })
    })

    describe('keep windows', () => {
      const hour: CounterWindow = { lengthMs: 3_600_000, offsetMs: 0 }
      type Buckets = [number: number, current: number, previous: number]
      const use = ([number, current, previous]: Buckets, window = minute) => {
        const bucket = Math.floor((borderMs - window.offsetMs) / window.lengthMs) + number
        return { lengthMs: window.lengthMs, bucket, current, previous }
      }
      const seed = (by: Counters, buckets: Buckets) => by.seedWindows([{ key, use: use(buckets) }])
      const listed = (nowMs: number) => listWindows(other, { prefix: key, nowMs })

      it('listed with their usage, and without budgets', async () => {
        const weekly = { ...request(`${key}/b`, 99, week), need: 2.5 }
        await one.reserve('a', [request(`${key}/a`, 9, hour), weekly, request(`${key}/é`, 9)], {
          leaseMs,
          nowMs: borderMs,
        })
        await one.reserve('b', [request(`${key}/é`, 9)], { leaseMs, nowMs: borderMs + 60_000 })
        await one.seed([{ key: `${key}/budget`, used: 7 }])
        expect(await listed(borderMs + 60_000)).to.deep.equal([
          { key: `${key}/a`, use: use([0, 1, 0], hour) },
          { key: `${key}/b`, use: use([0, 2.5, 0], week) },
          { key: `${key}/é`, use: use([1, 1, 1]) },
        ])
      })

      it('listed completely over all pages', async () => {
        const windows = Array.from({ length: 40 }, (_, index) => ({
          key: `${key}/${index}`,
          use: use([0, 1, 0]),
        }))
        await one.seedWindows(windows)
        const found = await listWindows(other, { prefix: key, nowMs: borderMs, pageSize: 7 })
        expect(found.map((each) => each.key)).to.have.members(windows.map((each) => each.key))
      })

      const ends: [string, number, boolean][] = [
        ['in its minute', 59_999, true],
        ['in the minute after it', 119_999, true],
        ['two minutes later, when nothing of it counts', 120_000, false],
      ]
      for (const [when, afterMs, isListed] of ends) {
        it(`${isListed ? 'listed' : 'left out'} ${when}`, async () => {
          await one.reserve('a', [request(key, 9)], { leaseMs, nowMs: borderMs })
          expect(await listed(borderMs + afterMs)).to.have.length(isListed ? 1 : 0)
        })
      }

      it('left out when they were reset, or have only reservations', async () => {
        await one.reserve('a', [request(`${key}/reset`, 9), hold(`${key}/held`, 9, { need: 4 })], {
          leaseMs,
          nowMs: borderMs,
        })
        await one.reset([`${key}/reset`])
        expect(await listed(borderMs)).to.deep.equal([])
      })

      it('seeded when they have no usage, up to the remaining limit', async () => {
        await seed(one, [0, 7, 0])
        const results = []
        for (let index = 0; index < 5; index += 1)
          results.push(await other.reserve(`a${index}`, [request(key, 10)], { leaseMs, nowMs: borderMs }))
        expect(results.map(({ isAdmitted }) => isAdmitted)).to.deep.equal([true, true, true, false, false])
      })

      const seeds: [string, Buckets, ReturnType<typeof use>][] = [
        ['more of the same bucket', [1, 8, 6], use([1, 8, 6])],
        ['less of the same bucket', [1, 2, 3], use([1, 5, 4])],
        ['more of one bucket and less of the other', [1, 2, 9], use([1, 5, 9])],
        ['the bucket before', [0, 9, 99], use([1, 5, 9])],
        ['the bucket after', [2, 1, 2], use([2, 1, 5])],
        ['a bucket that has gone', [-1, 99, 99], use([1, 5, 4])],
        ['one that is all new', [3, 1, 2], use([3, 1, 2])],
      ]
      for (const [what, given, expected] of seeds) {
        it(`seeded with the larger of two values, never the sum: ${what}`, async () => {
          await seed(one, [1, 5, 4])
          await seed(other, given)
          await seed(other, given)
          expect((await listed(borderMs + 60_000)).map((each) => each.use)).to.deep.equal([expected])
        })
      }

      it('seeded in addition to reservations', async () => {
        await one.reserve('a', [hold(key, 100, { need: 40 })], { leaseMs, nowMs: borderMs })
        await seed(other, [0, 12, 0])
        expect(await read(minute, borderMs)).to.deep.equal({ used: 12, reserved: 40 })
        expect(await settle('a', 30, { nowMs: borderMs })).to.deep.equal([{ used: 42, reserved: 0 }])
      })

      it('as seeded by another engine, with fractions and billions', async () => {
        await one.seedWindows([
          { key: `${key}/a`, use: use([0, 0.3, 0.7]) },
          { key: `${key}/b`, use: use([0, 9_000_000_000_001, 0]) },
        ])
        expect((await listed(borderMs)).map((each) => each.use)).to.deep.equal([
          use([0, 0.3, 0.7]),
          use([0, 9_000_000_000_001, 0]),
        ])
      })
    })

    it('accept any text as a key, in concurrent requests', async () => {
      // SQL cannot store NUL, and no engine stores an unpaired surrogate: the key must only count.
      const keys = ['"\\\n', 'é\u2028名前😀', 'half \ud800', 'nul \u0000', '%s*?[a]', '1e9'].map(
        (odd) => `${key}/${odd}`,
      )
      const ask = (each: string) =>
        one.reserve(`of ${each}`, [request(each, 1), hold(`${each}/t`, 9, { need: 2 })], {
          leaseMs,
          nowMs: borderMs,
        })
      const admitted = async () => (await Promise.all(keys.map(ask))).map(({ isAdmitted }) => isAdmitted)
      expect(await admitted()).to.deep.equal(keys.map(() => true))
      for (const each of keys)
        await one.settle(`of ${each}`, [{ key: `${each}/t`, window: minute, amount: 1 }], borderMs)
      expect(await admitted()).to.deep.equal(keys.map(() => false))
      for (const each of keys) {
        expect(await read(minute, borderMs, each), each).to.deep.equal({ used: 1, reserved: 0 })
        expect(await read(minute, borderMs, `${each}/t`), each).to.deep.equal({ used: 1, reserved: 0 })
      }
    })

    it('refuse invalid amounts', async () => {
      for (const amount of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
        const refused = async () =>
          one.reserve('a', [hold(key, 10, { need: amount })], { leaseMs, nowMs: borderMs })
        const fault = await refused().then(
          () => undefined,
          (error: unknown) => error,
        )
        expect(fault, String(amount)).to.be.instanceOf(Error)
      }
      expect(await read(minute, borderMs)).to.deep.equal({ used: 0, reserved: 0 })
    })

    describeCounterModel(async () => (await open())[0], modelRuns)
  })
}
