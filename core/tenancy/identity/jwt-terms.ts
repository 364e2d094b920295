/** Limits and defaults in a JWT (management contract, section 8). Errors: `jwt_claim_mismatch`. */

import { GatewayError, isObject, type JsonObject, type StoredDocument } from '@gateway/contract'
import { type Defaults, type KeyTerms, kinds, type Limits } from '@gateway/domain'
import { createValidator, type Validator } from '@gateway/validation'
import { type Static, Type } from '@sinclair/typebox'

const maxLimits = 5

const usageLimit = Type.Object({
  type: Type.Optional(Type.Union([Type.Literal('cost'), Type.Literal('tokens'), Type.Literal('requests')])),
  credit_limit: Type.Number({ exclusiveMinimum: 0 }),
  alert_threshold: Type.Optional(Type.Union([Type.Number({ exclusiveMinimum: 0 }), Type.Null()])),
  periodic_reset: Type.Optional(Type.Union([Type.Literal('weekly'), Type.Literal('monthly'), Type.Null()])),
  periodic_reset_days: Type.Optional(Type.Union([Type.Integer({ minimum: 1, maximum: 365 }), Type.Null()])),
  next_usage_reset_at: Type.Optional(Type.Union([Type.String({ maxLength: 40 }), Type.Null()])),
})

const rateLimit = Type.Object({
  type: Type.Union([Type.Literal('requests'), Type.Literal('tokens')]),
  unit: Type.Union(['rps', 'rpm', 'rph', 'rpd', 'rpw'].map((unit) => Type.Literal(unit as 'rpm'))),
  value: Type.Integer({ minimum: 0 }),
})

type UsageTerm = Static<typeof usageLimit>
type RateTerm = Static<typeof rateLimit>

const areDistinct = (names: readonly string[]) => new Set(names).size === names.length

/** Rules that a schema cannot express, the same as for the limits of a key. */
const areSound = {
  usage_limits: (limits: readonly UsageTerm[]) =>
    areDistinct(limits.map(({ type = 'cost' }) => type)) && limits.every(isSound),
  rate_limits: (limits: readonly RateTerm[]) =>
    areDistinct(limits.map(({ type, unit }) => `${type} ${unit}`)),
}

function isSound(limit: UsageTerm): boolean {
  const { type = 'cost', credit_limit, alert_threshold, next_usage_reset_at: next } = limit
  const hasBoth = (limit.periodic_reset ?? null) !== null && (limit.periodic_reset_days ?? null) !== null
  const isWhole = type === 'cost' || Number.isSafeInteger(credit_limit)
  const isTime = (next ?? null) === null || !Number.isNaN(Date.parse(String(next)))
  return !hasBoth && isWhole && isTime && (alert_threshold ?? 0) < credit_limit
}

const lists = {
  usage_limits: Type.Array(usageLimit, { maxItems: maxLimits }),
  rate_limits: Type.Array(rateLimit, { maxItems: maxLimits }),
}

let validators: Record<keyof typeof lists, Validator> | null = null

/**
 * The token's limits and defaults, in the form of a key's document; null if it has none.
 * @param id the owner of the counters
 */
export function termsOf(payload: JsonObject, id: string): StoredDocument<KeyTerms> | null {
  const { usage_limits: usage, rate_limits: rates, defaults } = payload
  if (usage === undefined && rates === undefined && !isObject(defaults)) return null
  const limits: Limits = {
    usage_limits: listOf<UsageTerm>('usage_limits', usage).map((limit) => ({
      type: limit.type ?? 'cost',
      credit_limit: limit.credit_limit,
      alert_threshold: limit.alert_threshold ?? null,
      periodic_reset: limit.periodic_reset ?? null,
      periodic_reset_days: limit.periodic_reset_days ?? null,
      next_usage_reset_at: limit.next_usage_reset_at ?? null,
      last_reset_at: null,
    })),
    rate_limits: listOf<RateTerm>('rate_limits', rates).map(({ type, unit, value }) => ({
      type,
      unit,
      value,
    })),
  }
  return {
    kind: kinds.apiKey,
    id,
    organisation_id: null,
    workspace_id: null,
    slug: null,
    name: null,
    status: 'active',
    version: 0,
    created_at: 0,
    last_updated_at: 0,
    keys: [],
    attributes: {},
    data: { ...limits, defaults: defaultsOf(isObject(defaults) ? defaults : {}) },
  }
}

/** Ignoring an invalid limit would silently remove it, so the token is refused. */
function listOf<T>(name: keyof typeof lists, claim: unknown): T[] {
  if (claim === undefined || claim === null) return []
  const list: unknown[] = Array.isArray(claim) ? claim : [claim]
  validators ??= {
    usage_limits: createValidator(lists.usage_limits),
    rate_limits: createValidator(lists.rate_limits),
  }
  // The values are checked only after their types.
  if (validators[name](list) !== null || !areSound[name](list as UsageTerm[] & RateTerm[])) {
    throw new GatewayError(
      'jwt_claim_mismatch',
      `The claim ${name} is not a list of limits, at most ${maxLimits}.`,
    )
  }
  // The values were validated above.
  return list as T[]
}

function defaultsOf({ config_id, metadata }: JsonObject): Defaults & { is_config_optional: true } {
  const texts = isObject(metadata)
    ? Object.entries(metadata).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
    : []
  return {
    config_id: typeof config_id === 'string' && config_id !== '' ? config_id : null,
    metadata: texts.length === 0 ? null : Object.fromEntries(texts),
    allow_config_override: true,
    input_guardrails: null,
    output_guardrails: null,
    // The issuer does not know the stored configs, so an unknown config is ignored.
    is_config_optional: true,
  }
}
