/** The reset times of usage limits: Mondays, firsts of months, every N days, and a configured day. */

import { keptPeriod, rolledOver, type UsageLimit, usagePeriod } from '@gateway/domain'
import { expect } from 'chai'
import fastCheck from 'fast-check'

const limit = (parts: Partial<UsageLimit> = {}): UsageLimit => ({
  type: 'cost',
  credit_limit: 1,
  alert_threshold: null,
  periodic_reset: null,
  periodic_reset_days: null,
  next_usage_reset_at: null,
  last_reset_at: null,
  ...parts,
})

const at = (text: string) => Date.parse(text)
const day = (time: number | null) => (time === null ? null : new Date(time).toISOString())

describe('a usage period', () => {
  // Saturday is 21 November 2026.
  const cases: [
    what: string,
    parts: Partial<UsageLimit>,
    now: string,
    began: string | null,
    resets: string | null,
  ][] = [
    ['without a period never ends', {}, '2026-11-21T10:00Z', null, null],
    [
      'of a week begins on Monday',
      { periodic_reset: 'weekly' },
      '2026-11-21T10:00Z',
      '2026-11-16',
      '2026-11-23',
    ],
    [
      'of a week ends on Sunday',
      { periodic_reset: 'weekly' },
      '2026-11-22T23:59:59.999Z',
      '2026-11-16',
      '2026-11-23',
    ],
    [
      'of a week is a new one on Monday',
      { periodic_reset: 'weekly' },
      '2026-11-23T00:00Z',
      '2026-11-23',
      '2026-11-30',
    ],
    [
      'of a month begins on the first',
      { periodic_reset: 'monthly' },
      '2026-12-31T23:00Z',
      '2026-12-01',
      '2027-01-01',
    ],
    ['of a short month', { periodic_reset: 'monthly' }, '2028-02-29T23:00Z', '2028-02-01', '2028-03-01'],
    [
      'of days counts from the first reset',
      { periodic_reset_days: 10, next_usage_reset_at: '2026-11-05T00:00:00.000Z' },
      '2026-11-21T10:00Z',
      '2026-11-15',
      '2026-11-25',
    ],
    [
      'lasts until the first reset',
      { periodic_reset_days: 10, next_usage_reset_at: '2026-11-25T00:00:00.000Z' },
      '2026-11-21T10:00Z',
      null,
      '2026-11-25',
    ],
    [
      'lasts as long as configured, across Mondays',
      { periodic_reset: 'weekly', next_usage_reset_at: '2026-12-10T00:00:00.000Z' },
      '2026-12-08T10:00Z',
      null,
      '2026-12-10',
    ],
    [
      'follows the calendar after a configured reset',
      { periodic_reset: 'weekly', next_usage_reset_at: '2026-12-10T00:00:00.000Z' },
      '2026-12-11T10:00Z',
      '2026-12-10',
      '2026-12-14',
    ],
    [
      'starts again once without a repetition',
      { next_usage_reset_at: '2026-11-20T00:00:00.000Z' },
      '2027-03-01T10:00Z',
      '2026-11-20',
      null,
    ],
  ]
  for (const [what, parts, now, began, resets] of cases) {
    it(what, () => {
      const { startedAt, resetsAt } = usagePeriod(limit(parts), at(now))
      const whole = (date: string | null) => (date === null ? null : `${date}T00:00:00.000Z`)
      expect([day(startedAt), day(resetsAt)]).to.deep.equal([whole(began), whole(resets)])
    })
  }

  const someLimit = fastCheck
    .record({
      period: fastCheck.constantFrom('weekly', 'monthly', 'days', 'none'),
      days: fastCheck.integer({ min: 1, max: 365 }),
      next: fastCheck.option(fastCheck.integer({ min: 0, max: 800 })),
    })
    .map(({ period, days, next }) =>
      limit({
        periodic_reset: period === 'weekly' || period === 'monthly' ? period : null,
        periodic_reset_days: period === 'days' ? days : null,
        next_usage_reset_at:
          next === null ? null : new Date(at('2026-01-01T00:00Z') + next * 86_400_000).toISOString(),
      }),
    )
  const someTime = fastCheck.integer({ min: at('2026-01-01T00:00Z'), max: at('2028-06-01T00:00Z') })

  it('contains the given time, and ends at 00:00', () => {
    fastCheck.assert(
      fastCheck.property(someLimit, someTime, (given, now) => {
        const { startedAt, resetsAt } = usagePeriod(given, now)
        expect(startedAt ?? now).to.be.at.most(now)
        expect(resetsAt ?? Infinity).to.be.above(now)
        for (const time of [startedAt, resetsAt]) expect((time ?? 0) % 86_400_000).to.equal(0)
      }),
    )
  })

  it('has the same key from its beginning to its end, and another key afterwards', () => {
    fastCheck.assert(
      fastCheck.property(someLimit, someTime, (given, now) => {
        const { key, startedAt, resetsAt } = usagePeriod(given, now)
        if (startedAt !== null) expect(usagePeriod(given, startedAt).key).to.equal(key)
        if (resetsAt === null) return
        expect(usagePeriod(given, resetsAt - 1).key).to.equal(key)
        expect(usagePeriod(given, resetsAt).key).to.not.equal(key)
      }),
    )
  })

  it('keeps its key whenever the reset is recorded', () => {
    fastCheck.assert(
      fastCheck.property(someLimit, someTime, someTime, someTime, (given, first, second, third) => {
        const [noted = 0, again = 0, now = 0] = [first, second, third].sort((one, other) => one - other)
        const stored = rolledOver(rolledOver(given, noted), again)
        expect(usagePeriod(stored, now).key).to.equal(usagePeriod(given, now).key)
        expect(usagePeriod(stored, now).resetsAt).to.equal(usagePeriod(given, now).resetsAt)
      }),
    )
  })

  it('lasts until its reset when the limit is changed to another period', () => {
    const now = at('2026-11-21T10:00Z')
    const before = limit({ periodic_reset: 'weekly' })
    const after = limit({
      periodic_reset: 'monthly',
      next_usage_reset_at: '2026-12-01T00:00:00.000Z',
      period_started_at: keptPeriod(before, now),
    })
    expect(usagePeriod(after, now).key).to.equal(usagePeriod(before, now).key)
    expect(usagePeriod(after, at('2026-12-01T00:00Z')).key).to.equal('2026-12-01')
  })
})
