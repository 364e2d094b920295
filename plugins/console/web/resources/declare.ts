/** Types for the declaration of a resource, and the fields and columns that many resources share. */
import type { Json, Row } from '../api.ts'
import type { Answer, Body, NameOf, PathOf } from '../api-types.ts'
import type { SchemaName } from '../parts/schemas.tsx'
import type { Undo } from './undo.ts'

/** The value and the label of each option. */
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
  /** Hints by the value of that member. */
  hints: Readonly<Record<string, string>>
}

/** A field of one row of a list of objects. */
export interface PartSpec {
  name: string
  label: string
  /** `lines`: a string, or a list of strings. */
  kind: 'text' | 'select' | 'number' | 'lines'
  options?: Options
  /** The initial value in a new row. */
  initial?: string
  hint?: string
  hintBy?: HintBy
  /** Texts that are often written there. */
  proposed?: readonly Proposed[]
}

/** A field for one member of an object. */
export interface MemberSpec {
  /** The member's name. Slashes separate members of inner objects, as in a JSON pointer. */
  name: string
  label: string
  /** `lines`: a list of strings, one per line. */
  kind: 'text' | 'number' | 'select' | 'boolean' | 'time' | 'lines' | 'json'
  options?: Options
  hint?: string
  proposed?: readonly Proposed[]
  /** Of a number. */
  min?: number
  max?: number
  isInteger?: boolean
  /** The pattern of a text, and the message for a text that does not match. */
  pattern?: RegExp
  explain?: string
  /** The schema for suggestions of the JSON editor. */
  schema?: SchemaName
  /** Whether it starts a new line. */
  startsLine?: boolean
  /** Whether it is shown only if the object has it. */
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
  /** For a picker: the objects to choose from, and the member that the field stores. */
  picks?: { api: ListPath; value: 'id' | 'slug' }
  /** For a picker: the label of an empty selection. */
  none?: string
  /** For a list: the choices; `scopes` stands for those of the signed-in person or key. */
  choices?: 'scopes' | readonly string[]
  /** Labels of choices. */
  words?: Readonly<Record<string, string>>
  /** For a text: what to suggest. */
  proposes?: 'models'
  /** The options of a select. */
  options?: Options
  /** The initial value in a new object. */
  initial?: Json
  hint?: string
  hintBy?: HintBy
  isRequired?: boolean
  /** For rows: the fields of each. Other members belong to the gateway and are shown elsewhere. */
  parts?: readonly PartSpec[]
  /** For members: the fields. */
  members?: readonly MemberSpec[]
  /** For members: the label of a field for all other members as JSON. Default: shown only if there are others. */
  others?: string
  /** For members: whether the API merges the object, in which null removes a member. */
  isMerged?: boolean
  /** For rows: the name of one row, as in the middle of a sentence. */
  singular?: string
  /** The schema for suggestions in the editor of a JSON field. */
  schema?: SchemaName
  /** Forms that show the field: create, edit, or both (default). */
  on?: 'create' | 'edit'
}

export interface Resource {
  /** The path below /console. */
  path: string
  title: string
  /** The name of one object, as in the middle of a sentence. */
  singular: string
  api: ListPath
  /** The API path of one object. */
  one: OnePath
  /** Families of scopes: `configs` means `configs.list`, `configs.read` and so on. */
  families: readonly string[]
  columns: readonly {
    name: string
    label: string
    kind?: 'time' | 'status' | 'number' | 'amount'
    /** Labels of values. */
    words?: Readonly<Record<string, string>>
  }[]
  fields: readonly FieldSpec[]
  /** The name under which an object is shown. */
  nameOf?: (row: Row) => string
  /** Whether a save adds a version. As another version may be published, `ID@latest` is edited. */
  hasVersions?: boolean
  canCreate?: boolean
  canDelete?: boolean
  isSearched?: boolean
  /**
   * The statuses by which the list can be filtered. Default: active and archived; empty if the API has no such filter.
   */
  statuses?: readonly string[]
  /** How a deletion is undone. Default: it cannot be. */
  undo?: Undo
  /** Why an object cannot be edited; null if it can. */
  whyFixed?: (row: Row) => string | null
  /** The text after a save whose result the object does not show. */
  savedText?: (saved: Row) => string | null
  /** The effect of deleting an object. Default: requests that refer to it are refused. */
  onDelete?: string
  about: string
  /** What to do when the list is empty. */
  begin: string
  /** Facts in addition to those that every object has. */
  factsOf?: (row: Row) => readonly (readonly [string, string])[]
}

/** A resource whose columns and fields exist in the API. */
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

/** The members of the create body. Without a POST route, names are checked only against the update body. */
type CreateName<L extends ListPath> = L extends PathOf<'post'> ? NameOf<Body<'post', L>> : string

export const declare = <L extends ListPath, O extends `${L}/{id}` & OnePath>(
  declared: Declared<L, O>,
): Resource => declared

/** @param member returns the value of a member of the same object */
export const hintOf = (
  { hint, hintBy }: Pick<FieldSpec, 'hint' | 'hintBy'>,
  member: (name: string) => unknown,
): string | undefined => hintBy?.hints[String(member(hintBy.member))] ?? hint

/** The values of an API enum, all of them, with their labels. */
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

/** Columns of most resources. */
export const common = [
  { name: 'slug', label: 'Slug' },
  { name: 'status', label: 'Status', kind: 'status' },
  { name: 'source', label: 'Source' },
  { name: 'created_at', label: 'Created', kind: 'time' },
] as const
