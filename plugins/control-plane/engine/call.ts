/** One call of the management API: who, for which organisation, with which rights; and the one way to write. */
import type {
  DocumentWrite,
  GatewayError,
  Identity,
  JsonObject,
  ServiceContext,
  ServiceRequest,
  StoredDocument,
} from '@gateway/contract'
import type {
  AuditNote,
  DocumentOf,
  OrganisationData,
  Reach,
  TypedDocuments,
  WorkspaceData,
} from '@gateway/core/domain'
import type { QueryValues } from './query.ts'

/** The context for presenting an object: a call, or something without a caller, such as an event. */
export type Viewer = Pick<Call, 'context' | 'documents' | 'nowMs' | 'memory' | 'organisationId' | 'find'>

export interface Call {
  context: ServiceContext
  documents: TypedDocuments
  request: ServiceRequest
  identity: Identity
  organisationId: string
  /** Milliseconds since the epoch, the same for the whole call. */
  nowMs: number
  /** Of a route with a body of its own: trimmed and valid; else empty. */
  body: JsonObject
  /** Likewise its query, in the types of its schema. */
  query: QueryValues
  /** The workspace that an action's body names; it counts before the query's. */
  namedInBody: string | null
  /** For what hooks read once a call. */
  memory: Map<string, unknown>

  organisation(): Promise<StoredDocument<OrganisationData>>
  /** By id or slug, live, visible to the caller; else `not_found` at `param`. */
  workspace(idOrSlug: string, param?: string): Promise<StoredDocument<WorkspaceData>>
  /** The same for a workspace that stands in a list, where an unknown one is a fault of the list; null when unknown. */
  listedWorkspace(idOrSlug: string): Promise<StoredDocument<WorkspaceData> | null>
  /** Whether the caller holds a scope (`configs.read`) in this workspace; null: at the level of the organisation. */
  holds(scope: string, workspaceId: string | null): Promise<boolean>
  /** The same with how far it reaches: everything, or the caller's own only; null: not held. */
  reach(scope: string, workspaceId: string | null): Promise<Reach | null>
  /** Throws `missing_scope` unless any of the scopes is held there. */
  require(scopes: readonly string[], workspaceId: string | null): Promise<void>
  /** Whether owner, organisation admin, admin key or O key: everything of the organisation is seen. */
  seesAllWorkspaces(): boolean
  /** Ids of the workspaces that the caller may see; null: all of the organisation. */
  visibleWorkspaces(): Promise<readonly string[] | null>
  /** A live document by id or slug within a workspace (else the organisation); null when there is none. The file's too. */
  find<Kind extends string>(kind: Kind, idOrSlug: string, scopeId: string): Promise<DocumentOf<Kind> | null>
  /** The one way to write: the writes and their audit record in one commit. Gives what was put, the audit record left out. */
  commit(writes: readonly DocumentWrite[], audit: AuditNote): Promise<StoredDocument[]>
  /** A commit that had no effect to record (a refused call) still leaves its record. */
  recordRefusal(error: GatewayError, note: Omit<AuditNote, 'before' | 'after'>): Promise<void>
  /** Whether something was committed. */
  readonly hasWritten: boolean
  /** The caller's body, for the audit log, which masks secrets. */
  readonly sent: JsonObject | null
}
