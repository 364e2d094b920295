/**
 * The gateway's own files: their documents, their bytes, and the size limit of a workspace. Errors: 404 `not_found`;
 * 413 `body_too_large` for a workspace at its limit; `store_unavailable`.
 */
import { Readable } from 'node:stream'
import { type DocumentWrite, GatewayError, isGatewayError, type ServiceContext } from '@gateway/contract'
import { type DocumentOf, type TypedDocuments, typedDocuments } from '@gateway/domain'
import type { FileData, Owner } from '../shared/entities.ts'
import { notFound, tooLarge } from '../shared/faults.ts'
import { newId, readId, writeId } from '../shared/ids.ts'
import { type FileStore, openFileStore } from './store/index.ts'

interface NewFile {
  owner: Owner
  filename: string
  purpose: string
  contentType: string
  expiresAt: number | null
}

/** The owner of a file. */
interface Place {
  organisationId: string
  workspaceId: string
}

export interface FileLibrary {
  documents: TypedDocuments
  /** Stores only the bytes: the file is invisible before {@link FileLibrary.commit}. */
  write(place: Place, source: AsyncIterable<Uint8Array>, id?: string): Promise<WrittenFile>
  /** Makes the written bytes visible as files, all or none. `also` is written in the same commit. */
  commit(
    place: Place,
    made: readonly { written: WrittenFile; file: NewFile }[],
    also?: (files: readonly DocumentOf<'file'>[]) => readonly DocumentWrite[],
  ): Promise<DocumentOf<'file'>[]>
  /** The bytes that were written. */
  open(written: Pick<WrittenFile, 'key'>): Promise<AsyncIterable<Uint8Array> | null>
  /** Discards written bytes. */
  discard(written: Pick<WrittenFile, 'key'>): Promise<void>
  /** The number of bytes that a workspace may still store. */
  room(workspaceId: string): Promise<number>
  /** Errors: 404 `not_found`. */
  find(written: string, workspaceId: string, param: string): Promise<DocumentOf<'file'>>
  findDocument(id: string, workspaceId: string): Promise<DocumentOf<'file'> | null>
  /** Errors: 503 `store_unavailable` when this replica cannot read it. */
  read(file: DocumentOf<'file'>): Promise<AsyncIterable<Uint8Array>>
  /** `also` is written in the same commit. */
  remove(file: DocumentOf<'file'>, also?: readonly DocumentWrite[]): Promise<void>
  /** Sets when a file expires. */
  expireAt(file: DocumentOf<'file'>, at: number): Promise<void>
  sweep(nowMs: number): Promise<void>
  /** The bytes of all workspaces. */
  totalBytes(): Promise<number>
}

interface WrittenFile {
  id: string
  key: string
  bytes: number
}

const maxTries = 20
const sweepSize = 500
const mostTotals = 10_000

export function createFileLibrary(
  context: ServiceContext<'blobs' | 'documents' | 'fetch' | 'files' | 'now'>,
): FileLibrary {
  const { now } = context
  const documents = typedDocuments(context.documents)
  let opened: FileStore | null = null
  const store = () => (opened ??= openFileStore(context))

  const totalOf = async (workspaceId: string) => documents.get('file_total', workspaceId)

  /**
   * Changes the total of the workspace in the same commit. A concurrent commit of the workspace may require another
   * attempt.
   */
  async function commitWithTotal(
    { organisationId, workspaceId }: Place,
    change: number,
    writes: () => Promise<readonly DocumentWrite[]>,
  ): Promise<void> {
    for (let tries = 1; ; tries += 1) {
      const total = await totalOf(workspaceId)
      const bytes = Math.max(0, (total?.data.bytes ?? 0) + change)
      if (change > 0 && bytes > context.files().maxTotalBytes) throw full(context)
      const write: DocumentWrite = {
        op: 'put',
        isQuiet: true,
        expected: total?.version ?? 0,
        document: {
          ...blank('file_total', now()),
          id: workspaceId,
          organisation_id: organisationId,
          workspace_id: workspaceId,
          data: { bytes },
        },
      }
      try {
        await documents.commit([write, ...(await writes())])
        return
      } catch (error) {
        if (tries >= maxTries || !isGatewayError(error) || error.code !== 'precondition_failed') throw error
      }
    }
  }

  async function findDocument(id: string, workspaceId: string): Promise<DocumentOf<'file'> | null> {
    const found = id === '' ? null : await documents.get('file', id)
    return found === null || found.workspace_id !== workspaceId || isExpired(found, now()) ? null : found
  }

  async function remove(file: DocumentOf<'file'>, also: readonly DocumentWrite[] = []): Promise<void> {
    const { id, organisation_id: organisationId, workspace_id: workspaceId, data } = file
    const place = { organisationId: organisationId ?? '', workspaceId: workspaceId ?? '' }
    await commitWithTotal(place, -data.bytes, async () => {
      // Its expiry may have been set since it was read.
      const current = await documents.get('file', id)
      if (current === null) throw notFound('file', writeId('file', data.owner, id), 'path/file_id')
      return [{ op: 'remove', kind: 'file', id, expected: current.version }, ...also]
    })
    await store().remove(data.key)
  }

  return {
    documents,
    async write({ workspaceId }, source, id = newId()) {
      const key = `${workspaceId}/${id}`
      return { id, key, bytes: await store().put(key, source) }
    },
    async commit(place, given, also = () => []) {
      const made = given.map(({ written, file }) => draftOf(place, written, { file, nowMs: now() }))
      const bytes = given.reduce((sum, { written }) => sum + written.bytes, 0)
      const writes = made.map((document): DocumentWrite => ({ op: 'put', document, expected: 0 }))
      await commitWithTotal(place, bytes, async () => [...writes, ...also(made)])
      return made
    },
    open: ({ key }) => store().get(key),
    discard: ({ key }) => store().remove(key),
    async room(workspaceId) {
      return context.files().maxTotalBytes - ((await totalOf(workspaceId))?.data.bytes ?? 0)
    },
    async find(written, workspaceId, param) {
      const read = readId('file', written)
      const found = read === null ? null : await findDocument(read.id, workspaceId)
      if (found === null || found.data.owner !== read?.owner) throw notFound('file', written, param)
      return found
    },
    findDocument,
    async read({ data }) {
      // An empty object has no valid byte range.
      if (data.bytes === 0) return Readable.from([])
      const bytes = await store().get(data.key)
      if (bytes !== null) return bytes
      throw new GatewayError(
        'store_unavailable',
        'The content of this file is missing in the file store of this process. With several replicas, share files.dir or set files.store to database or s3.',
      )
    },
    remove,
    async expireAt(file, at) {
      const data = { ...file.data, expires_at: at }
      const document = { ...file, attributes: attributesOf(data), data }
      try {
        await documents.commit([{ op: 'put', document, expected: file.version, isQuiet: true }])
      } catch (error) {
        // It was deleted meanwhile.
        if (!isGatewayError(error) || error.code !== 'precondition_failed') throw error
      }
    },
    async totalBytes() {
      const { documents: totals } = await documents.list('file_total', {}, { offset: 0, limit: mostTotals })
      return totals.reduce((sum, { data }) => sum + data.bytes, 0)
    },
    async sweep(nowMs) {
      await store().sweep(nowMs)
      const days = lastDays(nowMs)
      const { documents: due } = await documents.list(
        'file',
        { attributes: { expires_day: days } },
        { offset: 0, limit: sweepSize },
      )
      for (const file of due) if (isExpired(file, nowMs)) await remove(file)
    },
  }
}

const isExpired = ({ data }: DocumentOf<'file'>, nowMs: number) =>
  data.expires_at !== null && data.expires_at <= nowMs

const full = (context: ServiceContext<'files'>) =>
  tooLarge(
    `The files of this workspace would be larger than ${context.files().maxTotalBytes} bytes together (files.max_total_bytes).`,
    '/file',
  )

function draftOf(
  { organisationId, workspaceId }: Place,
  { id, key, bytes }: WrittenFile,
  { file, nowMs }: { file: NewFile; nowMs: number },
): DocumentOf<'file'> {
  const data: FileData = {
    owner: file.owner,
    filename: file.filename,
    bytes,
    purpose: file.purpose,
    content_type: file.contentType,
    key,
    expires_at: file.expiresAt,
  }
  return {
    ...blank('file', nowMs),
    id,
    organisation_id: organisationId,
    workspace_id: workspaceId,
    name: file.filename,
    attributes: attributesOf(data),
    data,
    version: 1,
  }
}

/** Members that every document has. */
export const blank = (kind: string, nowMs: number) => ({
  kind,
  slug: null,
  name: null,
  status: 'active',
  created_at: nowMs,
  last_updated_at: nowMs,
  keys: [],
  attributes: {},
})

const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)

function attributesOf({ owner, purpose, expires_at: at }: FileData): Record<string, string[]> {
  return { owner: [owner], purpose: [purpose], ...(at === null ? {} : { expires_day: [dayOf(at)] }) }
}

/** How many past days are searched for expired files, because the gateway may have been stopped for a while. */
const daysBack = 60
const dayMs = 86_400_000

const lastDays = (nowMs: number): string[] =>
  Array.from({ length: daysBack }, (_, back) => dayOf(nowMs - back * dayMs))
