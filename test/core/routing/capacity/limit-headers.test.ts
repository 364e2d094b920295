/** Reading the rate limits in providers' headers. */
import { expect } from 'chai'
import fc from 'fast-check'
import { longestBelievedMs, readLimits, readResetAt } from '#routing/capacity/limit-headers'
import { assertProperty } from '../../../support/assert-property.ts'

const now = Date.UTC(2026, 0, 2, 3, 4, 5)

/** Each window as measure, limit, remaining, and milliseconds to its reset. */
const windowsOf = (headers: Record<string, string>, status = 200) =>
  readLimits(headers, status, now).windows.map(({ measure, limit, remaining, resetAt }) => [
    measure,
    limit,
    remaining,
    resetAt - now,
  ])

describe('the headers of provider limits', () => {
  const families: [vendor: string, headers: Record<string, string>, windows: unknown[]][] = [
    [
      'OpenAI',
      {
        'x-ratelimit-limit-requests': '3000',
        'x-ratelimit-remaining-requests': '2999',
        'x-ratelimit-reset-requests': '20ms',
        'x-ratelimit-limit-tokens': '250000',
        'x-ratelimit-remaining-tokens': '149984',
        'x-ratelimit-reset-tokens': '6m0s',
      },
      [
        ['requests', 3000, 2999, 20],
        ['tokens', 250_000, 149_984, 360_000],
      ],
    ],
    [
      'Groq',
      {
        'x-ratelimit-limit-requests': '14400',
        'x-ratelimit-remaining-requests': '14370',
        'x-ratelimit-reset-requests': '2m59.56s',
        'x-ratelimit-limit-tokens': '18000',
        'x-ratelimit-remaining-tokens': '17997',
        'x-ratelimit-reset-tokens': '7.66s',
      },
      [
        ['requests', 14_400, 14_370, 179_560],
        ['tokens', 18_000, 17_997, 7660],
      ],
    ],
    [
      'Azure, whose resets are seconds, and missing at some deployments',
      {
        'x-ratelimit-limit-requests': '60',
        'x-ratelimit-remaining-requests': '0',
        'x-ratelimit-reset-requests': '12',
        'x-ratelimit-remaining-tokens': '41',
      },
      [['requests', 60, 0, 12_000]],
    ],
    [
      'Anthropic',
      {
        'anthropic-ratelimit-requests-limit': '50',
        'anthropic-ratelimit-requests-remaining': '49',
        'anthropic-ratelimit-requests-reset': '2026-01-02T03:04:06Z',
        'anthropic-ratelimit-tokens-limit': '48000',
        'anthropic-ratelimit-tokens-remaining': '1000',
        'anthropic-ratelimit-tokens-reset': '2026-01-02T03:05:05+00:00',
        'anthropic-ratelimit-input-tokens-limit': '40000',
        'anthropic-ratelimit-input-tokens-remaining': '900',
        'anthropic-ratelimit-input-tokens-reset': '2026-01-02T03:04:35Z',
        'anthropic-ratelimit-output-tokens-limit': '8000',
        'anthropic-ratelimit-output-tokens-remaining': '100',
        'anthropic-ratelimit-output-tokens-reset': '2026-01-01T22:04:15-05:00',
      },
      [
        ['requests', 50, 49, 1000],
        ['tokens', 48_000, 1000, 60_000],
        ['input_tokens', 40_000, 900, 30_000],
        ['output_tokens', 8000, 100, 10_000],
      ],
    ],
    [
      'Cerebras, with windows',
      {
        'x-ratelimit-limit-tokens-minute': '60000',
        'x-ratelimit-remaining-tokens-minute': '51000',
        'x-ratelimit-reset-tokens-minute': '11.382',
        'x-ratelimit-limit-requests-day': '14400',
        'x-ratelimit-remaining-requests-day': '14000',
        'x-ratelimit-reset-requests-day': '33011.382',
      },
      [
        ['requests', 14_400, 14_000, longestBelievedMs],
        ['tokens', 60_000, 51_000, 11_382],
      ],
    ],
    [
      'Together, with one reset',
      {
        'x-ratelimit-limit': '60',
        'x-ratelimit-remaining': '57',
        'x-ratelimit-reset': '1',
        'x-tokenlimit-limit': '100000',
        'x-tokenlimit-remaining': '98500',
      },
      [
        ['requests', 60, 57, 1000],
        ['tokens', 100_000, 98_500, 1000],
      ],
    ],
    [
      'OpenRouter, with a time in milliseconds',
      { 'x-ratelimit-limit': '20', 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(now + 5000) },
      [['requests', 20, 0, 5000]],
    ],
    [
      'Mistral',
      {
        'ratelimitbysize-limit': '500000',
        'ratelimitbysize-remaining': '499900',
        'ratelimitbysize-reset': '28',
      },
      [['tokens', 500_000, 499_900, 28_000]],
    ],
    ['Mistral without a reset', { 'x-ratelimit-remaining-req-minute': '0' }, []],
    [
      'the draft of the IETF, with a time in seconds',
      { 'ratelimit-remaining': '3', 'ratelimit-reset': String(now / 1000 + 7) },
      [['requests', null, 3, 7000]],
    ],
  ]
  for (const [vendor, headers, windows] of families)
    it(`are read: ${vendor}`, () => {
      expect(windowsOf(headers)).to.deep.equal(windows)
    })

  const ignored = [
    '',
    ' ',
    'soon',
    '-5',
    '0',
    '0s',
    '1e3',
    '5 minutes',
    '2026-01-02',
    'P1D',
    'x'.repeat(100),
    'Infinity',
  ]
  for (const reset of ignored)
    it(`ignores a window that resets at ${JSON.stringify(reset)}`, () => {
      const headers = { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': reset }
      expect(windowsOf(headers)).to.deep.equal([])
    })

  for (const remaining of ['', '-1', 'many', '1e99', '9'.repeat(30), '0x10'])
    it(`ignores a window with ${JSON.stringify(remaining)} left`, () => {
      const headers = { 'x-ratelimit-remaining-requests': remaining, 'x-ratelimit-reset-requests': '1s' }
      expect(windowsOf(headers)).to.deep.equal([])
    })

  const waits: [headers: Record<string, string>, waitMs: number | null][] = [
    [{ 'retry-after': '7' }, 7000],
    [{ 'retry-after': '1.5' }, 1500],
    [{ 'retry-after-ms': '250', 'retry-after': '1' }, 250],
    [{ 'retry-after': new Date(now + 9000).toUTCString() }, 9000],
    [{ 'retry-after': '86400' }, longestBelievedMs],
    [{ 'retry-after': 'later' }, null],
    [{}, null],
  ]
  for (const [headers, waitMs] of waits)
    it(`reads the wait that a refusal asks for with ${JSON.stringify(headers)}`, () => {
      const { retryAt } = readLimits(headers, 429, now)
      expect(retryAt === null ? null : retryAt - now).to.equal(waitMs)
      expect(readLimits(headers, 503, now).retryAt).to.equal(null)
    })

  it('has windows that reset later than now, within ten minutes, for any header values', () => {
    const names = [
      'x-ratelimit-remaining-requests',
      'x-ratelimit-reset-requests',
      'anthropic-ratelimit-tokens-remaining',
      'anthropic-ratelimit-tokens-reset',
      'retry-after',
      'retry-after-ms',
    ]
    const text = fc.oneof(
      fc.string({ maxLength: 40 }),
      fc.nat().map(String),
      fc.double({ min: 0, noNaN: true }).map(String),
      fc.stringMatching(/^(\d{1,4}(h|ms|m|s|us|ns)){1,4}$/),
      fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
    )
    const headers = fc.dictionary(fc.constantFrom(...names), text)
    assertProperty(
      fc.property(headers, fc.constantFrom(200, 429, 500), (given, status) => {
        const { windows, retryAt } = readLimits(given, status, now)
        for (const { remaining, resetAt } of windows) {
          expect(Number.isSafeInteger(remaining) && remaining >= 0).to.equal(true)
          expect(resetAt)
            .to.be.greaterThan(now)
            .and.at.most(now + longestBelievedMs)
        }
        if (retryAt !== null) expect(retryAt).to.be.within(now, now + longestBelievedMs)
      }),
      { numRuns: 1000 },
    )
  })

  it('reads a duration as the sum of its parts', () => {
    const parts = fc.record({ h: fc.nat(50), m: fc.nat(59), s: fc.nat(59), ms: fc.nat(999) })
    assertProperty(
      fc.property(parts, ({ h, m, s, ms }) => {
        const written = `${h}h${m}m${s}s${ms}ms`
        expect(readResetAt(written, now)).to.equal(now + ((h * 60 + m) * 60 + s) * 1000 + ms)
      }),
    )
  })
})
