/** Limits for groups of requests: on their usage and on their rate. */
import type { Row } from '../api.ts'
import { groupKeysText } from '../parts/group-text.ts'
import { declare, description, type FieldSpec, type Options, workspace } from './declare.ts'
import {
  alertThreshold,
  conditions,
  creditLimit,
  groupBy,
  periodicReset,
  periodicResetDays,
  policyRateUnits,
  rateTypes,
  rateUnitWords,
  rateValue,
  usageTypes,
} from './limits.ts'
import { reactivate } from './undo.ts'

const shared = [
  { name: 'name', label: 'Name', kind: 'text' },
  description,
  workspace,
  conditions,
  groupBy,
] as const satisfies readonly FieldSpec[]

/** The subject of a policy, which cannot be changed. */
const factsIn =
  (types: Options) =>
  ({ type, group_by: groups }: Row): readonly (readonly [string, string])[] => [
    ['Type', types.find(([value]) => value === type)?.[1] ?? String(type)],
    ['Group by', groupKeysText(Array.isArray(groups) ? groups.map(({ key }) => String(key)) : [])],
  ]

export const usagePolicies = declare({
  path: 'policies',
  undo: reactivate(),
  title: 'Policies',
  singular: 'usage policy',
  api: '/v1/policies/usage-limits',
  one: '/v1/policies/usage-limits/{id}',
  families: ['policies'],
  columns: [
    { name: 'name', label: 'Name' },
    { name: 'type', label: 'Type' },
    { name: 'credit_limit', label: 'Limit', kind: 'amount' },
    { name: 'periodic_reset', label: 'Resets' },
    { name: 'status', label: 'Status', kind: 'status' },
    { name: 'source', label: 'Source' },
  ],
  fields: [
    ...shared,
    { name: 'type', label: 'Type', kind: 'select', on: 'create', initial: 'cost', options: usageTypes },
    { ...creditLimit, isRequired: true, initial: 10 },
    alertThreshold,
    { ...periodicReset, initial: 'monthly' },
    periodicResetDays,
  ],
  factsOf: factsIn(usageTypes),
  onDelete: 'It no longer limits any request.',
  about: 'A usage policy limits what each group of requests may use.',
  begin: 'Create one to give each key, user or team a monthly budget.',
})

export const rateLimitPolicies = declare({
  path: 'rate-limits',
  undo: reactivate(),
  title: 'Rate limits',
  singular: 'rate limit',
  api: '/v1/policies/rate-limits',
  one: '/v1/policies/rate-limits/{id}',
  families: ['policies'],
  columns: [
    { name: 'name', label: 'Name' },
    { name: 'value', label: 'Limit', kind: 'amount' },
    { name: 'unit', label: 'Unit', words: rateUnitWords },
    { name: 'status', label: 'Status', kind: 'status' },
    { name: 'source', label: 'Source' },
  ],
  fields: [
    ...shared,
    {
      name: 'type',
      label: 'Type',
      kind: 'select',
      on: 'create',
      initial: 'requests',
      options: rateTypes,
    },
    {
      name: 'unit',
      label: 'Unit',
      kind: 'select',
      initial: 'rpm',
      options: policyRateUnits,
    },
    { ...rateValue, isRequired: true, initial: 60 },
  ],
  factsOf: factsIn(rateTypes),
  onDelete: 'It no longer limits any request.',
  about: 'A rate limit controls how many requests or tokens each group may use in a period.',
  begin: 'Create one to keep a single key or user from using all the capacity.',
})
