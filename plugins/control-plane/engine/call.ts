/** One call of the management API: the caller, the organisation, the caller's rights, and the one way to write. */
import type {
  Capability,
  DocumentWrite,
  Fault,
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
} from '@gateway/domain'
import type { QueryValues } from './query.ts'

/** The capabilities that the engine itself uses: a package whose routes it serves declares them, and those of its handlers. */
export const engineNeeds = [
  'documents',
  'fileDocuments',
  'filePath',
  'log',
  'now',
  'sealer',
  'validator',
] as const satisfies readonly Capability[]

/** The context of routes that the engine serves. `Need`: the capabilities that their handlers use in addition. */
export type ManagementContext<Need extends Capability = never> = ServiceContext<
  (typeof engineNeeds)[number] | Need
>

/** The context in which an object is presented: a call, or work without a caller, such as an event. */
export type Viewer<Need extends Capability = never> = Pick<
  Call<Need>,
  'context' | 'documents' | 'nowMs' | 'memory' | 'organisationId' | 'find'
>

/** `Need`: the capabilities that its handler uses in addition to those of the engine. */
export interface Call<Need extends Capability = never> {
  context: ManagementContext<Need>
  documents: TypedDocuments
  /** Its body is in {@link Call.sent}. */
  request: Omit<ServiceRequest, 'body'>
  identity: Identity
  organisationId: string
  /** Milliseconds since the epoch, the same for the whole call. */
  nowMs: number
  /** The body of a route with its own body schema: trimmed and validated. Otherwise empty. */
  body: JsonObject
  /** The validated query, with values in the types of the query schema. */
  query: QueryValues
  /** The workspace in an action's body; it has precedence over the query's. */
  namedInBody: string | null
  /** Caches what hooks read once per call. */
  memory: Map<string, unknown>

  organisation(): Promise<StoredDocument<OrganisationData>>
  /** Finds a live workspace that the caller can see by id or slug. Throws `not_found` at `param`. */
  workspace(idOrSlug: string, param?: string): Promise<StoredDocument<WorkspaceData>>
  /** The same for a workspace in a list, where an unknown entry is an error of the list: returns null for it. */
  listedWorkspace(idOrSlug: string): Promise<StoredDocument<WorkspaceData> | null>
  /** The error for a workspace that the caller cannot see; proposes those that the caller may list. */
  unknownWorkspace(written: string, param: string): Promise<GatewayError>
  /** Whether the caller has a scope (`configs.read`) in this workspace. Null: at the organisation level. */
  holds(scope: string, workspaceId: string | null): Promise<boolean>
  /** The reach of the caller's scope: all objects or only the caller's own. Null: the caller lacks the scope. */
  reach(scope: string, workspaceId: string | null): Promise<Reach | null>
  /** Throws `missing_scope` unless the caller has at least one of the scopes there. */
  require(scopes: readonly string[], workspaceId: string | null): Promise<void>
  /** Whether the caller sees the whole organisation: an owner, organisation admin, admin key or O key. */
  seesAllWorkspaces(): boolean
  /** Ids of the workspaces that the caller can see. Null: all workspaces of the organisation. */
  visibleWorkspaces(): Promise<readonly string[] | null>
  /**
   * Finds a live document, also one of the config file, by id or slug within a workspace (otherwise within the
   * organisation). Returns null if none matches.
   */
  find<Kind extends string>(kind: Kind, idOrSlug: string, scopeId: string): Promise<DocumentOf<Kind> | null>
  /**
   * The one way to write: commits the writes and their audit record together. Returns the stored documents without the
   * audit record.
   */
  commit(writes: readonly DocumentWrite[], audit: AuditNote): Promise<StoredDocument[]>
  /**
   * Records a refused call in the audit log; there are no writes to commit with the record.
   * @param faults all errors of the body, independent of the reason for the refusal
   */
  recordRefusal(
    error: GatewayError,
    note: Omit<AuditNote, 'before' | 'after'>,
    faults: readonly Fault[],
  ): Promise<void>
  /** Whether this call has committed anything. */
  readonly hasWritten: boolean
  /** The body as sent, without members that repeat the path. The audit log masks secrets in it. */
  readonly sent: unknown
}
