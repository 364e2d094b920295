/** Ends sessions: as writes, for the commit of the change that ends them. */
import type { DocumentFilter, DocumentWrite } from '@gateway/contract'
import { kinds, type TypedDocuments } from '@gateway/domain'
import { listAll } from '../engine/index.ts'

export const endSessions = (
  documents: TypedDocuments,
  userId: string,
  nowMs: number,
): Promise<DocumentWrite[]> => endSessionsOf(documents, { user_id: [userId] }, nowMs)

/** Ends the sessions that match an attribute. */
export async function endSessionsOf(
  documents: TypedDocuments,
  attributes: NonNullable<DocumentFilter['attributes']>,
  nowMs: number,
): Promise<DocumentWrite[]> {
  const found = await listAll({ documents }, kinds.session, { statuses: ['active'], attributes })
  return found.map(({ version, ...session }) => ({
    op: 'put',
    expected: version,
    document: {
      ...session,
      status: 'archived',
      keys: [],
      last_updated_at: Math.max(nowMs, session.last_updated_at),
    },
  }))
}
