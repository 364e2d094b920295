/**
 * Lists with a cursor: newest first, after the object with the id `after`. Errors: 400 `invalid_query`,
 * `invalid_cursor`.
 */
import { type Fault, GatewayError, type JsonObject } from '@gateway/contract'
import { compareDocuments, type DocumentOf, type TypedDocuments } from '@gateway/domain'
import { check } from './faults.ts'
import { type ReadId, readId } from './ids.ts'

export interface CursorQuery {
  after: string | null
  limit: number
  order: 'asc' | 'desc'
}

export function readCursorQuery(
  query: Readonly<Record<string, string>>,
  { most, standard }: { most: number; standard: number },
): CursorQuery {
  const faults: Fault[] = []
  const fault = (name: string, message: string) =>
    faults.push({ param: `query/${name}`, code: 'invalid_query', message: `query/${name}: ${message}` })
  const { limit: written, order = 'desc', after = null } = query
  const limit = written === undefined ? standard : Number(written)
  if (written !== undefined && !(/^\d{1,6}$/.test(written) && limit >= 1 && limit <= most))
    fault('limit', `must be a whole number from 1 to ${most}`)
  if (order !== 'asc' && order !== 'desc') fault('order', 'must be asc or desc')
  check(faults)
  return { after, limit, order: order === 'asc' ? 'asc' : 'desc' }
}

type Kind = 'file' | 'batch' | 'fine_tuning_job'

export interface CursorList<K extends Kind> {
  documents: TypedDocuments
  kind: K
  workspaceId: string
  attributes: Readonly<Record<string, readonly string[]>>
  query: CursorQuery
  /** Stored objects that are not listed. */
  isHidden?(document: DocumentOf<K>): boolean
  present(document: DocumentOf<K>): JsonObject
}

/** The page size in the store. The cursor may be among others of its millisecond. */
const pageSize = 500

export async function listByCursor<K extends Kind>(list: CursorList<K>): Promise<JsonObject> {
  const { documents, kind, workspaceId, attributes, query, isHidden = () => false, present } = list
  const { limit, order } = query
  const after = query.after === null ? null : await cursorOf(list, query.after)
  const from = after?.created_at
  const filter = {
    workspace_ids: [workspaceId],
    attributes,
    ...(from === undefined ? {} : order === 'desc' ? { created_to: from + 1 } : { created_from: from }),
  }
  const compare = compareDocuments({ sort: 'created_at', order })
  const found: DocumentOf<K>[] = []
  for (let offset = 0; found.length <= limit; offset += pageSize) {
    const page = await documents.list(kind, filter, { sort: 'created_at', order, offset, limit: pageSize })
    const read = page.documents as DocumentOf<K>[]
    found.push(...read.filter((one) => !isHidden(one) && (after === null || compare(one, after) > 0)))
    if (read.length < pageSize) break
  }
  const data = found.slice(0, limit).map(present)
  return {
    object: 'list',
    data,
    has_more: found.length > limit,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  }
}

async function cursorOf<K extends Kind>(
  { documents, kind, workspaceId, attributes }: CursorList<K>,
  after: string,
): Promise<DocumentOf<K>> {
  const read: ReadId | null = readId(kind, after)
  const found = read === null || read.id === '' ? null : await documents.get(kind, read.id)
  if (
    found === null ||
    found.workspace_id !== workspaceId ||
    !(attributes.owner ?? []).includes(read?.owner ?? '')
  )
    throw new GatewayError('invalid_cursor', 'query/after: no object of this list has this id.', {
      param: 'query/after',
    })
  return found
}
