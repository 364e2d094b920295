/**
 * Blobs as rows: pieces of equal size under an upload's id, to which a key refers once the upload is complete. Every
 * step is a separate call, so that bytes can be sent piece by piece to the database's thread.
 */
import type { BlobHead } from '@gateway/contract'
import { sql } from 'kysely'
import type { Database } from './database.ts'

/** An upload that is incomplete after this time is abandoned. */
const abandonedMs = 86_400_000

interface FinishOptions {
  key: string
  sizeBytes: number
  created_at?: number | undefined
}

export interface BlobRows {
  begin(uploadId: string): Promise<void>
  append(uploadId: string, position: number, bytes: Uint8Array): Promise<void>
  /** Makes the upload visible under its key, and removes the previous blob. */
  finish(uploadId: string, options: FinishOptions): Promise<BlobHead>
  abandon(uploadId: string): Promise<void>
  find(key: string): Promise<(BlobHead & { uploadId: string }) | null>
  read(uploadId: string, position: number): Promise<Uint8Array | null>
  remove(key: string): Promise<boolean>
  list(prefix: string, after: string | null, limit: number): Promise<BlobHead[]>
  /** Removes uploads that were never completed. */
  sweep(): Promise<void>
}

export function createBlobRows({ read, write }: Database, now: () => number = Date.now): BlobRows {
  return {
    async begin(uploadId) {
      await write(async (queries) => {
        await queries.insertInto('blob_uploads').values({ upload_id: uploadId, created_at: now() }).execute()
      })
    },
    async append(uploadId, position, bytes) {
      await write(async (queries) => {
        const { buffer, byteOffset, byteLength } = bytes
        const row = { upload_id: uploadId, position, bytes: Buffer.from(buffer, byteOffset, byteLength) }
        await queries.insertInto('blob_chunks').values(row).execute()
      })
    },
    finish(uploadId, { key, sizeBytes, created_at = now() }) {
      return write(
        async (queries) => {
          const old = await queries.selectFrom('blobs').select('upload_id').where('key', '=', key).execute()
          await queries.deleteFrom('blobs').where('key', '=', key).execute()
          for (const { upload_id } of old) {
            await queries.deleteFrom('blob_chunks').where('upload_id', '=', upload_id).execute()
          }
          const row = { key, upload_id: uploadId, size_bytes: sizeBytes, created_at }
          await queries.insertInto('blobs').values(row).execute()
          await queries.deleteFrom('blob_uploads').where('upload_id', '=', uploadId).execute()
          return { key, sizeBytes, created_at }
        },
        { lock: 'blobs', isDurable: true },
      )
    },
    async abandon(uploadId) {
      await write(async (queries) => {
        await queries.deleteFrom('blob_chunks').where('upload_id', '=', uploadId).execute()
        await queries.deleteFrom('blob_uploads').where('upload_id', '=', uploadId).execute()
      })
    },
    async find(key) {
      const row = await read.selectFrom('blobs').selectAll().where('key', '=', key).executeTakeFirst()
      if (row === undefined) return null
      return { key, sizeBytes: row.size_bytes, created_at: row.created_at, uploadId: row.upload_id }
    },
    async read(uploadId, position) {
      const row = await read
        .selectFrom('blob_chunks')
        .select('bytes')
        .where('upload_id', '=', uploadId)
        .where('position', '=', position)
        .executeTakeFirst()
      return row?.bytes ?? null
    },
    remove(key) {
      return write(
        async (queries) => {
          const found = await queries.selectFrom('blobs').select('upload_id').where('key', '=', key).execute()
          await queries.deleteFrom('blobs').where('key', '=', key).execute()
          for (const { upload_id } of found) {
            await queries.deleteFrom('blob_chunks').where('upload_id', '=', upload_id).execute()
          }
          return found.length > 0
        },
        { lock: 'blobs', isDurable: true },
      )
    },
    async list(prefix, after, limit) {
      let query = read
        .selectFrom('blobs')
        .select(['key', 'size_bytes as sizeBytes', 'created_at'])
        .where('key', '>=', prefix)
        .where(sql<string>`substr(key, 1, length(${prefix}))`, '=', prefix)
        .orderBy('key')
        .limit(limit)
      if (after !== null) query = query.where('key', '>', after)
      return await query.execute()
    },
    async sweep() {
      await write(async (queries) => {
        const old = await queries
          .selectFrom('blob_uploads')
          .select('upload_id')
          .where('created_at', '<', now() - abandonedMs)
          .limit(100)
          .execute()
        for (const { upload_id } of old) {
          await queries.deleteFrom('blob_chunks').where('upload_id', '=', upload_id).execute()
          await queries.deleteFrom('blob_uploads').where('upload_id', '=', upload_id).execute()
        }
      })
    },
  }
}
