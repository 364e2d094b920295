/** The tables as kysely types, grouped by port. Times are milliseconds since the epoch. */
import type { ColumnType, Generated } from 'kysely'
import type { CounterTables } from './counter-tables.ts'

/** Bytes are written and read as Buffers on both engines. */
type Bytes = ColumnType<Buffer, Buffer, Buffer>

export interface DocumentsTable {
  kind: string
  id: string
  organisation_id: string | null
  workspace_id: string | null
  slug: string | null
  name: string | null
  status: string
  version: number
  created_at: number
  last_updated_at: number
  /** Name and slug in lower case, for searching. */
  search_text: string
  /** The name in lower case, for sorting. */
  name_order: string
  /** JSON. */
  keys: string
  attributes: string
  data: string
}

/** The owner of a key; the primary key makes keys unique within the kind. */
interface DocumentKeysTable {
  kind: string
  key: string
  id: string
}

/**
 * The attributes that lists filter by. The document's own columns are repeated here, so that one index suffices for
 * counting.
 */
export interface DocumentAttributesTable {
  kind: string
  name: string
  value: string
  id: string
  organisation_id: string | null
  workspace_id: string | null
  status: string
}

/** The number of documents, so that a list's total needs no scan; '' represents null. */
interface DocumentCountsTable {
  kind: string
  organisation_id: string
  workspace_id: string
  status: string
  count: number
}

interface DocumentChangesTable {
  revision: Generated<number>
  /** The process that wrote it. */
  origin: string
  kind: string
  id: string
  organisation_id: string | null
  workspace_id: string | null
  created_at: number
}

/** One row: the revision up to which changes have been removed. */
interface DocumentChangesPrunedTable {
  revision: number
}

interface BlobsTable {
  key: string
  upload_id: string
  size_bytes: number
  created_at: number
}

interface BlobUploadsTable {
  upload_id: string
  created_at: number
}

interface BlobChunksTable {
  upload_id: string
  position: number
  bytes: Bytes
}

interface VectorsTable {
  collection: string
  id: string
  /** Float32, little endian, normalised to length 1. */
  unit: Bytes
  /** One bit per member. Null for vectors with few members. */
  signs: Bytes | null
  payload: string
  expires_at: number | null
  written_at: number
}

interface SharedEntriesTable {
  key: string
  count: number
  ends_at: number
}

interface MessagesTable {
  position: Generated<number>
  topic: string
  message: string
  created_at: number
}

interface SchemaMigrationsTable {
  version: number
  name: string
  applied_at: number
}

interface WorkLeasesTable {
  id: string
  /** Increases with each holder. */
  fence: number
  ends_at: number
}

interface WorkResultsTable {
  work_id: string
  position: number
  data: string
}

interface WorkOutgoingTable {
  position: Generated<number>
  id: string
  kind: string
  data: string
}

export interface Schema extends CounterTables {
  documents: DocumentsTable
  document_keys: DocumentKeysTable
  document_attributes: DocumentAttributesTable
  document_counts: DocumentCountsTable
  document_changes: DocumentChangesTable
  document_changes_pruned: DocumentChangesPrunedTable
  blobs: BlobsTable
  blob_uploads: BlobUploadsTable
  blob_chunks: BlobChunksTable
  vectors: VectorsTable
  shared_entries: SharedEntriesTable
  messages: MessagesTable
  work_leases: WorkLeasesTable
  work_results: WorkResultsTable
  work_outgoing: WorkOutgoingTable
  schema_migrations: SchemaMigrationsTable
}
