/** Rotation by policy (management contract, section 10): validates policies and computes when keys are due. */

import type { JsonObject } from '@gateway/contract'
import type { ApiKeyData } from '@gateway/domain'
import { type TSchema, Type } from '@sinclair/typebox'
import { parseTime } from '../shared/index.ts'
import { isoOf, minTransitionMs } from './data.ts'

export type RotationPolicy = NonNullable<ApiKeyData['rotation_policy']>
export type RotationPeriod = NonNullable<RotationPolicy['rotation_period']>

const dayMs = 86_400_000
const oneOf = (...names: string[]) => Type.Unsafe<string>({ type: 'string', enum: names })

const rotationPeriod: TSchema = oneOf('weekly', 'monthly')

export const rotationPolicySchema: TSchema = Type.Object(
  {
    rotation_period: Type.Optional(Type.Union([rotationPeriod, Type.Null()])),
    next_rotation_at: Type.Optional(Type.Union([Type.String({ maxLength: 40 }), Type.Null()])),
    key_transition_period_ms: Type.Optional(Type.Integer({ minimum: minTransitionMs, maximum: 31 * dayMs })),
    status: Type.Optional(oneOf('active', 'paused')),
  },
  { additionalProperties: false },
)

export const rotationPolicyAnswer: TSchema = Type.Union([
  Type.Object({
    rotation_period: Type.Union([rotationPeriod, Type.Null()]),
    next_rotation_at: Type.Union([Type.String(), Type.Null()]),
    key_transition_period_ms: Type.Integer(),
    status: oneOf('active', 'paused'),
  }),
  Type.Null(),
])

/** The shortest length of a period: a transition must end before the next rotation. */
export const periodMs = (period: RotationPeriod): number => (period === 'weekly' ? 7 : 28) * dayMs

/** The next Monday, or the next first day of a month, at 00:00 UTC. */
function nextRotation(period: RotationPeriod, nowMs: number): number {
  const now = new Date(nowMs)
  if (period === 'monthly') return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1)
  const today = Math.floor(nowMs / dayMs) * dayMs
  // Sunday is 0.
  return today + (7 - ((now.getUTCDay() + 6) % 7)) * dayMs
}

/** A policy with only a rotation period. */
export const policyOf = (period: RotationPeriod, nowMs: number): RotationPolicy => ({
  rotation_period: period,
  next_rotation_at: isoOf(nextRotation(period, nowMs)),
  key_transition_period_ms: minTransitionMs,
})

export interface PolicyRequest {
  /** The body's policy merged with the stored one. Null removes it. */
  merged: JsonObject | null
  /** The body's rotation policy; undefined: not set. */
  given: JsonObject | null | undefined
  before: RotationPolicy | null
  /** The value of `user_api_key_rotation_period`, for keys that it applies to. */
  enforced: RotationPeriod | null
  isUpdate: boolean
  nowMs: number
  fault(param: string, message: string): void
}

/** The policy to store. Errors at `/rotation_policy/…`. */
export function readPolicy(request: PolicyRequest): RotationPolicy | null {
  const { merged, given, before, enforced, nowMs, fault } = request
  if (enforced !== null) checkEnforced(request, enforced)
  if (merged === null) return enforced === null ? null : policyOf(enforced, nowMs)
  if (given === undefined) return before ?? (enforced === null ? null : policyOf(enforced, nowMs))
  const period = (merged.rotation_period ?? enforced) as RotationPeriod | null
  const transitionMs = Number(merged.key_transition_period_ms ?? minTransitionMs)
  if (period !== null && transitionMs >= periodMs(period)) {
    fault('/rotation_policy/key_transition_period_ms', 'must be shorter than the rotation period')
  }
  const next = nextOf(request, period)
  if (period === null && next === null) {
    fault('/rotation_policy', 'requires rotation_period or next_rotation_at')
  }
  return { rotation_period: period, next_rotation_at: next, key_transition_period_ms: transitionMs }
}

function checkEnforced({ merged, given, isUpdate, fault }: PolicyRequest, enforced: RotationPeriod): void {
  if (given === undefined) return
  const param = '/rotation_policy/rotation_period'
  const message = `The organisation requires ${enforced} rotation of user keys.`
  const isBroken =
    given === null ||
    merged === null ||
    (given.rotation_period !== undefined && given.rotation_period !== enforced) ||
    (isUpdate && given.next_rotation_at !== undefined)
  if (isBroken) fault(param, message)
}

function nextOf(
  { given, before, nowMs, fault }: PolicyRequest,
  period: RotationPeriod | null,
): string | null {
  const written = given?.next_rotation_at
  const isSame = before !== null && written === before.next_rotation_at
  if (typeof written === 'string' && !isSame) {
    const timeMs = parseTime(written)
    if (timeMs !== null && timeMs > nowMs) return isoOf(timeMs)
    fault('/rotation_policy/next_rotation_at', 'must be an ISO 8601 time in the future')
    return null
  }
  const isKept = written !== null && before !== null && before.rotation_period === period
  if (isKept) return before.next_rotation_at
  if (period !== null) return isoOf(nextRotation(period, nowMs))
  return written === null ? null : (before?.next_rotation_at ?? null)
}

/** The policy after a rotation: its next time, or none if it requested a single rotation. */
export function afterRotation(policy: RotationPolicy | null, nowMs: number): RotationPolicy | null {
  if (policy === null || policy.rotation_period === null) return null
  return { ...policy, next_rotation_at: isoOf(nextRotation(policy.rotation_period, nowMs)) }
}
