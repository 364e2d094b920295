/** Users who leave or are suspended: the rules for every caller, as writes for one commit. */
import type { DocumentWrite } from '@gateway/contract'
import { kinds } from '@gateway/domain'
import { endUserKeys } from '../api-keys/index.ts'
import { type Call, conflict, listAll } from '../engine/index.ts'
import { endConnections } from './end-connections.ts'
import { endSessions } from './end-sessions.ts'

type Caller = Pick<Call, 'documents' | 'organisationId' | 'organisation' | 'nowMs'>

/**
 * Throws `conflict` for the last owner. Writes the organisation so that two owners who leave at the same time cannot
 * both succeed.
 */
export async function keepAnOwner(call: Caller, email: string): Promise<DocumentWrite> {
  const { total } = await call.documents.list(
    kinds.user,
    { organisation_id: call.organisationId, statuses: ['active'], attributes: { role: ['owner'] } },
    { offset: 0, limit: 1 },
  )
  if (total <= 1)
    throw conflict(`${email} is the last owner of the organisation. Make another user an owner first.`)
  const { version, ...organisation } = await call.organisation()
  return {
    op: 'put',
    isQuiet: true,
    expected: version,
    document: { ...organisation, data: { ...organisation.data } },
  }
}

/** A deleted user leaves every workspace and group, and their credentials stop working. */
export async function leaveWrites(call: Caller, userId: string): Promise<DocumentWrite[]> {
  const ofUser = { attributes: { user_id: [userId] } }
  const left = await Promise.all(
    [kinds.member, kinds.scimGroupMember].map((kind) => listAll(call, kind, ofUser)),
  )
  return [
    ...left
      .flat()
      .map(({ kind, id, version }): DocumentWrite => ({ op: 'remove', kind, id, expected: version })),
    ...(await endUserKeys(call.documents, { userId, workspaceId: null, nowMs: call.nowMs })),
    ...(await endSessions(call.documents, userId, call.nowMs)),
    ...(await endConnections(call.documents, userId)),
  ]
}
