/** How a kind of object is declared, and the fields and columns that many kinds share. */
import type { Json, Row } from '../api.ts'
import type { Answer, Body, NameOf, PathOf } from '../api-types.ts'
import type { SchemaName } from '../parts/schemas.tsx'
import type { Undo } from './undo.ts'

/** Value and label. */
export type Options = readonly (readonly [string, string])[]

/** A value that is often written in a text field, with a label if it is not a word itself. */
export type Proposed = string | Options[number]

export type ListPath = Extract<
  PathOf<'get'>,
  | '/v1/api-keys'
  | '/v1/providers'
  | '/v1/configs'
  | '/v1/prompts'
  | '/v1/guardrails'
  | '/v1/policies/usage-limits'
  | '/v1/policies/rate-limits'
  | '/v1/workspaces'
  | '/v1/users'
  | '/v1/webhooks'
  | '/v1/logs/exports'
  | '/v1/prompts/partials'
  | '/v1/labels'
  | '/v1/collections'
  | '/v1/secret-references'
  | '/v1/mcp-servers'
  | '/v1/agent-servers'
  | '/v1/mcp-integrations'
  | '/v1/agent-integrations'
>
type OnePath = Extract<PathOf<'get'> & PathOf<'put'>, `${ListPath}/{id}`>

/** A hint that depends on another member of the same object. */
export interface HintBy {
  member: string
  /** By the value of that member. */
  hints: Readonly<Record<string, string>>
}

/** A field of one row of a list of objects. */
export interface PartSpec {
  name: string
  label: string
  /** `lines`: one text, or a list of them. */
  kind: 'text' | 'select' | 'number' | 'lines'
  options?: Options
  /** Of a new row. */
  initial?: string
  hint?: string
  hintBy?: HintBy
  /** Texts that are often written there. */
  proposed?: readonly Proposed[]
}

/** A field of one member of an object. */
export interface MemberSpec {
  /** Members of inner objects are separated by slashes, as in a JSON pointer. */
  name: string
  label: string
  /** `lines`: a list of texts, one per line. */
  kind: 'text' | 'number' | 'select' | 'boolean' | 'time' | 'lines' | 'json'
  options?: Options
  hint?: string
  proposed?: readonly Proposed[]
  /** Of a number. */
  min?: number
  max?: number
  isInteger?: boolean
  /** Of a text, and the message for one that does not match. */
  pattern?: RegExp
  explain?: string
  /** The schema for suggestions of the JSON editor. */
  schema?: SchemaName
  /** It is the first of its line. */
  startsLine?: boolean
  /** It is only shown if the object has it. */
  isRare?: boolean
}

export interface FieldSpec {
  name: string
  label: string
  kind:
    | 'text'
    | 'area'
    | 'select'
    | 'json'
    | 'list'
    | 'number'
    | 'workspace'
    | 'time'
    | 'rows'
    | 'members'
    | 'boolean'
    | 'picker'
    | 'variables'
  /** Of a picker: the objects to choose from, and which member of them the field holds. */
  picks?: { api: ListPath; value: 'id' | 'slug' }
  /** Of a picker: what an empty choice means. */
  none?: string
  /** Of a list: what to choose from; `scopes`: those of the signed-in person or key. */
  choices?: 'scopes' | readonly string[]
  /** What is read for a choice. */
  words?: Readonly<Record<string, string>>
  /** Of a text: what to propose. */
  proposes?: 'models'
  /** Of a select. */
  options?: Options
  /** Of a new object. */
  initial?: Json
  hint?: string
  hintBy?: HintBy
  isRequired?: boolean
  /** Of rows: the fields of each; other members are the gateway's, and are shown elsewhere. */
  parts?: readonly PartSpec[]
  /** Of members: the fields. */
  members?: readonly MemberSpec[]
  /** Of members: the label of a field with all others as JSON; default: only shown if there are others. */
  others?: string
  /** Of members: the API merges the object, and null removes a member. */
  isMerged?: boolean
  /** Of rows: one of them, in the middle of a sentence. */
  singular?: string
  /** The schema for suggestions in the editor of a JSON field. */
  schema?: SchemaName
  /** Forms that show the field: create, edit, or both (default). */
  on?: 'create' | 'edit'
}

export interface Resource {
  /** Below /console. */
  path: string
  title: string
  /** In the middle of a sentence. */
  singular: string
  api: ListPath
  /** One of them. */
  one: OnePath
  /** Families of scopes: `configs` means `configs.list`, `configs.read` and so on. */
  families: readonly string[]
  columns: readonly {
    name: string
    label: string
    kind?: 'time' | 'status' | 'number' | 'amount'
    /** What is read for a value. */
    words?: Readonly<Record<string, string>>
  }[]
  fields: readonly FieldSpec[]
  /** What shows an object to people. */
  nameOf?: (row: Row) => string
  /** A save adds a version, and another may be published: `ID@latest` is edited. */
  hasVersions?: boolean
  canCreate?: boolean
  canDelete?: boolean
  isSearched?: boolean
  /** What its list can be narrowed to; default: active and archived; none: the API has no such filter. */
  statuses?: readonly string[]
  /** How a deletion is taken back; default: it cannot be. */
  undo?: Undo
  /** Why one cannot be edited; null: it can be. */
  whyFixed?: (row: Row) => string | null
  /** Text after a save whose result the object does not show. */
  savedText?: (saved: Row) => string | null
  /** The effect of deleting an object; default: requests that name it are refused. */
  onDelete?: string
  about: string
  /** What to do when the list is empty. */
  begin: string
  /** Beside the facts that every object has. */
  factsOf?: (row: Row) => readonly (readonly [string, string])[]
}

/** A kind whose columns and fields the API has. */
interface Declared<L extends ListPath, O extends `${L}/{id}` & OnePath>
  extends Omit<Resource, 'columns' | 'fields'> {
  api: L
  one: O
  columns: readonly (Resource['columns'][number] & { name: NameOf<Answer<'get', O>> })[]
  fields: readonly (FieldSpec &
    (
      | { on?: undefined; name: CreateName<L> & NameOf<Body<'put', O>> }
      | { on: 'create'; name: CreateName<L> }
      | { on: 'edit'; name: NameOf<Body<'put', O>> }
    ))[]
}

/** What cannot be created here is only edited. */
type CreateName<L extends ListPath> = L extends PathOf<'post'> ? NameOf<Body<'post', L>> : string

export const declare = <L extends ListPath, O extends `${L}/{id}` & OnePath>(
  declared: Declared<L, O>,
): Resource => declared

/** @param member the value of a member of the same object */
export const hintOf = (
  { hint, hintBy }: Pick<FieldSpec, 'hint' | 'hintBy'>,
  member: (name: string) => unknown,
): string | undefined => hintBy?.hints[String(member(hintBy.member))] ?? hint

/** The values of an enum of the API, all of them, in words. */
export const optionsOf = <Value extends string>(words: Readonly<Record<Value, string>>): Options =>
  Object.entries<string>(words)

export const name = {
  name: 'name',
  label: 'Name',
  kind: 'text',
  isRequired: true,
} as const satisfies FieldSpec
export const description = {
  name: 'description',
  label: 'Description',
  kind: 'text',
} as const satisfies FieldSpec
export const workspace = {
  name: 'workspace_id',
  label: 'Workspace',
  kind: 'workspace',
  on: 'create',
} as const satisfies FieldSpec
export const expiresAt = {
  name: 'expires_at',
  label: 'Expires at',
  kind: 'time',
  hint: 'Leave empty for never.',
} as const satisfies FieldSpec

/** Columns that most kinds have. */
export const common = [
  { name: 'slug', label: 'Slug' },
  { name: 'status', label: 'Status', kind: 'status' },
  { name: 'source', label: 'Source' },
  { name: 'created_at', label: 'Created', kind: 'time' },
] as const
