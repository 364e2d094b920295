/** Rate-limit policies (management contract, section 15): limits per window and group. */

import { kinds, type RateLimitPolicyData } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import { defineResource } from '../engine/index.ts'
import { checkPolicy, createdPolicy, policyFields } from './policy-shape.ts'

const oneOf = (...names: string[]) =>
  Type.Unsafe<string>({ type: 'string', enum: names, explain: `must be one of ${names.join(', ')}` })

const type = oneOf('requests', 'tokens')
const unit = oneOf('rpm', 'rph', 'rpd', 'rpw')

export const rateLimitPolicies = defineResource<RateLimitPolicyData>({
  kind: kinds.rateLimitPolicy,
  object: 'policy_rate_limits',
  title: 'rate-limit policy',
  tag: 'Policies',
  operation: 'rateLimitPolicy',
  path: '/policies/rate-limits',
  level: 'workspace',
  families: [{ family: 'policies' }],
  slug: null,
  fields: {
    ...policyFields,
    type: { schema: type, isRequired: true, writable: 'create' },
    unit: { schema: unit, isRequired: true },
    value: { schema: Type.Integer({ minimum: 1 }), isRequired: true },
    target: { schema: oneOf('llm', 'mcp_tools'), default: 'llm', writable: 'create' },
  },
  createAnswer: { schema: createdPolicy, of: ({ id }) => ({ id, object: 'policy_usage_limits' }) },
  filters: { type: { schema: type, attribute: 'type' }, unit: { schema: unit, attribute: 'unit' } },
  listed: ['active'],
  writableStatuses: ['active', 'archived'],
  hooks: {
    prepare(write) {
      if (write.action !== 'archive') checkPolicy(write, write.draft.data.target)
    },
    attributes: ({ data }) => ({ type: [data.type], unit: [data.unit] }),
  },
})
