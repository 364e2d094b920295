/**
 * A resource of the management API: data, and hooks for its special behaviour. The engine generates the routes POST,
 * GET (list), GET, PUT, PATCH and DELETE with all conventions of management.md §1.
 */

import type {
  DocumentFilter,
  DocumentWrite,
  ErrorCode,
  Json,
  JsonObject,
  Listener,
  Route,
  ServiceAnswer,
  StoredDocument,
} from '@gateway/contract'
import type { TSchema } from '@sinclair/typebox'
import type { Call } from './call.ts'
import type { DraftOf } from './document.ts'

export type { DraftOf } from './document.ts'

export interface Field {
  /** Of the value, without null. Strings in it are trimmed, unless the string's schema says `trim: false`. */
  schema: TSchema
  /** At creation. */
  isRequired?: boolean
  /** `null` clears it, and stands for absent in the answer. Fields neither required nor with a default are nullable. */
  isNullable?: boolean
  /** At creation, when absent; without one it is null. */
  default?: Json
  /** Where callers may write it. Default `always`. */
  writable?: 'always' | 'create' | 'update'
  /** How an object is written again: replaced (default), merged one level, or one level and each object inside it. */
  merge?: 'replace' | 'one' | 'two'
  /** Members of a merged object that are replaced whole: `metadata` of `defaults`. */
  replaced?: readonly string[]
  /**
   * Never answered or audited in clear. `true`: the engine keeps it sealed in `data.sealed` (one JSON object of all such
   * fields) and its mask in `data.masked_FIELD`, which the answer shows; a value sent back masked changes nothing.
   */
  secret?: true
  /** Whether it is an instruction (`reset_usage`): in `write.body`, not in `data`, not in the answer. */
  isTransient?: boolean
  /** In answers, where it is not `schema`. */
  answer?: TSchema
}

/** A scope family and the documents that it rules; the first entry that fits a document is its family. */
export interface FamilyRule {
  family: string
  /** Documents with a workspace, or those of the organisation. Absent: both. */
  level?: 'organisation' | 'workspace'
  /** Documents whose attribute has this value: `{ type: 'workspace-user' }`. */
  attribute?: Readonly<Record<string, string>>
  /** Whether documents of the organisation also stand in the lists of a workspace that is named. */
  isShared?: boolean
  /** Whether it lets them be listed only; it stands behind the rule for everything else. */
  isListOnly?: boolean
}

export interface Filter {
  schema: TSchema
  /** Filters by this attribute; the value may be a comma list. */
  attribute?: string
  /** For everything else. May throw `invalid_query`; may be slow. */
  apply?(value: string, filter: DocumentFilter, call: Call): void | Promise<void>
}

/** A create, an update, a restore or an archiving on its way into the store. */
export interface Write<Data = JsonObject> {
  action: 'create' | 'update' | 'archive' | 'restore'
  /** The caller's fields: trimmed and valid; without selectors and read-only keys. Empty when archiving. */
  body: JsonObject
  before: StoredDocument<Data> | null
  /** The document to store: fields already merged; `name`, `slug`, `keys`, `attributes`, `status` set. */
  draft: DraftOf<Data>
  call: Call
  /** Whether the caller sent this field. */
  isGiven(field: string): boolean
  /** Notes a fault; all are answered together after `prepare`. Default code `invalid_body`. */
  fault(param: string, message: string, code?: ErrorCode): void
  /** Committed with it, all or nothing. */
  also: DocumentWrite[]
  /** Members of this one answer: a secret that is shown once. Never audited. */
  shown: JsonObject
  /** For the audit log, when it is not the action: `rotate`. */
  auditAction: string | null
  /** Data passed from `prepare` to `after`. */
  notes: Map<string, unknown>
}

interface Hooks<Data> {
  /** Cross-field rules, references, sealing: notes faults, changes the draft, adds writes. May throw `not_found`. */
  prepare?(write: Write<Data>): void | Promise<void>
  /** Attributes for filters, from the data; set at every write, and for documents of the config file. */
  attributes?(document: StoredDocument<Data>): Record<string, readonly string[]>
  /** Unique keys beside the slug's; archived documents have none. */
  keys?(document: StoredDocument<Data>): string[]
  /** Wire members that differ from `data`, or stand in no field. `undefined` leaves a member out. */
  present?(document: StoredDocument<Data>, call: Call, view: 'one' | 'list'): JsonObject | Promise<JsonObject>
  /** Loads data for a whole page at once (limits, names), before `present`; store it in `call.memory`. */
  preload?(documents: readonly StoredDocument<Data>[], call: Call): Promise<void>
  /** Objects that still use it: names for the 409 message; the first 10 are shown. */
  inUse?(document: StoredDocument<Data>, call: Call): Promise<readonly string[]>
  /** Behind the commit. A throw is logged, and changes nothing for the caller. */
  after?(write: Write<Data>, stored: StoredDocument<Data>): void | Promise<void>
  /** The owner, for rights limited to own objects (`workspace_user_api_keys`); also in the attribute `user_id`. */
  ownerId?(document: StoredDocument<Data>): string | null
  /** The workspace whose rights count; default its `workspace_id`. */
  placeOf?(document: StoredDocument<Data>): string | null
  /** Makes the list of a workspace (null: none is named) smaller than its family allows. */
  narrowList?(filter: DocumentFilter, call: Call, workspaceId: string | null): void | Promise<void>
  /** Ids of what is stored as `active` and shown as `exhausted`: lists by status tell the two apart. */
  exhausted?(call: Call): Promise<readonly string[]>
  /** Makes what must be there before anything is looked up; in one workspace, or in all that the caller may see. */
  ensure?(call: Call, workspaceId: string | null): Promise<void>
  /** Refuses what scopes alone allow (`forbidden`), once the document is known. */
  authorise?(call: Call, action: string, document: StoredDocument<Data>): void | Promise<void>
}

/** A route beside the usual ones, below the resource's path. */
export interface ExtraRoute<Data> {
  method: Route['method']
  /** `/:id/rotate`; with `:id` the document is loaded, seen and allowed before `handle`. */
  path: string
  operationId: string
  summary: string
  description?: string
  example?: JsonObject
  /** Of the family, as in `FAMILY.ACTION`; several: any of them. Null: the handler checks by itself. */
  action: string | readonly string[] | null
  /** Whole scopes in place of `action`, where the family is another one. */
  scopes?: readonly string[]
  body?: TSchema
  /** Whether no body, or an empty one, is the same as `{}`. Default true for POST below `:id`. */
  isBodyOptional?: boolean
  /** The largest body, as in {@link Route}. */
  bodyLimit?: NonNullable<Route['bodyLimit']>
  /** Default by its scope: `core/domain/listeners.ts`. */
  listener?: Listener
  query?: TSchema
  answer?: TSchema
  /** How the audit log calls it; for everything but GET. Default: the last word of the path. */
  auditAction?: string
  /** Archived documents are found as well. */
  findsArchived?: boolean
  handle(call: Call, document: StoredDocument<Data>): Promise<Json | ServiceAnswer>
}

export interface Resource<Data = JsonObject> {
  kind: string
  /** `object` on the wire. */
  object: string
  /** For messages: `API key`. */
  title: string
  tag: string
  /** Begins each operation's id: `apiKey` → `apiKeyCreate`, `apiKeyList`, … */
  operation: string
  /** Below `/v1`: `/api-keys`. */
  path: string
  /** Whole other paths of the collection: `/v1/admin/workspaces`, `/workspaces`. */
  aliases?: readonly string[]
  level: 'organisation' | 'workspace' | 'either'
  families: readonly FamilyRule[]
  /** Null: no slugs. `prefix` `''`: bare, with six hex digits only when it is taken or too short. Bounds: 1..255 characters. */
  slug: { prefix: string; scope?: 'organisation'; minChars?: number; maxChars?: number } | null
  /** `name` has a field of its own here when it is not required or is longer. */
  fields: Readonly<Record<string, Field>>
  /** Default true: common fields (§1) stand in the answer; `name*` and `slug` are written. */
  hasCommonFields?: boolean
  /** The answer of POST, when it is not the whole object. */
  createAnswer?: { schema: TSchema; of(document: StoredDocument<Data>): JsonObject }
  /**
   * Whether GET takes `{id}@N` as `{id}`: hooks find the number in `call.request.params.id`. `named`: also `{id}@NAME`.
   */
  hasVersions?: boolean | 'named'
  /** The code of an error about one that does not exist. Default `not_found`. */
  missingCode?: ErrorCode
  /** Built-in objects: not stored and immutable; without `workspace_id` available in every workspace. */
  builtIn?(call: Call): readonly StoredDocument<Data>[]
  /** Further parameters of GET of one object, for the OpenAPI document: hooks read them. */
  readQuery?: Readonly<Record<string, TSchema>>
  /** Read-only members of answers beside common ones and `fields`. */
  answers?: Readonly<Record<string, TSchema>>
  filters?: Readonly<Record<string, Filter>>
  /** Statuses that `?status=` knows. Default `active`, `archived`. */
  statuses?: readonly string[]
  /** Statuses listed by default. Default: all except `archived`. */
  listed?: readonly string[]
  /** Statuses that a PUT may set; `active` restores an archived one. */
  writableStatuses?: readonly string[]
  /** Which of the usual routes there are. Default all. */
  operations?: readonly ('create' | 'list' | 'read' | 'update' | 'delete')[]
  hooks?: Hooks<Data>
  routes?: readonly ExtraRoute<Data>[]
}

/**
 * Gives a declaration its types; a list of resources holds them without. Hooks are called with documents of the
 * resource's own kind only, which is what the double cast says: the engine handles data that it does not know.
 */
export function defineResource<Data>(resource: Resource<Data>): Resource {
  return resource as unknown as Resource
}
