/** How answers show a user (management contract, section 7). */

import type { JsonObject } from '@gateway/contract'
import { kinds } from '@gateway/domain'
import { listAll, toIso, type Viewer } from '../engine/index.ts'
import { lastUses } from '../shared/index.ts'
import type { UserDocument } from './people.ts'

const usersKey = (id: string) => `user ${id}`
interface Extras {
  workspaceIds: string[]
  lastLoginAt: string | null
}

/** Reads the memberships and last sign-ins of a page at once. */
export async function preloadUsers(documents: readonly UserDocument[], call: Viewer): Promise<void> {
  const ids = documents.map(({ id }) => id)
  const signedIn = await lastUses(ids, call)
  const ofThem = { statuses: ['active'], attributes: { user_id: ids } }
  const members = ids.length === 0 ? [] : await listAll(call, kinds.member, ofThem)
  for (const id of ids) {
    const extras: Extras = {
      workspaceIds: members.flatMap(({ workspace_id, attributes }) =>
        workspace_id !== null && attributes.user_id?.includes(id) ? [workspace_id] : [],
      ),
      lastLoginAt: signedIn.get(id) ?? null,
    }
    call.memory.set(usersKey(id), extras)
  }
}

export async function presentUser(document: UserDocument, call: Viewer): Promise<JsonObject> {
  if (!call.memory.has(usersKey(document.id))) await preloadUsers([document], call)
  const { workspaceIds, lastLoginAt } = call.memory.get(usersKey(document.id)) as Extras
  const { data } = document
  return {
    id: document.id,
    object: 'user',
    first_name: data.first_name,
    last_name: data.last_name,
    email: data.email,
    role: data.role,
    status: document.status,
    workspace_ids: workspaceIds,
    last_login_at: lastLoginAt ?? data.last_login_at,
    scim_managed: data.scim_managed ?? false,
    identity_provider: data.identity_provider ?? null,
    created_at: toIso(document.created_at),
    last_updated_at: toIso(document.last_updated_at),
  }
}
