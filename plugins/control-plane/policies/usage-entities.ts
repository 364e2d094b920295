/** The groups of a usage-limit policy: listing them with their usage, and resetting single ones (section 15). */

import type { JsonObject, StoredDocument } from '@gateway/contract'
import type { PolicyUsage, UsageLimitPolicyData } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import { type Call, type ExtraRoute, listAnswer, notFound, pagingOf } from '../engine/index.ts'
import { pageQuery } from '../shared/index.ts'
import {
  entityIdOf,
  entityWrite,
  groupResets,
  listGroups,
  presentGroups,
  resetGroup,
} from './policy-usage.ts'

type Policy = StoredDocument<UsageLimitPolicyData>

const textOrNull = Type.Union([Type.String(), Type.Null()])

const entity = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('policy_usage_limits_entity'),
    value_key: Type.String(),
    current_usage: Type.Number(),
    status: Type.Union([Type.Literal('active'), Type.Literal('exhausted')]),
    last_reset_at: textOrNull,
    next_usage_reset_at: textOrNull,
    last_seen_at: textOrNull,
  },
  { title: 'UsageEntity' },
)

const maxPageSize = 100

export const usageEntityRoutes: ExtraRoute<UsageLimitPolicyData, 'counters'>[] = [
  {
    method: 'GET',
    path: '/:id/entities',
    operationId: 'usageEntityList',
    summary: 'Lists the groups of a usage-limit policy with their usage in the current period',
    action: 'read',
    query: Type.Object({
      ...pageQuery.properties,
      page_size: Type.Optional(Type.Integer({ minimum: 1, maximum: maxPageSize, default: maxPageSize })),
      search: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
      status: Type.Optional(Type.Union([Type.Literal('active'), Type.Literal('exhausted')])),
    }),
    answer: Type.Object({
      object: Type.Literal('list'),
      total: Type.Integer(),
      current_page: Type.Integer(),
      page_size: Type.Integer(),
      has_more: Type.Boolean(),
      data: Type.Array(entity),
    }),
    handle: listEntities,
  },
  {
    method: 'PUT',
    path: '/:id/entities/:entityId/reset',
    operationId: 'usageEntityReset',
    summary: 'Resets the usage of a group to 0',
    action: 'update',
    auditAction: 'reset',
    isBodyOptional: true,
    answer: entity,
    handle: resetEntity,
  },
]

async function listEntities(call: Call<'counters'>, policy: Policy): Promise<JsonObject> {
  const { status, search, page_size: pageSize = maxPageSize } = call.query
  const paging = pagingOf({ ...call.query, page_size: pageSize })
  const from = paging.current_page * paging.page_size
  const wanted = String(search ?? '').toLowerCase()
  const groups = (await listGroups(policy, call)).filter(
    (group) =>
      (status === undefined || group.status === status) && group.value_key.toLowerCase().includes(wanted),
  )
  const shown = groups.slice(from, from + paging.page_size)
  const data = await presentGroups(policy, shown, call)
  return listAnswer(data, groups.length, paging)
}

async function resetEntity(call: Call<'counters'>, policy: Policy): Promise<JsonObject> {
  const group = await findGroup(call, policy, call.request.params.entityId ?? '')
  await resetGroup(policy, group.value_key, call)
  await call.commit(
    [entityWrite(policy, group.value_key, call), ...groupResets(policy, group.value_key, call)],
    {
      action: 'reset',
      resource_type: 'usage_limit_entity',
      resource_id: entityIdOf(policy, group.value_key),
      workspace_id: policy.workspace_id,
      before: { current_usage: group.current_usage },
      after: { current_usage: 0 },
    },
  )
  const [shown] = await presentGroups(policy, [{ ...group, current_usage: 0, status: 'active' }], call)
  return shown ?? {}
}

/** Finds a group by its id or value key. */
async function findGroup(call: Call<'counters'>, policy: Policy, written: string): Promise<PolicyUsage> {
  const groups = await listGroups(policy, call)
  const found = groups.find(
    ({ value_key: valueKey }) => valueKey === written || entityIdOf(policy, valueKey) === written,
  )
  if (found === undefined) throw notFound('path/entityId', 'group of this policy')
  return found
}
