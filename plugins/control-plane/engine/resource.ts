/**
 * A resource of the management API: data, and hooks for its special behaviour. The engine generates the routes POST,
 * GET (list), GET, PUT, PATCH and DELETE with all conventions of management.md §1.
 */

import type {
  Capability,
  DocumentFilter,
  DocumentWrite,
  ErrorCode,
  Json,
  JsonObject,
  Listener,
  Route,
  ServiceAnswer,
  ServiceContext,
  StoredDocument,
} from '@gateway/contract'
import type { TSchema } from '@sinclair/typebox'
import type { Call } from './call.ts'
import type { DraftOf } from './document.ts'

export type { DraftOf } from './document.ts'

export interface Field {
  /**
   * The schema of the value, without null. Strings in it are trimmed, unless the string's schema says `trim: false`.
   */
  schema: TSchema
  /** Whether POST requires it. */
  isRequired?: boolean
  /**
   * Whether `null` clears it; the answer then shows null. Fields that are neither required nor have a default are
   * nullable.
   */
  isNullable?: boolean
  /** The value when POST omits it. Without a default it is null. */
  default?: Json
  /** When callers may write it. Default: `always`. */
  writable?: 'always' | 'create' | 'update'
  /** How an update changes an object: replaced (default), merged one level, or one level and each object inside it. */
  merge?: 'replace' | 'one' | 'two'
  /** Members of a merged object that are replaced completely: `metadata` of `defaults`. */
  replaced?: readonly string[]
  /**
   * Never shown or audited in plain text. `true`: the engine stores it encrypted in `data.sealed` (one JSON object of
   * all such fields) and its mask in `data.masked_FIELD`, which answers show. A mask that a caller sends back changes
   * nothing.
   */
  secret?: true
  /** Whether it is an instruction (`reset_usage`): in `write.body`, but neither in `data` nor in the answer. */
  isTransient?: boolean
  /** The schema in answers, if it differs from `schema`. */
  answer?: TSchema
}

/** A scope family and the documents that it applies to. The first entry that matches a document is its family. */
export interface FamilyRule {
  family: string
  /** Documents with a workspace, or those of the organisation. Absent: both. */
  level?: 'organisation' | 'workspace'
  /** Documents whose attribute has this value: `{ type: 'workspace-user' }`. */
  attribute?: Readonly<Record<string, string>>
  /** Whether lists of a named workspace also include the organisation's documents. */
  isShared?: boolean
  /** Whether it permits only listing. Place it after the rule for all other actions. */
  isListOnly?: boolean
}

export interface Filter<Need extends Capability = never> {
  schema: TSchema
  /** Filters by this attribute; the value may be a comma-separated list. */
  attribute?: string
  /** Tests documents for filters that no attribute can express. May throw `invalid_query`; may be slow. */
  apply?: (value: string, filter: DocumentFilter, call: Call<Need>) => void | Promise<void>
}

/** A create, an update, a restore or an archiving before it is stored. */
export interface Write<Data = JsonObject, Need extends Capability = never> {
  action: 'create' | 'update' | 'archive' | 'restore'
  /** The caller's fields: trimmed and validated, without selectors and read-only keys. Empty when archiving. */
  body: JsonObject
  before: StoredDocument<Data> | null
  /** The document to store: fields already merged; `name`, `slug`, `keys`, `attributes`, `status` set. */
  draft: DraftOf<Data>
  call: Call<Need>
  /** Whether the caller sent this field. */
  isGiven(field: string): boolean
  /** Records an error; all are reported together after `prepare`. Default code: `invalid_body`. */
  fault(param: string, message: string, code?: ErrorCode): void
  /** Further writes of the same commit: all succeed or none. */
  also: DocumentWrite[]
  /** Members of this one answer only, such as a secret that is shown once. Never audited. */
  shown: JsonObject
  /** The action in the audit log, if it differs from the action of the write: `rotate`. */
  auditAction: string | null
  /** Data passed from `prepare` to `after`. */
  notes: Map<string, unknown>
}

interface Hooks<Data, Need extends Capability> {
  /**
   * Checks across fields, resolves references, encrypts: records errors, changes the draft, adds writes. May throw
   * `not_found`.
   */
  prepare?: (write: Write<Data, Need>) => void | Promise<void>
  /** Attributes for filters, computed from the data at every write and for documents of the config file. */
  attributes?(document: StoredDocument<Data>): Record<string, readonly string[]>
  /** Unique keys in addition to the slug's. Archived documents have none. */
  keys?(document: StoredDocument<Data>): string[]
  /** Members of the answer that differ from `data` or belong to no field. `undefined` omits a member. */
  present?: (
    document: StoredDocument<Data>,
    call: Call<Need>,
    view: 'one' | 'list',
  ) => JsonObject | Promise<JsonObject>
  /** Loads data for a whole page at once (limits, names) before `present`. Store it in `call.memory`. */
  preload?: (documents: readonly StoredDocument<Data>[], call: Call<Need>) => Promise<void>
  /** Names of the objects that still use it, for the 409 message, which shows the first 10. */
  inUse?: (document: StoredDocument<Data>, call: Call<Need>) => Promise<readonly string[]>
  /** Runs after the commit. An error is logged and does not affect the answer. */
  after?: (write: Write<Data, Need>, stored: StoredDocument<Data>) => void | Promise<void>
  /**
   * The owner, for rights limited to own objects (`workspace_user_api_keys`). Must also be in the attribute `user_id`.
   */
  ownerId?(document: StoredDocument<Data>): string | null
  /** The workspace whose rights apply. Default: the document's `workspace_id`. */
  placeOf?(document: StoredDocument<Data>): string | null
  /** Restricts the list of a workspace (null: none is named) further than its family does. */
  narrowList?: (filter: DocumentFilter, call: Call<Need>, workspaceId: string | null) => void | Promise<void>
  /** Ids of documents stored as `active` and shown as `exhausted`; lists by status need them to tell the two apart. */
  exhausted?: (call: Call<Need>) => Promise<readonly string[]>
  /** Creates documents that must exist before a lookup, in one workspace or in all that the caller can see. */
  ensure?: (call: Call<Need>, workspaceId: string | null) => Promise<void>
  /** Refuses what scopes alone permit (`forbidden`), once the document is known. */
  authorise?: (call: Call<Need>, action: string, document: StoredDocument<Data>) => void | Promise<void>
}

/** An additional route below the resource's path. */
export interface ExtraRoute<Data, Need extends Capability = never> {
  method: Route['method']
  /** `/:id/rotate`. With `:id`, the document is loaded and the caller's rights are checked before `handle`. */
  path: string
  operationId: string
  summary: string
  description?: string
  example?: JsonObject
  /** The action of the family, as in `FAMILY.ACTION`; several: any of them. Null: the handler checks by itself. */
  action: string | readonly string[] | null
  /** Complete scopes instead of `action`, when they belong to another family. */
  scopes?: readonly string[]
  body?: TSchema
  /** Whether a missing or empty body is the same as `{}`. Default: true for POST below `:id`. */
  isBodyOptional?: boolean
  /** The largest body, as in {@link Route}. */
  bodyLimit?: NonNullable<Route['bodyLimit']>
  /** Default: determined by its scope (`core/domain/listeners.ts`). */
  listener?: Listener
  query?: TSchema
  answer?: TSchema
  /** The action in the audit log, for all methods but GET. Default: the last word of the path. */
  auditAction?: string
  /** Whether archived documents are found too. */
  findsArchived?: boolean
  handle: (call: Call<Need>, document: StoredDocument<Data>) => Promise<Json | ServiceAnswer>
}

/** `Need`: the capabilities that its hooks and routes use in addition to those of the engine. */
export interface Resource<Data = JsonObject, Need extends Capability = never> {
  kind: string
  /** The value of `object` in answers. */
  object: string
  /** The name in messages: `API key`. */
  title: string
  tag: string
  /** The prefix of each operation's id: `apiKey` → `apiKeyCreate`, `apiKeyList`, … */
  operation: string
  /** The path below `/v1`: `/api-keys`. */
  path: string
  /** Other complete paths of the collection: `/v1/admin/workspaces`, `/workspaces`. */
  aliases?: readonly string[]
  level: 'organisation' | 'workspace' | 'either'
  families: readonly FamilyRule[]
  /**
   * Null: no slugs. `prefix` `''`: without a suffix; six hex digits are added only if the slug is taken or too short.
   * Bounds: 1..255 characters.
   */
  slug: { prefix: string; scope?: 'organisation'; minChars?: number; maxChars?: number } | null
  /** Declare `name` here only when it is optional or longer than usual. */
  fields: Readonly<Record<string, Field>>
  /** Default: true. Common fields (§1) are in the answer; `name*` and `slug` are writable. */
  hasCommonFields?: boolean
  /** The answer of POST, when it is not the complete object. */
  createAnswer?: { schema: TSchema; of(document: StoredDocument<Data>): JsonObject }
  /** Whether GET accepts `{id}@N`: hooks find the number in `call.request.params.id`. `named`: also `{id}@NAME`. */
  hasVersions?: boolean | 'named'
  /** The error code for an object that does not exist. Default: `not_found`. */
  missingCode?: ErrorCode
  /** Built-in objects: not stored and immutable. Without `workspace_id` they are available in every workspace. */
  builtIn?: (call: Call) => readonly StoredDocument<Data>[]
  /** Further query parameters of GET of one object, for the OpenAPI document. Hooks read them. */
  readQuery?: Readonly<Record<string, TSchema>>
  /** Read-only members of answers in addition to the common ones and `fields`. */
  answers?: Readonly<Record<string, TSchema>>
  filters?: Readonly<Record<string, Filter<Need>>>
  /** Statuses that `?status=` accepts. Default: `active`, `archived`. */
  statuses?: readonly string[]
  /** Statuses listed by default. Default: all except `archived`. */
  listed?: readonly string[]
  /** Statuses that a PUT may set; `active` restores an archived object. */
  writableStatuses?: readonly string[]
  /** Which standard routes exist. Default: all. */
  operations?: readonly ('create' | 'list' | 'read' | 'update' | 'delete')[]
  hooks?: Hooks<Data, Need>
  routes?: readonly ExtraRoute<Data, Need>[]
}

/** A resource of which only the description is used, with hooks of any needs. */
export type AnyResource = Resource<JsonObject, Capability>

/**
 * Gives a declaration its types; a list of resources has none. The double cast is sound because hooks are only called
 * with documents of their own resource's kind, while the engine handles data of unknown type.
 */
export function defineResource<Data, Need extends Capability = never>(
  resource: Resource<Data, Need>,
): Resource<JsonObject, Need> {
  return resource as unknown as Resource<JsonObject, Need>
}

/** Resources by the documents of a gateway, because a process may have several gateways with different packages. */
const served = new WeakMap<object, Resource[]>()

type Gateway = ServiceContext<'documents'>

/** Records that a gateway serves a resource. */
export function registerResource({ documents }: Gateway, resource: Resource): void {
  const resources = served.get(documents) ?? []
  resources.push(resource)
  served.set(documents, resources)
}

/** The resources of a gateway whose documents are of a kind. */
export const resourcesOfKind = ({ documents }: Gateway, kind: string): readonly Resource[] =>
  (served.get(documents) ?? []).filter((resource) => resource.kind === kind)
