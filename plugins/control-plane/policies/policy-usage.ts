/** The usage of a usage-limit policy's groups, by value key (`metadata._user:ann`). */

import type { DocumentWrite, JsonObject, StoredDocument } from '@gateway/contract'
import {
  type DataOf,
  kinds,
  limitOwners,
  limitResets,
  listPolicyUsage,
  type PolicyUsage,
  resetPolicyUsage,
  type UsageLimitPolicyData,
  usageGroupId,
} from '@gateway/domain'
import type { Call } from '../engine/index.ts'

type Policy = StoredDocument<UsageLimitPolicyData>

const ownerOf = ({ id }: Policy) => limitOwners.usagePolicy(id)

const pageSize = 1000
/** The most groups that one call reads. Policies with more are listed page by page through search. */
const maxGroups = 100_000

/** All groups with usage in the current period, by value key. */
export async function listGroups(policy: Policy, call: Call<'counters'>): Promise<PolicyUsage[]> {
  const found: PolicyUsage[] = []
  const { counters } = call.context
  while (found.length < maxGroups) {
    const after = found.at(-1)?.value_key ?? null
    const page = { after, limit: pageSize }
    const next = await listPolicyUsage(counters, ownerOf(policy), {
      limit: policy.data,
      page,
      nowMs: call.nowMs,
    })
    found.push(...next)
    if (next.length < pageSize) break
  }
  return found
}

/** The entity's id: derived from the policy and the value key, so that it is the same in every period. */
export const entityIdOf = ({ id }: Policy, valueKey: string): string => usageGroupId(id, valueKey)

export const resetGroup = (policy: Policy, valueKey: string, call: Call<'counters'>): Promise<void> =>
  resetPolicyUsage(call.context.counters, ownerOf(policy), {
    limit: policy.data,
    valueKey,
    nowMs: call.nowMs,
  })

/** The event for a group that a caller resets. */
export const groupResets = (policy: Policy, valueKey: string, call: Call): DocumentWrite[] => {
  const { id, organisation_id, workspace_id, data } = policy
  const subject = { type: 'policy-usage-limits', id }
  return limitResets({ organisation_id, workspace_id, subject, limits: [data], valueKey }, call.nowMs)
}

/** Records that a caller has reset a group, because the counter does not show it. */
export function entityWrite(policy: Policy, valueKey: string, call: Call): DocumentWrite {
  return {
    op: 'put',
    isQuiet: true,
    document: {
      kind: kinds.usageLimitEntity,
      id: entityIdOf(policy, valueKey),
      organisation_id: policy.organisation_id,
      workspace_id: policy.workspace_id,
      slug: null,
      name: null,
      status: 'active',
      created_at: call.nowMs,
      last_updated_at: call.nowMs,
      keys: [],
      attributes: { policy_id: [policy.id] },
      data: { policy_id: policy.id, value_key: valueKey, last_reset_at: new Date(call.nowMs).toISOString() },
    },
  }
}

/** How answers show groups. */
export async function presentGroups(
  policy: Policy,
  groups: readonly PolicyUsage[],
  call: Call,
): Promise<JsonObject[]> {
  const ids = groups.map(({ value_key }) => entityIdOf(policy, value_key))
  const resets = await timesOf(kinds.usageLimitEntity, { ids, call }, (data) => data.last_reset_at)
  const seen = await timesOf(kinds.use, { ids, call }, (data) => data.last_used_at)
  return groups.map((group, index) => {
    const id = ids[index] ?? ''
    return {
      id,
      object: 'policy_usage_limits_entity',
      value_key: group.value_key,
      current_usage: group.current_usage,
      status: group.status,
      last_reset_at: latest(resets.get(id) ?? null, group.last_reset_at),
      next_usage_reset_at: group.next_usage_reset_at,
      last_seen_at: seen.get(id) ?? null,
    }
  })
}

/** Both times have the same format. */
const latest = (one: string | null, other: string | null) =>
  one === null || other === null ? (one ?? other) : one > other ? one : other

/** The times of documents that exist for some of the groups. */
async function timesOf<Kind extends string>(
  kind: Kind,
  { ids, call }: { ids: readonly string[]; call: Call },
  timeOf: (data: DataOf<Kind>) => string,
): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map()
  const { documents } = await call.documents.list(kind, { ids }, { offset: 0, limit: ids.length })
  return new Map(documents.map(({ id, data }) => [id, timeOf(data)]))
}

/** Usage by value key, for `include_usage`. */
export async function usageMapOf(policy: Policy, call: Call<'counters'>): Promise<JsonObject> {
  const { alert_threshold: threshold, credit_limit: limit } = policy.data
  const groups = await listGroups(policy, call)
  return Object.fromEntries(
    groups.map(({ value_key, current_usage, status }) => [
      value_key,
      {
        current_usage,
        status,
        is_threshold_alerts_sent: threshold !== null && current_usage >= threshold,
        is_exhausted_alerts_sent: current_usage >= limit,
      },
    ]),
  )
}
