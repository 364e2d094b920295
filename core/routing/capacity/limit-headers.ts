/**
 * Reads the rate limits in a provider's answer: a table of header families, and one reader for all of them. The vendors
 * are in the guide (docs/guides/capacity.md). Most send `x-ratelimit-{limit,remaining,reset}-MEASURE`, some with the
 * window in the measure; others `VENDOR-ratelimit-MEASURE-{limit,remaining,reset}`, or no measure at all, as in the
 * draft `ratelimit-remaining` of the IETF. A window without a readable limit left or reset is ignored.
 */
import type { LimitMeasure } from '@gateway/flow'
import { retryAfterMs } from '../retry-after.ts'

export interface WindowReading {
  /** Identifies the window among those of a target. */
  name: string
  measure: LimitMeasure
  /** Null if the answer does not specify it. */
  limit: number | null
  remaining: number
  /** Milliseconds since the epoch; later than now, and at most {@link longestBelievedMs} later. */
  resetAt: number
}

export interface LimitReading {
  windows: readonly WindowReading[]
  /**
   * The time when a refused request may be repeated, in milliseconds since the epoch; null if the answer does not
   * specify it.
   */
  retryAt: number | null
}

interface Family {
  measure: LimitMeasure
  limit: string
  remaining: string
  reset: readonly string[]
}

/** The suffix after `x-ratelimit-remaining-`, and the unit that it counts. */
const suffixes: readonly (readonly [suffix: string, measure: LimitMeasure])[] = [
  ['requests', 'requests'],
  ['tokens', 'tokens'],
  ['project-requests', 'requests'],
  ['project-tokens', 'tokens'],
  ['requests-minute', 'requests'],
  ['requests-hour', 'requests'],
  ['requests-day', 'requests'],
  ['req-minute', 'requests'],
  ['tokens-minute', 'tokens'],
  ['tokens-hour', 'tokens'],
  ['tokens-day', 'tokens'],
  ['tokens-prompt', 'input_tokens'],
  ['tokens-generated', 'output_tokens'],
  ['input-tokens', 'input_tokens'],
  ['output-tokens', 'output_tokens'],
]

const plain = (prefix: string, measure: LimitMeasure, ...resets: string[]): Family => ({
  measure,
  limit: `${prefix}-limit`,
  remaining: `${prefix}-remaining`,
  reset: [`${prefix}-reset`, ...resets],
})

const families: readonly Family[] = [
  ...suffixes.map(
    ([suffix, measure]): Family => ({
      measure,
      limit: `x-ratelimit-limit-${suffix}`,
      remaining: `x-ratelimit-remaining-${suffix}`,
      reset: [`x-ratelimit-reset-${suffix}`],
    }),
  ),
  plain('x-ratelimit', 'requests'),
  // Some vendors send one reset for both.
  plain('x-tokenlimit', 'tokens', 'x-ratelimit-reset'),
  plain('ratelimit', 'requests'),
  plain('ratelimitbysize', 'tokens'),
]

/** Headers that begin with the vendor's name. */
const named = /^([a-z0-9]{1,30}-ratelimit-(requests|tokens|input-tokens|output-tokens))-remaining$/
const namedMeasures: Readonly<Record<string, LimitMeasure>> = {
  requests: 'requests',
  tokens: 'tokens',
  'input-tokens': 'input_tokens',
  'output-tokens': 'output_tokens',
}
/** The limit for one vendor; a host can send any number of headers. */
const mostNamed = Object.keys(namedMeasures).length

function namedFamilies(headers: Readonly<Record<string, string>>): Family[] {
  const found: Family[] = []
  for (const name in headers) {
    const [, prefix, kind] = name.endsWith('-remaining') ? (named.exec(name) ?? []) : []
    if (prefix === undefined || found.length >= mostNamed) continue
    found.push(plain(prefix, namedMeasures[kind ?? ''] ?? 'requests'))
  }
  return found
}

/** A reset far in the future may be wrong, or may belong to a window that other limits end earlier. */
export const longestBelievedMs = 600_000

/** @param status only a 429 is a refusal for lack of room; other answers with `retry-after` have other reasons */
export function readLimits(
  headers: Readonly<Record<string, string>>,
  status: number,
  nowMs: number,
): LimitReading {
  const windows: WindowReading[] = []
  for (const { measure, limit, remaining: name, reset } of [...families, ...namedFamilies(headers)]) {
    const remaining = readCount(headers[name])
    if (remaining === null) continue
    const resetAt = readResetAt(
      reset.map((each) => headers[each]).find((text) => text !== undefined),
      nowMs,
    )
    if (resetAt === null || resetAt <= nowMs) continue
    windows.push({
      name,
      measure,
      limit: readCount(headers[limit]),
      remaining,
      resetAt: believed(resetAt, nowMs),
    })
  }
  const waitMs = status === 429 ? retryAfterMs(headers, nowMs) : null
  return { windows, retryAt: waitMs === null ? null : believed(nowMs + waitMs, nowMs) }
}

const believed = (atMs: number, nowMs: number): number => Math.min(atMs, nowMs + longestBelievedMs)

const number = /^\d+(?:\.\d+)?$/

/** Whole units; null for anything but a number. */
function readCount(text: string | undefined): number | null {
  const written = text?.trim() ?? ''
  const value =
    written.length <= longestNumber && number.test(written) ? Math.floor(Number(written)) : Number.NaN
  return Number.isSafeInteger(value) ? value : null
}

const longestNumber = 20
const longestReset = 64

/** Larger numbers cannot be waits. They are times, in seconds or milliseconds since 1970. */
const firstTimeSeconds = 1e9
const firstTimeMs = 1e11

const unitsMs: Readonly<Record<string, number>> = {
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
  us: 0,
  µs: 0,
  μs: 0,
  ns: 0,
}
const duration = /^(?:\d+(?:\.\d+)?(?:h|ms|m|s|us|µs|μs|ns))+$/
const durationPart = /(\d+(?:\.\d+)?)(h|ms|m|s|us|µs|μs|ns)/g

/**
 * A time in milliseconds since the epoch: seconds from now, a time in seconds or milliseconds since 1970, a duration
 * (`6m0s`, `20ms`), or a date (RFC 3339, HTTP). Null when it cannot be read.
 */
export function readResetAt(text: string | undefined, nowMs: number): number | null {
  const written = text?.trim() ?? ''
  if (written === '' || written.length > longestReset) return null
  if (number.test(written)) {
    const value = Number(written)
    if (value >= firstTimeMs) return value
    return value >= firstTimeSeconds ? value * 1000 : nowMs + value * 1000
  }
  if (duration.test(written)) {
    let waitMs = 0
    for (const [, count, unit] of written.matchAll(durationPart))
      waitMs += Number(count) * (unitsMs[unit ?? ''] ?? 0)
    return nowMs + waitMs
  }
  const isDate = /^\d{4}-\d{2}-\d{2}[Tt ]/.test(written) || /^[A-Za-z]{3}/.test(written)
  const at = isDate ? Date.parse(written) : Number.NaN
  return Number.isNaN(at) ? null : at
}
