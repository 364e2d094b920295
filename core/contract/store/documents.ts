/**
 * Documents: written by the management API and read by the data path. Each has a version that grows with every write,
 * lookup keys that are unique within its kind, and attributes for filtering lists. Errors: `conflict` (a key is taken),
 * `precondition_failed` (unexpected version), `store_unavailable`.
 */
import type { JsonObject } from '../json.ts'

export interface StoredDocument<Data = JsonObject> {
  /** The document kind, such as `config` or `api_key`. */
  kind: string
  /** A UUID in lower case. */
  id: string
  organisation_id: string | null
  /** Null for documents of the whole organisation. */
  workspace_id: string | null
  slug: string | null
  name: string | null
  /** `active`, `archived`, or a status that only this kind has. */
  status: string
  /** Grows by one with each write, from 1. */
  version: number
  /** Milliseconds since the epoch. */
  created_at: number
  last_updated_at: number
  /** Unique within the kind: `slug:SCOPE/SLUG`, `hash:HEX`. An archived document has none, which frees its keys. */
  keys: readonly string[]
  /** Attributes for filtering lists, with several values per name: `{ integration_id: ['…'] }`. */
  attributes: Readonly<Record<string, readonly string[]>>
  /** The kind's own fields. Secrets are stored sealed. */
  data: Data
}

/** A document to write; the store sets the version. */
export type DocumentDraft<Data = JsonObject> = Omit<StoredDocument<Data>, 'version'>

export type DocumentWrite =
  /**
   * `expected`: the version that must be stored now; 0: the document must not exist; absent: any version is replaced.
   */
  | {
      op: 'put'
      document: DocumentDraft
      expected?: number
      isQuiet?: boolean
      /** The version to write instead of the next one, for imports. */
      version?: number
    }
  | { op: 'remove'; kind: string; id: string; expected?: number }

/** A comparison of texts, case-sensitive; for case-insensitive comparison, store and query lower case. */
export interface TextTest {
  op: 'equals' | 'contains' | 'starts' | 'ends' | 'above' | 'from' | 'below' | 'to'
  value: string
}

/** A condition on documents that the members of {@link DocumentFilter} cannot express. */
export type DocumentCondition =
  | { all: readonly DocumentCondition[] }
  | { any: readonly DocumentCondition[] }
  | { not: DocumentCondition }
  /** Whether any value of an attribute passes; without a test, whether it has a value. */
  | { attribute: string; test?: TextTest }
  | { member: 'id' | 'status'; test: TextTest }
  /** Milliseconds since the epoch. */
  | {
      time: 'created_at' | 'last_updated_at'
      op: 'equals' | 'above' | 'from' | 'below' | 'to'
      value: number
    }

export interface DocumentFilter {
  organisation_id?: string | null
  /** Documents of any of these workspaces; null stands for documents without a workspace. */
  workspace_ids?: readonly (string | null)[]
  statuses?: readonly string[]
  ids?: readonly string[]
  /** Substring of name or slug, case-insensitive. */
  search?: string
  /** Documents that have, for each name, any of its values. */
  attributes?: Readonly<Record<string, readonly string[]>>
  /** Milliseconds since the epoch; from inclusive, to exclusive. */
  created_from?: number
  created_to?: number
  where?: DocumentCondition
}

export interface DocumentOrder {
  /** Default `created_at`. Ties are ordered by `id`, in the same direction. */
  sort?: 'created_at' | 'last_updated_at' | 'name' | 'id'
  /** Default `desc`. */
  order?: 'asc' | 'desc'
}

/** The part of a list that is read. */
export interface DocumentPaging extends DocumentOrder {
  offset: number
  limit: number
}

export interface DocumentPage<Data = JsonObject> {
  /** The number of matching documents, before paging. */
  total: number
  documents: StoredDocument<Data>[]
}

/** A document was written or removed, by any process. */
export interface DocumentChange {
  kind: string
  id: string
  organisation_id: string | null
  workspace_id: string | null
}

export interface Documents {
  get(kind: string, id: string): Promise<StoredDocument | null>
  findByKey(kind: string, key: string): Promise<StoredDocument | null>
  list(kind: string, filter: DocumentFilter, page: DocumentPaging): Promise<DocumentPage>
  /**
   * All documents of a kind in id order, after the id `after`; for exports. If `kind` is null: documents of every kind,
   * ordered by kind and id.
   */
  scan(
    kind: string | null,
    after: { kind: string; id: string } | null,
    limit: number,
  ): Promise<StoredDocument[]>
  /**
   * Writes all documents or none. Returns the written documents with their versions, in order. Listeners in this
   * process are notified before it resolves.
   */
  commit(writes: readonly DocumentWrite[]): Promise<StoredDocument[]>
  /**
   * Notifies of changes, immediately in this process and within 2 s in others; quiet writes do not notify. An empty
   * list means that changes may have been missed: discard everything cached.
   */
  watch(listener: (changes: readonly DocumentChange[]) => void): () => void
  /** Polls for changes of other processes now. */
  refresh(): Promise<void>
}
