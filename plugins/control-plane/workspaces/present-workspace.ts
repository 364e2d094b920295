/** How answers show a workspace: limits with usage, effective settings, and for a single one its members. */

import type { JsonObject, StoredDocument } from '@gateway/contract'
import { effectiveSettings, kinds, limitOwners, type WorkspaceData } from '@gateway/domain'
import type { Call } from '../engine/index.ts'
import { completeDefaults, loadUsage, presentLimits } from '../shared/index.ts'
import { presentMembers } from './member.ts'

type WorkspaceDocument = StoredDocument<WorkspaceData>

const maxShownMembers = 1000

/** Members in addition to its fields. */
export async function presentWorkspace(
  document: WorkspaceDocument,
  call: Call<'counters'>,
  view: 'one' | 'list',
): Promise<JsonObject> {
  const organisation = await call.organisation()
  const { data } = document
  const limits = { usage_limits: data.usage_limits ?? [], rate_limits: data.rate_limits ?? [] }
  const { counters } = call.context
  const usage = await loadUsage(counters, limitOwners.workspace(document.id), {
    limits: limits.usage_limits,
    nowMs: call.nowMs,
  })
  return {
    defaults: {
      user_api_key_config: null,
      ...completeDefaults(data.defaults ?? {}),
    },
    settings: { ...data.settings },
    ...presentLimits(limits, usage, 'list'),
    is_default: organisation.data.default_workspace_id === document.id,
    last_reset_at: data.last_reset_at ?? null,
    effective_settings: effectiveSettings(organisation.data, data),
    ...(view === 'one' ? { users: await membersOf(call, document) } : {}),
  }
}

/** For an archived workspace: the members archived with it. */
async function membersOf(call: Call, workspace: WorkspaceDocument): Promise<JsonObject[]> {
  const { documents } = await call.documents.list(
    kinds.member,
    { organisation_id: call.organisationId, workspace_ids: [workspace.id], statuses: [workspace.status] },
    { order: 'asc', offset: 0, limit: maxShownMembers },
  )
  return presentMembers(call, workspace, documents)
}
