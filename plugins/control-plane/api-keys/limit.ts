/**
 * `user_api_key_limit` (management contract, section 5): the maximum number of live keys of a user in a workspace.
 * Adding a key also writes the user's count, so the later of two concurrent additions restarts.
 */

import type { DocumentWrite } from '@gateway/contract'
import { derivedId, kinds } from '@gateway/domain'
import { type Call, conflict, listAll } from '../engine/index.ts'
import { statusOf } from './data.ts'

interface Place {
  workspaceId: string
  userId: string
  /** The key that becomes live. */
  keyId: string
  limit: number
}

/**
 * Throws `conflict` when the user already has the allowed number of live keys. Otherwise returns the writes for the
 * commit.
 */
export async function countedKey(
  call: Pick<Call, 'documents' | 'organisationId' | 'nowMs'>,
  place: Place,
): Promise<DocumentWrite> {
  const { documents, organisationId, nowMs } = call
  const { workspaceId, userId, keyId, limit } = place
  const id = derivedId(`${kinds.userKeyCount}\n${workspaceId}\n${userId}`)
  // Read before counting: a concurrent addition that commits first changes this document's version.
  const count = await documents.get(kinds.userKeyCount, id)
  const keys = await listAll(call, kinds.apiKey, {
    organisation_id: organisationId,
    workspace_ids: [workspaceId],
    statuses: ['active', 'exhausted'],
    attributes: { type: ['workspace-user'], user_id: [userId] },
  })
  const live = keys.filter((key) => key.id !== keyId && statusOf(key, nowMs) !== 'expired')
  if (live.length >= limit) {
    throw conflict(
      `The user has ${live.length} live keys in this workspace; at most ${limit} are allowed. Archive one of them first.`,
    )
  }
  return {
    op: 'put',
    isQuiet: true,
    expected: count?.version ?? 0,
    document: {
      kind: kinds.userKeyCount,
      id,
      organisation_id: organisationId,
      workspace_id: workspaceId,
      slug: null,
      name: null,
      status: 'active',
      created_at: count?.created_at ?? nowMs,
      last_updated_at: nowMs,
      keys: [],
      attributes: {},
      data: { user_id: userId, live_keys: live.length + 1 },
    },
  }
}
