/**
 * Limits in bodies of the management API (management contract, section 4): converts an object or a list to its stored
 * form, and back for answers. Every error is `invalid_body` at its JSON path.
 */
import { type Counters, type Fault, isGatewayError, type JsonObject } from '@gateway/contract'
import {
  keptPeriod,
  type Limits,
  type RateLimit,
  readUsage,
  rolledOver,
  type UsageLimit,
  type UsageState,
  usagePeriod,
} from '@gateway/domain'
import { type TSchema, Type } from '@sinclair/typebox'

const usageTypes = ['cost', 'tokens', 'requests'] as const
const rateUnits = ['rps', 'rpm', 'rph', 'rpd', 'rpw'] as const
/** The maximum number of limits of one kind per owner. */
const maxLimits = 5

const enumOf = (values: readonly string[]) => Type.Unsafe<string>({ type: 'string', enum: [...values] })
const nullable = (schema: TSchema, description?: string) =>
  Type.Unsafe<unknown>({
    ...Type.Union([schema, Type.Null()]),
    ...(description === undefined ? {} : { description }),
  })

const usageLimitInput = Type.Object(
  {
    type: Type.Optional(enumOf(usageTypes)),
    credit_limit: Type.Number({
      exclusiveMinimum: 0,
      description: 'USD for `cost`, otherwise a whole number.',
    }),
    alert_threshold: Type.Optional(nullable(Type.Number({ exclusiveMinimum: 0 }))),
    periodic_reset: Type.Optional(nullable(enumOf(['weekly', 'monthly']))),
    periodic_reset_days: Type.Optional(nullable(Type.Integer({ minimum: 1, maximum: 365 }))),
    next_usage_reset_at: Type.Optional(nullable(Type.String({ maxLength: 40 }))),
    current_usage: Type.Optional(nullable(Type.Number({ minimum: 0, description: 'Read-only.' }))),
    status: Type.Optional(nullable(enumOf(['active', 'exhausted']), 'Read-only.')),
    last_reset_at: Type.Optional(nullable(Type.String({ maxLength: 40 }), 'Read-only.')),
  },
  { additionalProperties: false },
)

const rateLimitInput = Type.Object(
  {
    type: enumOf(['requests', 'tokens']),
    unit: enumOf(rateUnits),
    value: Type.Integer({ minimum: 0 }),
  },
  { additionalProperties: false },
)

/** The schema of `usage_limits` in a body: one, a list, or null for none. */
export const usageLimitsInput: TSchema = Type.Union([
  usageLimitInput,
  Type.Array(usageLimitInput, { maxItems: maxLimits }),
  Type.Null(),
])

/** The schema of `rate_limits` in a body: one, a list, or null for none. */
export const rateLimitsInput: TSchema = Type.Union([
  rateLimitInput,
  Type.Array(rateLimitInput, { maxItems: maxLimits }),
  Type.Null(),
])

const usageLimitAnswer = Type.Object({
  type: enumOf(usageTypes),
  credit_limit: Type.Number(),
  alert_threshold: nullable(Type.Number()),
  periodic_reset: nullable(enumOf(['weekly', 'monthly'])),
  periodic_reset_days: nullable(Type.Integer()),
  next_usage_reset_at: nullable(Type.String()),
  last_reset_at: nullable(Type.String()),
  current_usage: nullable(Type.Number()),
  status: enumOf(['active', 'exhausted']),
})

/** The schema of `usage_limits` in an answer. */
export const usageLimitsAnswer: TSchema = Type.Union([
  usageLimitAnswer,
  Type.Array(usageLimitAnswer),
  Type.Null(),
])

/** The schema of `rate_limits` in an answer. */
export const rateLimitsAnswer: TSchema = Type.Union([
  Type.Object({ type: enumOf(['requests', 'tokens']), unit: enumOf(rateUnits), value: Type.Integer() }),
  Type.Array(
    Type.Object({ type: enumOf(['requests', 'tokens']), unit: enumOf(rateUnits), value: Type.Integer() }),
  ),
  Type.Null(),
])

interface ReadLimits {
  /** The path in the body: `/usage_limits`. */
  param: string
  faults: Fault[]
  nowMs: number
}

interface UsageLimitBody {
  type?: UsageLimit['type']
  credit_limit: number
  alert_threshold?: number | null
  periodic_reset?: 'weekly' | 'monthly' | null
  periodic_reset_days?: number | null
  next_usage_reset_at?: string | null
  status?: 'active' | 'exhausted' | null
  last_reset_at?: string | null
}

/** One item or a list, with the path of each. */
function itemsOf<T>(input: unknown, param: string): { item: T; at: string }[] {
  if (input === null || input === undefined) return []
  // The type follows from the schema that the body has passed.
  return Array.isArray(input)
    ? input.map((item: T, index) => ({ item, at: `${param}/${index}` }))
    : [{ item: input as T, at: param }]
}

/**
 * Converts a body's validated `usage_limits` to their stored form.
 * @param before the limits stored now: a limit of the same type and period keeps its reset times
 */
export function readUsageLimits(
  input: unknown,
  before: readonly UsageLimit[],
  { param, faults, nowMs }: ReadLimits,
): UsageLimit[] {
  const fault = (at: string, message: string) => faults.push({ param: at, code: 'invalid_body', message })
  const types = new Set<string>()
  return itemsOf<UsageLimitBody>(input, param).map(({ item, at }) => {
    const type = item.type ?? 'cost'
    if (types.has(type)) fault(`${at}/type`, `Another limit already has the type ${type}.`)
    types.add(type)
    if (type !== 'cost' && !Number.isSafeInteger(item.credit_limit)) {
      fault(`${at}/credit_limit`, `must be a whole number for the type ${type}`)
    }
    const alert_threshold = item.alert_threshold ?? null
    if (alert_threshold !== null && alert_threshold >= item.credit_limit) {
      fault(`${at}/alert_threshold`, 'must be below credit_limit')
    }
    const periodic_reset = item.periodic_reset ?? null
    const periodic_reset_days = item.periodic_reset_days ?? null
    if (periodic_reset !== null && periodic_reset_days !== null) {
      fault(`${at}/periodic_reset_days`, 'cannot be combined with periodic_reset')
    }
    const old = before.find((each) => each.type === type) ?? null
    const shownReset = old === null ? null : rolledOver(old, nowMs).last_reset_at
    if (item.last_reset_at !== undefined && item.last_reset_at !== shownReset) {
      fault(`${at}/last_reset_at`, 'is read-only')
    }
    const period = { periodic_reset, periodic_reset_days }
    const noteReset = (message: string) => fault(`${at}/next_usage_reset_at`, message)
    return {
      type,
      credit_limit: item.credit_limit,
      alert_threshold,
      ...period,
      next_usage_reset_at: nextReset(item.next_usage_reset_at, period, { old, fault: noteReset, nowMs }),
      last_reset_at: old?.last_reset_at ?? null,
      // Usage continues to count until the next reset.
      period_started_at: keptPeriod(old, nowMs),
    }
  })
}

type Period = Pick<UsageLimit, 'periodic_reset' | 'periodic_reset_days'>

const dayMs = 86_400_000
const startOfDay = (timeMs: number) => Math.floor(timeMs / dayMs) * dayMs
const isoOf = (timeMs: number | null) => (timeMs === null ? null : new Date(timeMs).toISOString())

interface NextResetOptions {
  old: UsageLimit | null
  fault: (message: string) => void
  nowMs: number
}

/**
 * The next reset: the requested time, otherwise the current one if the period is unchanged, otherwise computed from the
 * period.
 */
function nextReset(
  given: string | null | undefined,
  period: Period,
  { old, fault, nowMs }: NextResetOptions,
): string | null {
  const oldReset = old === null ? null : isoOf(usagePeriod(old, nowMs).resetsAt)
  const isSamePeriod =
    old !== null &&
    old.periodic_reset === period.periodic_reset &&
    old.periodic_reset_days === period.periodic_reset_days
  // An unchanged time that is sent back is not a request.
  const asked = given !== undefined && given !== null && given !== oldReset ? given : null
  if (asked !== null) {
    const timeMs = parseTime(asked)
    if (timeMs === null) fault('must be an ISO 8601 time')
    return timeMs === null ? null : isoOf(givenReset(timeMs, nowMs))
  }
  const byPeriod = isoOf(firstReset(period, nowMs))
  // Null cancels a requested reset: the period alone determines the next one.
  if (!isSamePeriod || given === null) return byPeriod
  return oldReset
}

/** The first reset of a new period. Null if it never resets. */
function firstReset(period: Period, nowMs: number): number | null {
  // A period in days begins today; weeks and months begin on fixed days.
  if (period.periodic_reset_days !== null) return startOfDay(nowMs) + period.periodic_reset_days * dayMs
  return usagePeriod({ ...period, next_usage_reset_at: null }, nowMs).resetsAt
}

/** A requested reset takes effect at 00:00 UTC of its date, or at the next midnight if that has passed. */
function givenReset(timeMs: number, nowMs: number): number {
  const midnight = startOfDay(timeMs)
  return midnight > nowMs ? midnight : startOfDay(nowMs) + dayMs
}

/** Milliseconds since the epoch of an ISO 8601 time; UTC if it has no offset. Null if it is invalid. */
export function parseTime(text: string): number | null {
  const match = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/i.exec(text)
  if (match === null) return null
  const timeMs = Date.parse(match[1] === undefined || match[4] !== undefined ? text : `${text}Z`)
  return Number.isNaN(timeMs) ? null : timeMs
}

/** Converts a body's validated `rate_limits` to their stored form. */
export function readRateLimits(input: unknown, { param, faults }: Omit<ReadLimits, 'nowMs'>): RateLimit[] {
  const seen = new Set<string>()
  return itemsOf<RateLimit>(input, param).map(({ item, at }) => {
    const name = `${item.type} ${item.unit}`
    if (seen.has(name)) {
      faults.push({
        param: at,
        code: 'invalid_body',
        message: `Another limit already counts ${item.type} by ${item.unit}.`,
      })
    }
    seen.add(name)
    return { type: item.type, unit: item.unit, value: item.value }
  })
}

/** The state of an owner's usage limits. Null if the counters are unavailable and the usage is unknown. */
export async function loadUsage(
  counters: Pick<Counters, 'read'>,
  owner: string,
  { limits, nowMs }: { limits: readonly UsageLimit[]; nowMs: number },
): Promise<readonly UsageState[] | null> {
  try {
    return await readUsage(counters, owner, { limits, nowMs })
  } catch (error) {
    const isOut = isGatewayError(error) && error.status === 503
    if (isOut) return null
    throw error
  }
}

/** How answers show a usage limit. */
function presentUsageLimit(limit: UsageLimit, state: UsageState | null): JsonObject {
  const { period_started_at: _, ...shown } = limit
  return { ...shown, current_usage: null, status: 'active', ...state }
}

/**
 * How answers show both kinds of limits.
 * @param states of the usage limits, in their order, by {@link loadUsage}
 * @param shape `list`: lists. `key` and `provider`: null for none, the object for one usage limit, otherwise the list;
 * for providers the same applies to rate limits
 */
export function presentLimits(
  { usage_limits, rate_limits }: Limits,
  states: readonly UsageState[] | null,
  shape: 'list' | 'key' | 'provider',
): { usage_limits: JsonObject | JsonObject[] | null; rate_limits: JsonObject | JsonObject[] | null } {
  const usage = usage_limits.map((limit, index) => presentUsageLimit(limit, states?.[index] ?? null))
  const rates = rate_limits.map((limit): JsonObject => ({ ...limit }))
  if (shape === 'list') return { usage_limits: usage, rate_limits: rates }
  const isKey = shape === 'key'
  return { usage_limits: single(usage), rate_limits: isKey && rates.length > 0 ? rates : single(rates) }
}

function single(list: JsonObject[]): JsonObject | JsonObject[] | null {
  const [first] = list
  if (first === undefined) return null
  return list.length === 1 ? first : list
}
