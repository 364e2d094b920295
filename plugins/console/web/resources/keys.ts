/** API keys. */
import { formatTime } from '../parts/cells.tsx'
import { declare, description, expiresAt, name, type Options, workspace } from './declare.ts'
import { limits } from './limits.ts'
import { reactivate } from './undo.ts'

export const keyFamilies = [
  'organisation_service_api_keys',
  'workspace_service_api_keys',
  'workspace_user_api_keys',
]

/** The labels of key types. */
const typeWords: Readonly<Record<string, string>> = {
  'workspace-service': 'service',
  'workspace-user': 'person',
  'organisation-service': 'organisation',
}

const types = [
  ['workspace-service', 'Workspace service (application)'],
  ['workspace-user', 'Workspace user (person)'],
  ['organisation-service', 'Organisation service (management)'],
] as const satisfies Options

export const keys = declare({
  path: 'keys',
  undo: reactivate(),
  title: 'Keys',
  singular: 'API key',
  api: '/v1/api-keys',
  one: '/v1/api-keys/{id}',
  families: keyFamilies,
  statuses: ['active', 'exhausted', 'expired', 'archived'],
  columns: [
    { name: 'name', label: 'Name' },
    { name: 'masked_key', label: 'Key' },
    { name: 'type', label: 'Type', words: typeWords },
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
      options: types,
    },
    workspace,
    {
      name: 'scopes',
      label: 'Scopes',
      kind: 'list',
      initial: ['completions.write', 'models.list', 'prompts.render', 'feedbacks.write'],
      choices: 'scopes',
    },
    ...limits,
    expiresAt,
  ],
  factsOf: ({ masked_key: masked, type, last_used_at: used }) => [
    ['Key', masked === null ? 'in the config file' : String(masked)],
    ['Type', types.find(([value]) => value === type)?.[1] ?? String(type)],
    ['Last used', formatTime(used)],
  ],
  about: 'A key lets an application call the gateway, within its scopes and limits.',
  begin: 'Create one for each application, with its own limits and logs.',
})
