/** Shared by both kinds of policies: conditions, groups and their validation (section 15). */

import { isObject } from '@gateway/contract'
import {
  normalisePolicyEndpoint,
  type PolicyCondition,
  type PolicyGroup,
  type PolicyTarget,
  policyFaults,
} from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import type { Call, Field, Write } from '../engine/index.ts'

const closed = { additionalProperties: false } as const

const text = Type.String({ minLength: 1, maxLength: 1024 })
const values = Type.Union([text, Type.Array(text, { minItems: 1, maxItems: 1000 })], {
  explain: 'must be a string, or a list of at least one',
})

const conditionSchema = Type.Object(
  { key: Type.String({ minLength: 1, maxLength: 255 }), value: values, excludes: Type.Optional(values) },
  { ...closed, title: 'PolicyCondition' },
)

const groupSchema = Type.Object(
  { key: Type.String({ minLength: 1, maxLength: 255 }) },
  { ...closed, title: 'PolicyGroup' },
)

export const policyFields = {
  name: { schema: Type.String({ minLength: 1, maxLength: 255 }) },
  description: { schema: Type.String({ maxLength: 1024 }) },
  conditions: { schema: Type.Array(conditionSchema, { minItems: 1, maxItems: 50 }), isRequired: true },
  group_by: {
    schema: Type.Array(groupSchema, { minItems: 1, maxItems: 10 }),
    isRequired: true,
    writable: 'create',
  },
} satisfies Record<string, Field>

/** The answer to creating a policy of either kind. The specification uses the same `object` for both. */
export const createdPolicy = Type.Object(
  { id: Type.String(), object: Type.Literal('policy_usage_limits') },
  { title: 'CreatedPolicy' },
)

/** Records errors of conditions and groups. Converts endpoints to their canonical spelling. */
export function checkPolicy<Data extends { conditions: PolicyCondition[]; group_by: PolicyGroup[] }>(
  { action, draft, call, fault }: Write<Data>,
  target: PolicyTarget,
): void {
  if (action === 'create' && !namesOrganisation(call)) fault('/organisation_id', 'is required for a session')
  const { conditions, group_by } = draft.data
  for (const { param, message, code } of policyFaults({ conditions, group_by }, target)) {
    fault(param, message, code)
  }
  draft.data.conditions = conditions.map(withEndpoints)
}

/** A key or token belongs to an organisation; a session must specify it. */
function namesOrganisation({ identity, request: { query }, sent }: Call): boolean {
  const isPerson = identity.type === 'session' && identity.keyId === null
  const written = (isObject(sent) ? sent.organisation_id : undefined) ?? query.organisation_id
  return !isPerson || (written !== undefined && written !== '')
}

function withEndpoints(condition: PolicyCondition): PolicyCondition {
  if (condition.key !== 'endpoint_type') return condition
  const spell = (written: string | string[]) =>
    typeof written === 'string' ? normalisePolicyEndpoint(written) : written.map(normalisePolicyEndpoint)
  return {
    ...condition,
    value: spell(condition.value),
    ...(condition.excludes === undefined ? {} : { excludes: spell(condition.excludes) }),
  }
}
