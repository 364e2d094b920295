/** The console's description of each kind of object: API path, columns, fields. Data only. */
import type { Json, Row } from './api.ts'
import type { Answer, Body, NameOf, PathOf } from './api-types.ts'
import type { SchemaName } from './parts/schemas.tsx'

type ListPath = Extract<
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
>
type OnePath = Extract<PathOf<'get'> & PathOf<'put'>, `${ListPath}/{id}`>

export interface FieldSpec {
  name: string
  label: string
  kind: 'text' | 'area' | 'select' | 'json' | 'list' | 'number' | 'workspace' | 'yes'
  /** Of a select. */
  options?: readonly (readonly [string, string])[]
  /** Of a new object. */
  initial?: Json
  hint?: string
  isRequired?: boolean
  /** Of JSON: what people set of it; what the gateway counts beside it is shown elsewhere. */
  members?: readonly string[]
  /** What the editor of a JSON field proposes by. */
  schema?: SchemaName
  /** Where it stands; default: both. */
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
  /** Families of scopes: `configs` stands for `configs.list` and the others. */
  families: readonly string[]
  columns: readonly { name: string; label: string; kind?: 'time' | 'status' | 'number' | 'amount' }[]
  fields: readonly FieldSpec[]
  /** What shows an object to people. */
  nameOf?: (row: Row) => string
  canCreate?: boolean
  canDelete?: boolean
  isSearched?: boolean
  /** Whether what was deleted can be made active again. */
  canRestore?: boolean
  about: string
  /** What to do while there is none. */
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

const declare = <L extends ListPath, O extends `${L}/{id}` & OnePath>(declared: Declared<L, O>): Resource =>
  declared

const name = { name: 'name', label: 'Name', kind: 'text', isRequired: true } as const satisfies FieldSpec
const description = { name: 'description', label: 'Description', kind: 'text' } as const satisfies FieldSpec
const workspace = {
  name: 'workspace_id',
  label: 'Workspace',
  kind: 'workspace',
  on: 'create',
} as const satisfies FieldSpec
const limits = [
  {
    name: 'usage_limits',
    label: 'Usage limits',
    kind: 'json',
    members: ['type', 'credit_limit', 'alert_threshold', 'periodic_reset', 'periodic_reset_days'],
    hint: 'US dollars, tokens or requests: [{"type": "cost", "credit_limit": 10, "periodic_reset": "monthly"}]',
  },
  {
    name: 'rate_limits',
    label: 'Rate limits',
    kind: 'json',
    members: ['type', 'unit', 'value'],
    hint: '[{"type": "requests", "unit": "rpm", "value": 60}]',
  },
] as const satisfies readonly FieldSpec[]
const common = [
  { name: 'slug', label: 'Slug' },
  { name: 'status', label: 'Status', kind: 'status' },
  { name: 'source', label: 'Source' },
  { name: 'created_at', label: 'Created', kind: 'time' },
] as const

const policyFields = [
  { name: 'name', label: 'Name', kind: 'text' },
  description,
  { ...workspace },
  {
    name: 'conditions',
    label: 'Conditions',
    kind: 'json',
    initial: [{ key: 'workspace_id', value: '*' }],
    hint: 'Which requests count; as it is, all of the workspace. For one user: [{"key": "metadata._user", "value": "alice"}]',
  },
  {
    name: 'group_by',
    label: 'Group by',
    kind: 'json',
    on: 'create',
    initial: [{ key: 'api_key' }],
    hint: 'Each group has a limit of its own.',
  },
] as const satisfies readonly FieldSpec[]

const keyFamilies = ['organisation_service_api_keys', 'workspace_service_api_keys', 'workspace_user_api_keys']

const chatTemplate = JSON.stringify([{ role: 'user', content: 'Hello {{name}}' }])

export const resources: readonly Resource[] = [
  declare({
    path: 'keys',
    title: 'Keys',
    singular: 'API key',
    api: '/v1/api-keys',
    one: '/v1/api-keys/{id}',
    families: keyFamilies,
    columns: [
      { name: 'name', label: 'Name' },
      { name: 'type', label: 'Type' },
      { name: 'status', label: 'Status', kind: 'status' },
      { name: 'source', label: 'Source' },
      { name: 'expires_at', label: 'Expires', kind: 'time' },
      { name: 'last_used_at', label: 'Last used', kind: 'time' },
    ],
    fields: [
      name,
      description,
      {
        name: 'type',
        label: 'Type',
        kind: 'select',
        on: 'create',
        initial: 'workspace-service',
        options: [
          ['workspace-service', 'Workspace service: for an application'],
          ['workspace-user', 'Workspace user: for a person'],
          ['organisation-service', 'Organisation service: for management'],
        ],
      },
      workspace,
      {
        name: 'scopes',
        label: 'Scopes',
        kind: 'list',
        initial: ['completions.write', 'models.list', 'prompts.render', 'feedbacks.write'],
        hint: 'One in each line.',
      },
      ...limits,
      {
        name: 'expires_at',
        label: 'Expires at',
        kind: 'text',
        hint: 'Such as 2030-01-31T00:00:00Z; empty: never.',
      },
    ],
    about: 'A key lets an application call the gateway, within its scopes and limits.',
    begin: 'Create one for each application: it has limits and logs of its own.',
  }),
  declare({
    path: 'providers',
    title: 'Providers',
    singular: 'provider',
    api: '/v1/providers',
    one: '/v1/providers/{id}',
    families: ['providers'],
    columns: [{ name: 'name', label: 'Name' }, { name: 'provider', label: 'Provider' }, ...common],
    fields: [name, { name: 'note', label: 'Note', kind: 'text' }, ...limits],
    about: 'A provider is a stored credential that requests name as @slug.',
    begin: 'Connect one with the key that its vendor gave you, and test it at once.',
    factsOf: ({ provider, slug }) => [
      ['Provider', String(provider)],
      ['Model name', `@${String(slug)}/MODEL`],
    ],
  }),
  declare({
    path: 'configs',
    canRestore: true,
    title: 'Configs',
    singular: 'config',
    api: '/v1/configs',
    one: '/v1/configs/{id}',
    families: ['configs'],
    columns: [{ name: 'name', label: 'Name' }, ...common],
    fields: [
      name,
      workspace,
      {
        name: 'config',
        label: 'Config',
        kind: 'json',
        schema: 'config',
        isRequired: true,
        initial: { retry: { attempts: 2 } },
      },
    ],
    about: 'A config says how requests are routed: targets, fallbacks, retries, cache, guardrails.',
    begin: 'Make one, and send its slug as x-gateway-config.',
  }),
  declare({
    path: 'prompts',
    title: 'Prompts',
    singular: 'prompt',
    api: '/v1/prompts',
    one: '/v1/prompts/{id}',
    families: ['prompts'],
    columns: [
      { name: 'name', label: 'Name' },
      { name: 'slug', label: 'Slug' },
      { name: 'model', label: 'Model' },
      { name: 'published_version', label: 'Published' },
      { name: 'latest_version', label: 'Latest' },
      { name: 'status', label: 'Status', kind: 'status' },
    ],
    fields: [
      name,
      workspace,
      { name: 'model', label: 'Model', kind: 'text', isRequired: true },
      {
        name: 'string',
        label: 'Template',
        kind: 'area',
        isRequired: true,
        initial: chatTemplate,
        hint: 'Messages as JSON; {{name}} is a variable.',
      },
      { name: 'parameters', label: 'Parameters', kind: 'json', initial: {} },
      { name: 'virtual_key', label: 'Provider', kind: 'text', hint: 'The slug of a provider.' },
      { name: 'version_description', label: 'What changed', kind: 'text', on: 'edit' },
    ],
    about: 'A prompt is a template with versions; applications call it by its slug.',
    begin: 'Make one, publish a version, and change the words without a new release of the application.',
  }),
  declare({
    path: 'guardrails',
    canRestore: true,
    title: 'Guardrails',
    singular: 'guardrail',
    api: '/v1/guardrails',
    one: '/v1/guardrails/{id}',
    families: ['guardrails', 'organisation_guardrails'],
    columns: [{ name: 'name', label: 'Name' }, ...common],
    fields: [
      name,
      workspace,
      {
        name: 'checks',
        label: 'Checks',
        kind: 'json',
        schema: 'checks',
        isRequired: true,
        initial: [{ id: 'default.contains', parameters: { words: ['secret'], operator: 'none' } }],
      },
      { name: 'actions', label: 'Actions', kind: 'json', initial: { deny: true } },
    ],
    about: 'A guardrail checks what is asked and what is answered.',
    begin: 'Make one, try it on a text here, and name its slug in a config.',
  }),
  declare({
    path: 'policies',
    canRestore: true,
    title: 'Policies',
    singular: 'usage policy',
    api: '/v1/policies/usage-limits',
    one: '/v1/policies/usage-limits/{id}',
    families: ['policies'],
    columns: [
      { name: 'name', label: 'Name' },
      { name: 'type', label: 'Type' },
      { name: 'credit_limit', label: 'Limit', kind: 'amount' },
      { name: 'periodic_reset', label: 'Resets' },
      { name: 'status', label: 'Status', kind: 'status' },
      { name: 'source', label: 'Source' },
    ],
    fields: [
      ...policyFields,
      {
        name: 'type',
        label: 'Type',
        kind: 'select',
        on: 'create',
        initial: 'cost',
        options: [
          ['cost', 'Cost in US dollars'],
          ['tokens', 'Tokens'],
          ['requests', 'Requests'],
        ],
      },
      { name: 'credit_limit', label: 'Limit', kind: 'number', isRequired: true, initial: 10 },
      { name: 'alert_threshold', label: 'Alert at', kind: 'number' },
      {
        name: 'periodic_reset',
        label: 'Resets',
        kind: 'select',
        initial: 'monthly',
        options: [
          ['', 'Never'],
          ['weekly', 'Weekly'],
          ['monthly', 'Monthly'],
        ],
      },
    ],
    about: 'A usage policy bounds what each group of requests may spend.',
    begin: 'Make one to give every key, user or team a monthly budget.',
  }),
  declare({
    path: 'rate-limits',
    canRestore: true,
    title: 'Rate limits',
    singular: 'rate limit',
    api: '/v1/policies/rate-limits',
    one: '/v1/policies/rate-limits/{id}',
    families: ['policies'],
    columns: [
      { name: 'name', label: 'Name' },
      { name: 'type', label: 'Type' },
      { name: 'value', label: 'Value', kind: 'number' },
      { name: 'unit', label: 'Unit' },
      { name: 'status', label: 'Status', kind: 'status' },
      { name: 'source', label: 'Source' },
    ],
    fields: [
      ...policyFields,
      {
        name: 'type',
        label: 'Type',
        kind: 'select',
        on: 'create',
        initial: 'requests',
        options: [
          ['requests', 'Requests'],
          ['tokens', 'Tokens'],
        ],
      },
      {
        name: 'unit',
        label: 'Unit',
        kind: 'select',
        initial: 'rpm',
        options: [
          ['rpm', 'Per minute'],
          ['rph', 'Per hour'],
          ['rpd', 'Per day'],
          ['rpw', 'Per week'],
        ],
      },
      { name: 'value', label: 'Value', kind: 'number', isRequired: true, initial: 60 },
    ],
    about: 'A rate limit bounds how fast each group of requests may come.',
    begin: 'Make one so that no key or user takes the whole capacity.',
  }),
  declare({
    path: 'workspaces',
    canRestore: true,
    title: 'Workspaces',
    singular: 'workspace',
    api: '/v1/workspaces',
    one: '/v1/workspaces/{id}',
    families: ['workspaces'],
    columns: [{ name: 'name', label: 'Name' }, ...common],
    fields: [name, description, ...limits],
    about: 'A workspace holds the keys, configs and logs of a team.',
    begin: 'Make one for each team.',
  }),
  declare({
    path: 'users',
    title: 'Users',
    singular: 'user',
    api: '/v1/users',
    one: '/v1/users/{id}',
    families: ['organisation_users'],
    columns: [
      { name: 'email', label: 'E-mail' },
      { name: 'first_name', label: 'First name' },
      { name: 'last_name', label: 'Last name' },
      { name: 'role', label: 'Role' },
      { name: 'status', label: 'Status', kind: 'status' },
      { name: 'last_login_at', label: 'Last sign-in', kind: 'time' },
    ],
    nameOf: (row) => String(row.email ?? row.id),
    fields: [
      { name: 'first_name', label: 'First name', kind: 'text', isRequired: true },
      { name: 'last_name', label: 'Last name', kind: 'text' },
      {
        name: 'role',
        label: 'Role',
        kind: 'select',
        options: [
          ['owner', 'Owner'],
          ['admin', 'Admin'],
          ['member', 'Member'],
        ],
      },
      {
        name: 'status',
        label: 'Status',
        kind: 'select',
        options: [
          ['active', 'Active'],
          ['deactivated', 'Deactivated'],
        ],
      },
    ],
    canCreate: false,
    about: 'The people of this organisation, and what each may do.',
    begin: 'Invite the first person: you get a link to send to them.',
  }),
  declare({
    path: 'webhooks',
    title: 'Webhooks',
    singular: 'webhook',
    api: '/v1/webhooks',
    one: '/v1/webhooks/{id}',
    families: ['webhooks'],
    columns: [
      { name: 'url', label: 'URL' },
      { name: 'events', label: 'Events' },
      { name: 'status', label: 'Status', kind: 'status' },
      { name: 'created_at', label: 'Created', kind: 'time' },
    ],
    nameOf: (row) => String(row.url ?? row.id),
    fields: [
      { name: 'url', label: 'URL', kind: 'text', isRequired: true },
      { name: 'events', label: 'Events', kind: 'list', initial: ['*'], hint: 'One in each line; * for all.' },
      description,
      workspace,
    ],
    about: 'A webhook is called when keys, limits or batches change.',
    begin: 'Make one to hear of expiring keys and exhausted limits; a test event can be sent at once.',
  }),
  declare({
    path: 'exports',
    title: 'Exports',
    singular: 'export',
    api: '/v1/logs/exports',
    one: '/v1/logs/exports/{id}',
    families: ['logs.export'],
    columns: [
      { name: 'description', label: 'Description' },
      { name: 'status', label: 'Status', kind: 'status' },
      { name: 'total', label: 'Entries', kind: 'number' },
      { name: 'created_at', label: 'Created', kind: 'time' },
    ],
    nameOf: (row) => String(row.description ?? row.id),
    fields: [
      description,
      workspace,
      { name: 'filters', label: 'Filters', kind: 'json', isRequired: true, initial: { page_size: 1000 } },
      {
        name: 'requested_data',
        label: 'Fields',
        kind: 'list',
        isRequired: true,
        initial: ['id', 'trace_id', 'created_at', 'ai_model', 'response_status_code', 'total_units', 'cost'],
      },
    ],
    isSearched: false,
    canDelete: false,
    about: 'An export writes log entries to a file to download.',
    begin: 'Make one: choose the fields and a filter, start it, and download the file.',
  }),
]

/** What shows an object to people. */
export const nameOf = ({ nameOf: own }: Pick<Resource, 'nameOf'>, row: Row): string =>
  own?.(row) ?? String(row.name ?? row.slug ?? row.id)

/** The scopes for an action; a family that already names one is a scope itself. */
export const scopesFor = (
  { families }: Pick<Resource, 'families'>,
  action: 'list' | 'read' | 'create' | 'update' | 'delete' | 'rotate',
): string[] => families.map((family) => (family.includes('.') ? family : `${family}.${action}`))

/** Of API keys of any type. */
export const keyScopes = (action: Parameters<typeof scopesFor>[1]): string[] =>
  scopesFor({ families: keyFamilies }, action)
