/**
 * The wait requested by a provider: `retry-after-ms`, `x-ms-retry-after-ms`, or `retry-after` in seconds or as an HTTP
 * date.
 */

/** Milliseconds, at least 0; null without such a header. */
export function retryAfterMs(headers: Readonly<Record<string, string>>, now: number): number | null {
  for (const name of ['retry-after-ms', 'x-ms-retry-after-ms']) {
    const wait = number(headers[name])
    if (wait !== null) return wait
  }
  const written = headers['retry-after']
  const seconds = number(written)
  if (seconds !== null) return seconds * 1000
  // All three forms of an HTTP date begin with the name of a day; `Date.parse` alone would accept "-5".
  const date = written !== undefined && /^\s*[A-Za-z]{3}/.test(written) ? Date.parse(written) : Number.NaN
  return Number.isNaN(date) ? null : Math.max(0, date - now)
}

const number = (text: string | undefined): number | null =>
  text !== undefined && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : null
