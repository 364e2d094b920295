/** The fields of limits, from the API's schema, for keys, providers, workspaces and policies. */
import type { NameOf, Schema } from '../api-types.ts'
import { endpointOptions } from '../parts/endpoint-text.ts'
import { groupKeysText } from '../parts/group-text.ts'
import { type FieldSpec, type HintBy, optionsOf, type PartSpec } from './declare.ts'

type ItemOf<T> = T extends (infer One)[] ? One : never
type UsageLimit = ItemOf<NonNullable<Schema<'ApiKeyCreateBody'>['usage_limits']>>
type RateLimit = ItemOf<NonNullable<Schema<'ApiKeyCreateBody'>['rate_limits']>>
type Condition = Schema<'PolicyCondition'>

const partsOf = <Limit>(parts: readonly (PartSpec & { name: NameOf<Limit> })[]): readonly PartSpec[] => parts

export const usageTypes = optionsOf<NonNullable<UsageLimit['type']>>({
  cost: 'Cost in US$',
  tokens: 'Tokens',
  requests: 'Requests',
})

export const rateTypes = optionsOf<RateLimit['type']>({ requests: 'Requests', tokens: 'Tokens' })

const policyUnits = { rpm: 'Per minute', rph: 'Per hour', rpd: 'Per day', rpw: 'Per week' } as const
export const policyRateUnits = optionsOf<Schema<'RateLimitPolicyCreateBody'>['unit']>(policyUnits)
const rateUnits = optionsOf<RateLimit['unit']>({ rps: 'Per second', ...policyUnits })
/** Behind an amount. */
export const rateUnitWords: Readonly<Record<string, string>> = Object.fromEntries(
  rateUnits.map(([unit, word]) => [unit, word.toLowerCase()]),
)

const units = <Type extends string>(hints: Readonly<Record<Type, string>>): HintBy => ({
  member: 'type',
  hints,
})
const usageUnits = units<NonNullable<UsageLimit['type']>>({
  cost: 'In US$.',
  tokens: 'In tokens.',
  requests: 'In requests.',
})
/** The maximum in one unit of time. */
export const rateValue = {
  name: 'value',
  label: 'Value',
  kind: 'number',
  hintBy: units<RateLimit['type']>({ requests: 'In requests.', tokens: 'In tokens.' }),
} as const

export const creditLimit = {
  name: 'credit_limit',
  label: 'Credit limit',
  kind: 'number',
  hintBy: usageUnits,
} as const
export const alertThreshold = {
  name: 'alert_threshold',
  label: 'Alert threshold',
  kind: 'number',
  hintBy: usageUnits,
} as const
export const periodicReset = {
  name: 'periodic_reset',
  label: 'Periodic reset',
  kind: 'select',
  options: [
    ['', 'None'],
    ...optionsOf<NonNullable<UsageLimit['periodic_reset']>>({
      weekly: 'Weekly',
      monthly: 'Monthly',
    }),
  ],
} as const
export const periodicResetDays = {
  name: 'periodic_reset_days',
  label: 'Periodic reset days',
  kind: 'number',
  hint: 'Overrides the periodic reset.',
} as const

const usageParts = partsOf<UsageLimit>([
  { name: 'type', label: 'Type', kind: 'select', options: usageTypes, initial: 'cost' },
  creditLimit,
  alertThreshold,
  { ...periodicReset, initial: 'monthly' },
  periodicResetDays,
])

const rateParts = partsOf<RateLimit>([
  { name: 'type', label: 'Type', kind: 'select', options: rateTypes, initial: 'requests' },
  { name: 'unit', label: 'Unit', kind: 'select', options: rateUnits, initial: 'rpm' },
  rateValue,
])

export const limits = [
  {
    name: 'usage_limits',
    label: 'Usage limits',
    kind: 'rows',
    singular: 'usage limit',
    parts: usageParts,
  },
  { name: 'rate_limits', label: 'Rate limits', kind: 'rows', singular: 'rate limit', parts: rateParts },
] as const satisfies readonly FieldSpec[]

/** Metadata names are arbitrary; the one of the end user is an example. */
const policyKeys = [
  'workspace_id',
  'api_key',
  'provider',
  'model',
  'config',
  'prompt',
  'endpoint_type',
  'virtual_key',
  'organisation_id',
  'metadata._user',
].map((key) => [key, groupKeysText([key])] as const)

const valueHints: HintBy = {
  member: 'key',
  hints: {
    api_key: 'IDs of keys.',
    workspace_id: 'IDs or slugs of workspaces.',
    endpoint_type: `IDs, such as ${endpointOptions
      .slice(0, 5)
      .map(([id, words]) => `${id} (${words.toLowerCase()})`)
      .join(', ')}.`,
  },
}

export const conditions = {
  name: 'conditions',
  label: 'Conditions',
  kind: 'rows',
  singular: 'condition',
  initial: [{ key: 'workspace_id', value: '*' }],
  hint: 'The limit counts requests that match all conditions. Enter one value per line; * matches every value.',
  parts: partsOf<Condition>([
    { name: 'key', label: 'Key', kind: 'text', proposed: policyKeys },
    { name: 'value', label: 'Value', kind: 'lines', hintBy: valueHints },
    { name: 'excludes', label: 'Excludes', kind: 'lines' },
  ]),
} as const satisfies FieldSpec

export const groupBy = {
  name: 'group_by',
  label: 'Groups',
  kind: 'rows',
  singular: 'group',
  on: 'create',
  initial: [{ key: 'api_key' }],
  hint: 'Each group of requests has its own limit.',
  parts: partsOf<Schema<'PolicyGroup'>>([
    { name: 'key', label: 'Group by', kind: 'text', proposed: policyKeys },
  ]),
} as const satisfies FieldSpec
