/** Ends what MCP clients and servers may do in a person's name: as writes, for the commit that ends the person's sessions. */
import type { DocumentWrite, StoredDocument } from '@gateway/contract'
import type { TypedDocuments } from '@gateway/core/domain'
import { listAll } from '../engine/index.ts'

/** Tokens that clients were given here; their owner is the attribute `user_id`. */
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

/** A connection to an upstream is found by nobody from now on; its token is revoked upstream by a job, which erases it. */
const archived = ({ version: _, ...connection }: StoredDocument): DocumentWrite => ({
  op: 'put',
  document: { ...connection, status: 'archived', keys: [], attributes: {} },
})
