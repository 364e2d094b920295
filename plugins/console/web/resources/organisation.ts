/** Workspaces, members, webhooks and exports. */
import type { Body } from '../api-types.ts'
import { common, declare, description, name, workspace } from './declare.ts'
import { limits } from './limits.ts'
import { exportFilters } from './members.ts'
import { reactivate } from './undo.ts'

export const workspaces = declare({
  path: 'workspaces',
  undo: reactivate('Its members come back; its API keys stay revoked.'),
  onDelete: 'Its API keys are revoked.',
  title: 'Workspaces',
  singular: 'workspace',
  api: '/v1/workspaces',
  one: '/v1/workspaces/{id}',
  families: ['workspaces'],
  columns: [{ name: 'name', label: 'Name' }, ...common],
  fields: [name, description, ...limits],
  about: 'A workspace holds the keys, configs and logs of a team.',
  begin: 'Create one for each team.',
})

export const users = declare({
  path: 'users',
  title: 'Users',
  singular: 'user',
  api: '/v1/users',
  one: '/v1/users/{id}',
  families: ['organisation_users'],
  statuses: ['active', 'deactivated', 'archived'],
  onDelete:
    'The person is signed out and leaves every workspace, and their API keys are revoked. To let them back in, invite them again.',
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
  about: 'The people in this organisation and their roles.',
  begin: 'Invite the first person: you get a link to send them.',
})

type Event = Exclude<NonNullable<Body<'post', '/v1/webhooks'>['events']>[number], '*'>

/** All events: if one is missing here, this does not compile. */
const events: Readonly<Record<Event, true>> = {
  'api_key.created': true,
  'api_key.rotated': true,
  'api_key.rotation_upcoming': true,
  'api_key.transition_expiring': true,
  'api_key.expiring': true,
  'api_key.expired': true,
  'api_key.archived': true,
  'usage_limit.threshold': true,
  'usage_limit.exhausted': true,
  'usage_limit.reset': true,
  'batch.completed': true,
  'batch.failed': true,
  'batch.expired': true,
  'batch.cancelled': true,
  'fine_tuning.job.succeeded': true,
  'fine_tuning.job.failed': true,
  'fine_tuning.job.cancelled': true,
  'breaker.opened': true,
  'breaker.closed': true,
  'guardrail.denied': true,
  'prompt.published': true,
  'config.updated': true,
  'config.rollout_aborted': true,
  'user.joined': true,
  'user.removed': true,
  'export.completed': true,
  'webhook.test': true,
}

const eventWords = { '*': 'all events' }

export const webhooks = declare({
  path: 'webhooks',
  title: 'Webhooks',
  singular: 'webhook',
  api: '/v1/webhooks',
  one: '/v1/webhooks/{id}',
  families: ['webhooks'],
  onDelete:
    'No more events are sent to it, and its signing secret is lost: a new webhook gets a new one. To stop only for a while, set its status to paused.',
  columns: [
    { name: 'url', label: 'URL' },
    { name: 'events', label: 'Events', words: eventWords },
    { name: 'status', label: 'Status', kind: 'status' },
    { name: 'created_at', label: 'Created', kind: 'time' },
  ],
  nameOf: (row) => String(row.url ?? row.id),
  fields: [
    { name: 'url', label: 'URL', kind: 'text', isRequired: true },
    {
      name: 'events',
      label: 'Events',
      kind: 'list',
      initial: ['*'],
      choices: ['*', ...Object.keys(events)],
      words: eventWords,
    },
    description,
    workspace,
    {
      name: 'status',
      label: 'Status',
      kind: 'select',
      on: 'edit',
      options: [
        ['active', 'Active'],
        ['paused', 'Paused'],
      ],
    },
  ],
  about:
    'The gateway calls a webhook when something happens, such as a limit that is reached, a denied request or a batch that ends.',
  begin: 'Create one to be told about expiring keys and exhausted limits, then send it a test event.',
})

export const exports = declare({
  path: 'exports',
  title: 'Exports',
  singular: 'export',
  api: '/v1/logs/exports',
  one: '/v1/logs/exports/{id}',
  families: ['logs.export'],
  statuses: [],
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
    {
      name: 'filters',
      label: 'Filters',
      kind: 'members',
      members: exportFilters,
      initial: { page_size: 1000 },
      hint: 'Entries that match all filters are exported. Leave a field empty for any value.',
    },
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
  whyFixed: ({ status }) =>
    status === 'draft' ? null : 'This export has been started and can no longer be edited.',
  about: 'An export writes log entries to a file that you can download.',
  begin: 'Create one: choose fields and filters, start it, then download the file.',
})
