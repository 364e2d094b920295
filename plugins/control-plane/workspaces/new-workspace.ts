/** Creates a workspace implicitly, for example from a group's name. */

import type { DocumentDraft } from '@gateway/contract'
import type { WorkspaceData } from '@gateway/domain'
import { timeOrderedId } from '@gateway/domain'
import { type Call, freeSlug, index, writerOf } from '../engine/index.ts'
import { completeDefaults } from '../shared/index.ts'
import { workspaces } from './workspaces.ts'

export async function newWorkspace(call: Call, name: string): Promise<DocumentDraft<WorkspaceData>> {
  const data: WorkspaceData & { description: null; icon: null } = {
    description: null,
    icon: null,
    defaults: { ...completeDefaults(null), user_api_key_config: null },
    settings: {},
    usage_limits: [],
    rate_limits: [],
    last_reset_at: null,
  }
  const writer = writerOf(call)
  const draft = {
    kind: workspaces.kind,
    id: timeOrderedId(call.nowMs),
    organisation_id: call.organisationId,
    workspace_id: null,
    slug: await freeSlug(workspaces, call, { name, scopeId: call.organisationId }),
    name,
    status: 'active',
    created_at: call.nowMs,
    last_updated_at: call.nowMs,
    keys: [] as string[],
    attributes: {},
    data: { ...data, owner_id: writer, updated_by: writer },
  }
  index(workspaces, draft)
  return draft
}
