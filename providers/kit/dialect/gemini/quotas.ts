/**
 * What an error of Google says about quotas, as headers: `RetryInfo` (`{retryDelay: "31s"}`) becomes `retry-after`, and a
 * quota per minute in `QuotaFailure` (`{violations: [{quotaId, quotaValue}]}`) becomes `x-ratelimit-…`, used up until then. A
 * daily quota resets at midnight Pacific time, while its `retryDelay` is often a minute or less.
 * Reference: https://github.com/googleapis/googleapis/blob/master/google/rpc/error_details.proto,
 * https://ai.google.dev/gemini-api/docs/rate-limits
 */
import { isObject, type Json, type JsonObject, type UpstreamError } from '@gateway/contract'

/** A duration in protobuf's JSON, in seconds. */
const delay = /^(\d{1,12}(?:\.\d{1,9})?)s$/
const count = /^\d{1,15}$/
const daySeconds = 86_400

/** The unit of a quota, by its id, such as `GenerateRequestsPerMinutePerProjectPerModel-FreeTier`. */
const units: readonly (readonly [pattern: RegExp, header: string])[] = [
  [/InputTokens?.*PerMinute/, 'input-tokens'],
  [/Requests.*PerMinute/, 'requests'],
]

/** Adds the quotas in the body of an error to it. */
export function withQuotas(error: UpstreamError, body: JsonObject): UpstreamError {
  const details = isObject(body.error) ? body.error.details : undefined
  const headers = Array.isArray(details) ? quotaHeaders(details.filter(isObject), Date.now()) : null
  return headers === null ? error : { ...error, headers }
}

/** @returns null if the details do not say when to retry */
function quotaHeaders(details: readonly JsonObject[], nowMs: number): Record<string, string> | null {
  const quotas = membersOf(details, 'violations')
  const isDaily = quotas.some(({ quotaId }) => typeof quotaId === 'string' && quotaId.includes('PerDay'))
  const told = details.map(({ retryDelay }) => secondsOf(retryDelay)).find((seconds) => seconds !== null)
  const waits = [...(told == null ? [] : [told]), ...(isDaily ? [secondsToMidnight(nowMs)] : [])]
  if (waits.length === 0) return null
  const wait = String(Math.min(daySeconds, Math.max(...waits)))
  return Object.assign({ 'retry-after': wait }, ...quotas.map((quota) => windowOf(quota, wait)))
}

const membersOf = (details: readonly JsonObject[], name: string): JsonObject[] =>
  details.flatMap(({ [name]: members }) => (Array.isArray(members) ? members.filter(isObject) : []))

/** Whole seconds, as `retry-after` has them. */
function secondsOf(value: Json | undefined): number | null {
  const [, seconds] = typeof value === 'string' ? (delay.exec(value) ?? []) : []
  return seconds === undefined ? null : Math.ceil(Number(seconds))
}

function windowOf({ quotaId, quotaValue }: JsonObject, wait: string): Record<string, string> {
  const [, unit] = units.find(([pattern]) => typeof quotaId === 'string' && pattern.test(quotaId)) ?? []
  if (unit === undefined) return {}
  const limit = typeof quotaValue === 'string' && count.test(quotaValue) ? quotaValue : null
  return {
    ...(limit === null ? {} : { [`x-ratelimit-limit-${unit}`]: limit }),
    [`x-ratelimit-remaining-${unit}`]: '0',
    [`x-ratelimit-reset-${unit}`]: wait,
  }
}

/** To the next midnight Pacific time; an hour off on the days when clocks change. */
function secondsToMidnight(nowMs: number): number {
  const time = new Date(nowMs).toLocaleTimeString('en-GB', { timeZone: 'America/Los_Angeles' })
  return daySeconds - time.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)
}
