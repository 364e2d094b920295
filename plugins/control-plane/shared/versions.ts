/**
 * Versions of a document's content: separate documents, written in the commit that creates them, never changed. They
 * are found by `version:DOCUMENT/NUMBER`.
 */

import { type DocumentWrite, GatewayError, type JsonObject, type StoredDocument } from '@gateway/contract'
import { type VersionData, versionKey } from '@gateway/domain'
import { type Call, type DraftOf, type Paging, writerOf } from '../engine/index.ts'

export interface NewVersion {
  kind: string
  id: string
  version: number
  content: JsonObject
}

/** The write that stores a version of this draft. */
export function versionWrite(
  { kind, id, version, content }: NewVersion,
  draft: Pick<DraftOf<unknown>, 'id' | 'organisation_id' | 'workspace_id'>,
  call: Call,
): DocumentWrite {
  return {
    op: 'put',
    expected: 0,
    document: {
      kind,
      id,
      organisation_id: draft.organisation_id,
      workspace_id: draft.workspace_id,
      slug: null,
      // Versions are listed in this order.
      name: String(version).padStart(10, '0'),
      status: 'active',
      created_at: call.nowMs,
      last_updated_at: call.nowMs,
      keys: [versionKey(draft.id, version)],
      attributes: { of_id: [draft.id] },
      data: { of_id: draft.id, version, content, updated_by: writerOf(call) },
    },
  }
}

const isVersionData = (data: JsonObject): data is JsonObject & VersionData => typeof data.of_id === 'string'

interface FindVersionOptions {
  kind: string
  documentId: string
  version: number
}

/** Finds a version by its number, or returns null. */
export async function findVersion(
  call: Pick<Call, 'documents'>,
  { kind, documentId, version }: FindVersionOptions,
): Promise<(StoredDocument & { data: VersionData }) | null> {
  const found = await call.documents.findByKey(kind, versionKey(documentId, version))
  return found !== null && isVersionData(found.data) ? { ...found, data: found.data } : null
}

interface ListVersionsOptions {
  documentId: string
  paging: Paging
}

/** One page of a document's versions, newest first. */
export async function listVersions(
  call: Call,
  kind: string,
  { documentId, paging: { current_page, page_size } }: ListVersionsOptions,
): Promise<{ total: number; versions: (StoredDocument & { data: VersionData })[] }> {
  const { total, documents } = await call.documents.list(
    kind,
    { attributes: { of_id: [documentId] } },
    { sort: 'name', order: 'desc', offset: current_page * page_size, limit: page_size },
  )
  const versions = documents.flatMap((each) =>
    isVersionData(each.data) ? [{ ...each, data: each.data }] : [],
  )
  return { total, versions }
}

/** The version that a GET names, as `?version=N` or `{id}@N`, or null. Errors: `invalid_query`. */
export function askedVersion({ request }: Call): { version: number; param: string } | null {
  if (request.method !== 'GET') return null
  const { id = '' } = request.params
  const at = id.indexOf('@')
  const [written, param] =
    at === -1 ? [request.query.version, 'query/version'] : [id.slice(at + 1), 'path/id']
  if (written === undefined) return null
  if (/^[1-9]\d{0,8}$/.test(written)) return { version: Number(written), param }
  throw new GatewayError('invalid_query', 'The version must be a whole number from 1.', { param })
}
