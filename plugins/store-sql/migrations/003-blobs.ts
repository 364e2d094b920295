/** Blobs: bytes in pieces of equal size, and uploads in progress. */
import { sql } from 'kysely'
import { type Migration, typesOf } from '../migrate.ts'

export const blobs: Migration = {
  version: 3,
  name: 'blobs',
  part: 'log',
  async up(queries, engine) {
    const { text, bytes } = typesOf(engine)
    const statements = [
      sql`create table blobs (
        key ${text} primary key, upload_id ${text} not null unique, size_bytes bigint not null,
        created_at bigint not null)`,
      sql`create table blob_uploads (upload_id ${text} primary key, created_at bigint not null)`,
      sql`create table blob_chunks (
        upload_id ${text} not null, position bigint not null, bytes ${bytes} not null,
        primary key (upload_id, position))`,
    ]
    for (const statement of statements) await statement.execute(queries)
  },
}
