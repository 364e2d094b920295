/** Ends what MCP clients and servers may do in a person's name: as writes, for the commit that ends the person's sessions. */
import type { DocumentWrite } from '@gateway/contract'
import type { TypedDocuments } from '@gateway/core/domain'
import { listAll } from '../engine/index.ts'

/** Connections to upstream servers, and tokens that clients were given here; their owner is the attribute `user_id`. */
const connectionKinds = ['mcp_connection', 'oauth_token', 'oauth_code'] as const

export async function endConnections(documents: TypedDocuments, userId: string): Promise<DocumentWrite[]> {
  const found = await Promise.all(
    connectionKinds.map((kind) => listAll({ documents }, kind, { attributes: { user_id: [userId] } })),
  )
  return found.flat().map(({ kind, id }) => ({ op: 'remove', kind, id }))
}
