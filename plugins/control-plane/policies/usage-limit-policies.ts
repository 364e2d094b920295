/** Usage-limit policies (management contract, section 15): a budget per group, and its usage. */

import type { StoredDocument } from '@gateway/contract'
import { kinds, rolledOver, type UsageLimit, type UsageLimitPolicyData, usagePeriod } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import { defineResource, type Write } from '../engine/index.ts'
import { readUsageLimits } from '../shared/index.ts'
import { checkPolicy, createdPolicy, policyFields } from './policy-shape.ts'
import { groupResets, resetGroup, usageMapOf } from './policy-usage.ts'
import { usageEntityRoutes } from './usage-entities.ts'

const type = Type.Unsafe<string>({
  type: 'string',
  enum: ['cost', 'tokens', 'requests'],
  explain: 'must be one of cost, tokens, requests',
})

const usageMap = Type.Record(
  Type.String(),
  Type.Object({
    current_usage: Type.Number(),
    status: Type.String(),
    is_threshold_alerts_sent: Type.Boolean(),
    is_exhausted_alerts_sent: Type.Boolean(),
  }),
)

export const usageLimitPolicies = defineResource<UsageLimitPolicyData, 'counters'>({
  kind: kinds.usageLimitPolicy,
  object: 'policy_usage_limits',
  title: 'usage-limit policy',
  tag: 'Policies',
  operation: 'usageLimitPolicy',
  path: '/policies/usage-limits',
  level: 'workspace',
  families: [{ family: 'policies' }],
  slug: null,
  fields: {
    ...policyFields,
    type: { schema: type, isRequired: true, writable: 'create' },
    credit_limit: { schema: Type.Number({ exclusiveMinimum: 0 }), isRequired: true },
    alert_threshold: { schema: Type.Number({ exclusiveMinimum: 0 }) },
    periodic_reset: { schema: Type.Union([Type.Literal('weekly'), Type.Literal('monthly')]) },
    periodic_reset_days: { schema: Type.Integer({ minimum: 1, maximum: 365 }) },
    next_usage_reset_at: { schema: Type.String({ maxLength: 40 }) },
    reset_usage_for_value: {
      schema: Type.String({ minLength: 1, maxLength: 4096 }),
      writable: 'update',
      isTransient: true,
    },
  },
  answers: {
    last_reset_at: Type.Union([Type.String(), Type.Null()]),
    value_key_usage_map: usageMap,
  },
  createAnswer: { schema: createdPolicy, of: ({ id }) => ({ id, object: 'policy_usage_limits' }) },
  filters: {
    type: { schema: type, attribute: 'type' },
    include_usage: {
      schema: Type.Boolean(),
      // It adds members to the answer and filters nothing.
      apply: () => undefined,
    },
  },
  readQuery: { include_usage: Type.Optional(Type.Boolean()) },
  listed: ['active'],
  writableStatuses: ['active', 'archived'],
  hooks: {
    prepare,
    attributes: ({ data }) => ({ type: [data.type] }),
    present: async (document, call) => {
      const { last_reset_at } = rolledOver(document.data, call.nowMs)
      return {
        next_usage_reset_at: isoOf(usagePeriod(document.data, call.nowMs).resetsAt),
        last_reset_at,
        ...(call.request.query.include_usage === 'true'
          ? { value_key_usage_map: await usageMapOf(document, call) }
          : {}),
      }
    },
  },
  routes: usageEntityRoutes,
})

const isoOf = (timeMs: number | null) => (timeMs === null ? null : new Date(timeMs).toISOString())

async function prepare(write: Write<UsageLimitPolicyData, 'counters'>): Promise<void> {
  if (write.action === 'archive') return
  let isGood = true
  const noting: Write<UsageLimitPolicyData> = {
    ...write,
    fault(...said) {
      isGood = false
      write.fault(...said)
    },
  }
  checkPolicy(noting, 'llm')
  takeLimit(noting)
  const { reset_usage_for_value: valueKey } = write.body
  // This runs before the commit: the caller must get an error if the counter is unavailable.
  if (isGood && typeof valueKey === 'string' && write.before !== null) {
    await resetGroup(write.before, valueKey, write.call)
    write.also.push(...groupResets(write.before, valueKey, write.call))
  }
}

/** The rules for the budget are those of every usage limit. */
function takeLimit({ draft, before, call, body, isGiven, fault }: Write<UsageLimitPolicyData>): void {
  const { data } = draft
  // Setting one kind of period clears the other.
  if (isSet(body.periodic_reset) && !isGiven('periodic_reset_days')) data.periodic_reset_days = null
  if (isSet(body.periodic_reset_days) && !isGiven('periodic_reset')) data.periodic_reset = null
  const { type, credit_limit, alert_threshold, periodic_reset, periodic_reset_days } = data
  const faults: Parameters<typeof readUsageLimits>[2]['faults'] = []
  const [limit] = readUsageLimits(
    {
      type,
      credit_limit,
      alert_threshold,
      periodic_reset,
      periodic_reset_days,
      ...(isGiven('next_usage_reset_at') ? { next_usage_reset_at: data.next_usage_reset_at } : {}),
    },
    before === null ? [] : [limitOf(before)],
    { param: '', faults, nowMs: call.nowMs },
  )
  for (const { param, message, code } of faults) fault(param, message, code)
  if (limit !== undefined) Object.assign(data, limit)
}

const isSet = (value: unknown) => value !== undefined && value !== null

function limitOf({ data }: StoredDocument<UsageLimitPolicyData>): UsageLimit {
  const { conditions: _, group_by: __, ...limit } = data
  return limit
}
