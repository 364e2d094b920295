/** Archives the keys of users who leave: as writes, for the commit that ends the membership. */
import type { DocumentFilter, Documents, DocumentWrite, StoredDocument } from '@gateway/contract'
import { kinds } from '@gateway/domain'

const pageSize = 500

async function everyOne(
  documents: Pick<Documents, 'list'>,
  kind: string,
  filter: DocumentFilter,
): Promise<StoredDocument[]> {
  const found: StoredDocument[] = []
  for (;;) {
    const page = { offset: found.length, limit: pageSize }
    const read = await documents.list(kind, filter, { sort: 'id', order: 'asc', ...page })
    found.push(...read.documents)
    if (read.documents.length < pageSize) return found
  }
}

function ended({ version, ...document }: StoredDocument, nowMs: number): DocumentWrite {
  const { sealed: _, ...data } = document.data
  return {
    op: 'put',
    expected: version,
    document: {
      ...document,
      status: 'archived',
      last_updated_at: Math.max(nowMs, document.last_updated_at),
      keys: [],
      attributes: { ...document.attributes, due: [] },
      data: { ...data, ...('unread' in data ? { unread: null } : {}) },
    },
  }
}

interface EndUserKeysOptions {
  userId: string
  workspaceId: string | null
  nowMs: number
}

/** Archives a user's keys: in one workspace, or (null) in all. */
export const endUserKeys = (
  documents: Pick<Documents, 'list'>,
  { userId, workspaceId, nowMs }: EndUserKeysOptions,
): Promise<DocumentWrite[]> => endKeysOfUsers(documents, [userId], { workspaceId, nowMs })

/** Archives the keys of many users at once. */
export async function endKeysOfUsers(
  documents: Pick<Documents, 'list'>,
  userIds: readonly string[],
  { workspaceId, nowMs }: { workspaceId: string | null; nowMs: number },
): Promise<DocumentWrite[]> {
  const writes: DocumentWrite[] = []
  for (let start = 0; start < userIds.length; start += pageSize) {
    const found = await everyOne(documents, kinds.apiKey, {
      statuses: ['active', 'exhausted', 'expired'],
      attributes: { type: ['workspace-user'], user_id: userIds.slice(start, start + pageSize) },
      ...(workspaceId === null ? {} : { workspace_ids: [workspaceId] }),
    })
    writes.push(...found.map((document) => ended(document, nowMs)))
  }
  return writes
}
