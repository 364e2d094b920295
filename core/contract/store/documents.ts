/**
 * Documents: what the management API writes and the data path reads. Each has a version that grows with every write,
 * keys by which it is found and which no other of its kind may have, and attributes by which lists are filtered.
 * Errors: `conflict` (a key that is taken), `precondition_failed` (another version than expected), `store_unavailable`.
 */
import type { JsonObject } from '../json.ts'

export interface StoredDocument<Data = JsonObject> {
  /** What it is: `config`, `api_key`. */
  kind: string
  /** A UUID in lower case. */
  id: string
  organisation_id: string | null
  /** Null for what belongs to the whole organisation. */
  workspace_id: string | null
  slug: string | null
  name: string | null
  /** `active`, `archived`, or one of the kind's own. */
  status: string
  /** Grows by one with each write, from 1. */
  version: number
  /** Milliseconds since the epoch. */
  created_at: number
  last_updated_at: number
  /** Unique within the kind: `slug:SCOPE/SLUG`, `hash:HEX`. An archived document gives its keys back by having none. */
  keys: readonly string[]
  /** What lists are filtered by, several values a name: `{ integration_id: ['…'] }`. */
  attributes: Readonly<Record<string, readonly string[]>>
  /** The kind's own fields. Secrets are stored sealed. */
  data: Data
}

/** What is written; the store sets the version. */
export type DocumentDraft<Data = JsonObject> = Omit<StoredDocument<Data>, 'version'>

export type DocumentWrite =
  /** `expected`: the version that must be there now; 0 none; absent: whatever is there is replaced. */
  | {
      op: 'put'
      document: DocumentDraft
      expected?: number
      isQuiet?: boolean
      /** The version to write instead of the next one, as for an import. */
      version?: number
    }
  | { op: 'remove'; kind: string; id: string; expected?: number }

/** How a text is compared, by its characters; whoever wants case to be ignored keeps and asks in lower case. */
export interface TextTest {
  op: 'equals' | 'contains' | 'starts' | 'ends' | 'above' | 'from' | 'below' | 'to'
  value: string
}

/** A condition on documents, for what the members of {@link DocumentFilter} cannot say. */
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
  /** Any of these; null stands for documents without a workspace. */
  workspace_ids?: readonly (string | null)[]
  statuses?: readonly string[]
  ids?: readonly string[]
  /** Within name or slug, whatever its case. */
  search?: string
  /** For each name, any of the values. */
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

export interface DocumentPage<Data = JsonObject> {
  /** All that match, before paging. */
  total: number
  documents: StoredDocument<Data>[]
}

/** That a document was written or removed, by whichever process. */
export interface DocumentChange {
  kind: string
  id: string
  organisation_id: string | null
  workspace_id: string | null
}

export interface Documents {
  get(kind: string, id: string): Promise<StoredDocument | null>
  findByKey(kind: string, key: string): Promise<StoredDocument | null>
  list(
    kind: string,
    filter: DocumentFilter,
    order: DocumentOrder,
    page: { offset: number; limit: number },
  ): Promise<DocumentPage>
  /** All of a kind in the order of their ids, behind `after`; for exports. `kind` null: of every kind, by kind and id. */
  scan(
    kind: string | null,
    after: { kind: string; id: string } | null,
    limit: number,
  ): Promise<StoredDocument[]>
  /** All or nothing. Gives what was put, with its versions, in order. Listeners of this process have heard before it resolves. */
  commit(writes: readonly DocumentWrite[]): Promise<StoredDocument[]>
  /**
   * Tells of changes, at once in this process and within 2 s in others; a quiet write tells nobody. An empty list of
   * changes means that some may have been missed: forget everything.
   */
  watch(listener: (changes: readonly DocumentChange[]) => void): () => void
  /** Looks for changes of other processes now. */
  refresh(): Promise<void>
}
