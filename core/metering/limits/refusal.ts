/**
 * The error for a reached limit (management contract, section 16): usage limits come before rates, and among several
 * the one that resets last is reported, with its limit, unit and bucket. Errors: 412 `usage_limit_exceeded`, 429
 * `rate_limit_exceeded` with `retry-after`.
 */
import { GatewayError } from '@gateway/contract'
import type { ApplicableLimit } from './applicable-limits.ts'
import { secondsUntil } from './rate-headers.ts'

/** @param refused in the order in which limits apply; at least one */
export function refusalOf(refused: readonly ApplicableLimit[], nowMs: number): GatewayError {
  const usage = refused.filter(({ limit }) => limit.kind === 'usage')
  const named = lastToReset(usage.length > 0 ? usage : refused, nowMs)
  return named.limit.kind === 'usage' ? usageError(named, nowMs) : rateError(named, nowMs)
}

function lastToReset(refused: readonly ApplicableLimit[], nowMs: number): ApplicableLimit {
  const resetOf = ({ limit }: ApplicableLimit) => limit.resetsAt(nowMs) ?? Infinity
  return refused.reduce((last, each) => (resetOf(each) > resetOf(last) ? each : last))
}

/** Metadata is unbounded. */
const longestShown = 300

/** The counted subject: the group of a policy, otherwise the owner. */
export const bucketOf = ({ limit, valueKey }: ApplicableLimit) =>
  valueKey === null ? limit.label : `${valueKey.slice(0, longestShown)} (${limit.label})`

function usageError(applied: ApplicableLimit, nowMs: number): GatewayError {
  const { limit } = applied
  const amount = limit.measure === 'cost' ? `${limit.limit} USD` : `${limit.limit} ${limit.measure}`
  const resetsAt = limit.resetsAt(nowMs)
  const then =
    resetsAt === null
      ? 'It does not reset: next_usage_reset_at is null'
      : `next_usage_reset_at is ${new Date(resetsAt).toISOString()}`
  const message = `The usage limit of ${amount} of ${bucketOf(applied)} is exhausted. ${then}.`
  return new GatewayError('usage_limit_exceeded', message, { param: limit.param })
}

const unitNames = { rps: 'second', rpm: 'minute', rph: 'hour', rpd: 'day', rpw: 'week' } as const

function rateError(applied: ApplicableLimit, nowMs: number): GatewayError {
  const { limit } = applied
  const unit = limit.unit ?? 'rpm'
  const seconds = Math.max(1, secondsUntil(limit.resetsAt(nowMs) ?? nowMs, nowMs))
  const message =
    `The rate limit of ${limit.limit} ${limit.measure} per ${unitNames[unit]} (${unit}) of ${bucketOf(applied)} ` +
    `is reached. It resets in ${seconds} s.`
  return new GatewayError('rate_limit_exceeded', message, {
    param: limit.param,
    headers: { 'retry-after': String(seconds) },
  })
}
