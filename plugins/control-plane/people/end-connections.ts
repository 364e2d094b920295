/**
 * Ends the access that a user granted to MCP clients and servers: as writes, for the commit that ends the user's
 * sessions.
 */
import type { DocumentWrite, StoredDocument } from '@gateway/contract'
import type { TypedDocuments } from '@gateway/domain'
import { listAll } from '../engine/index.ts'

/** Tokens that this gateway issued to clients; the attribute `user_id` names their owner. */
const tokenKinds = ['oauth_token', 'oauth_code'] as const

export async function endConnections(documents: TypedDocuments, userId: string): Promise<DocumentWrite[]> {
  const ofUser = { attributes: { user_id: [userId] } }
  const [connections, ...tokens] = await Promise.all([
    listAll({ documents }, 'mcp_connection', ofUser),
    ...tokenKinds.map((kind) => listAll({ documents }, kind, ofUser)),
  ])
  return [...connections.map(archived), ...tokens.flat().map(removed)]
}

const removed = ({ kind, id }: StoredDocument<unknown>): DocumentWrite => ({ op: 'remove', kind, id })

/** An archived connection to an upstream is no longer found. A job revokes its token upstream and then erases it. */
const archived = ({ version: _, ...connection }: StoredDocument): DocumentWrite => ({
  op: 'put',
  document: { ...connection, status: 'archived', keys: [], attributes: {} },
})
