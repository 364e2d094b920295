/** The rate limits in a provider's headers, which an untrusted host may send. */
import { expect } from 'chai'
import fc from 'fast-check'
import { longestBelievedMs, readLimits } from '#routing/capacity/limit-headers'
import { damaged } from '../arbitraries.ts'
import { defineTarget } from '../target.ts'

const now = Date.UTC(2026, 0, 2)
const name = fc.constantFrom(
  ...['x-ratelimit-limit-requests', 'x-ratelimit-remaining-requests', 'x-ratelimit-reset-requests'],
  ...['x-ratelimit-remaining-tokens-minute', 'x-ratelimit-reset-tokens-minute'],
  ...['anthropic-ratelimit-input-tokens-remaining', 'anthropic-ratelimit-input-tokens-reset'],
  ...['x-ratelimit-remaining', 'x-ratelimit-reset', 'ratelimit-remaining', 'ratelimit-reset'],
  ...['retry-after', 'retry-after-ms', 'x-ms-retry-after-ms'],
)
const value = damaged(
  fc.constantFrom(
    ...['0', '12', '6m0s', '2m59.56s', '20ms', '1767312000', '1767312000000', '1h2m3s4ms5us6ns'],
    ...['2026-01-02T00:00:10Z', '2026-01-02T00:00:10.123456+02:00', 'Fri, 02 Jan 2026 00:00:10 GMT'],
  ),
)

export const limitHeaders = defineTarget({
  name: 'limit-headers',
  input: fc.array(fc.tuple(name, value), { maxLength: 12 }).map((pairs) => Object.fromEntries(pairs)),
  read: (given: Record<string, string>) => readLimits(given, 429, now),
  mayThrow: () => false,
  check({ windows, retryAt }) {
    for (const { limit, remaining, resetAt } of windows) {
      expect(remaining).to.be.within(0, Number.MAX_SAFE_INTEGER)
      if (limit !== null) expect(limit).to.be.within(0, Number.MAX_SAFE_INTEGER)
      expect(resetAt)
        .to.be.greaterThan(now)
        .and.at.most(now + longestBelievedMs)
    }
    if (retryAt !== null) expect(retryAt).to.be.within(now, now + longestBelievedMs)
  },
})
