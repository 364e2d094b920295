/**
 * The access table of the management contract's section 3 with every setting at its default, written a second time to
 * verify the gateway's own table. c, r, u, d, l are the usual actions.
 */

export const callers = [
  'owner',
  'organisation admin',
  'workspace admin',
  'workspace manager',
  'workspace member',
  'stranger',
  'O key',
  'W key',
  'U key of an admin',
  'U key of a member',
  'O key without scopes',
  'W key without scopes',
  'U key without scopes',
] as const

export type CallerName = (typeof callers)[number]

interface Row {
  families: string
  actions: string
  O: string
  W: string
  U: string
  admin: string
  manager: string
  member: string
  /** The expected access of people who are in no workspace. */
  stranger?: string
}

const none = { O: '', W: '', U: '', admin: '', manager: '', member: '' }
const all = (actions: string) => ({
  actions,
  O: actions,
  W: actions,
  U: actions,
  admin: actions,
  manager: actions,
  member: actions,
})
const crudl = 'c r u d l'
const invoked = (families: string, actions: string): Row => ({ families, ...all(actions), O: '' })

const rows: readonly Row[] = [
  { families: 'organisation_settings', actions: 'r u', ...none, O: 'r u' },
  { families: 'organisation_users', actions: crudl, ...none, O: crudl, admin: 'l', manager: 'l' },
  {
    families: 'organisation_service_api_keys',
    actions: `${crudl} rotate`,
    ...none,
    O: `${crudl} rotate`,
  },
  {
    families: 'organisation_guardrails',
    actions: crudl,
    ...none,
    O: crudl,
    admin: 'r l',
    manager: 'r l',
    member: 'r l',
  },
  {
    families: 'organisation_exclusions',
    actions: 'u l',
    ...none,
    O: 'u l',
    admin: 'l',
    manager: 'l',
    member: 'l',
  },
  { families: 'audit_logs', actions: 'l', ...none, O: 'l' },
  { families: 'secret_references', actions: crudl, ...none, O: crudl },
  {
    families: 'organisation_integrations organisation_mcp_integrations organisation_agent_integrations',
    actions: crudl,
    O: crudl,
    W: 'l',
    U: 'l',
    admin: 'l',
    manager: 'l',
    member: 'l',
  },
  {
    families: 'agent_integration_skills',
    actions: 'u l',
    O: 'u l',
    W: 'l',
    U: 'l',
    admin: 'l',
    manager: 'l',
    member: 'l',
  },
  { families: 'scim_mappings', actions: 'c r d l', ...none, O: 'c r d l' },
  { families: 'scim', actions: 'provision', ...none, O: 'provision' },
  {
    families: 'sessions',
    actions: 'l d',
    ...none,
    O: 'l d',
    admin: 'l d',
    manager: 'l d',
    member: 'l d',
    stranger: 'l d',
  },
  {
    families: 'workspaces',
    actions: crudl,
    O: crudl,
    W: 'r u l',
    U: 'r u l',
    admin: 'r u l',
    manager: 'r l',
    member: 'r l',
  },
  { families: 'workspace_users', ...all(crudl), member: 'r l' },
  { families: 'workspace_service_api_keys', ...all(`${crudl} rotate`), U: '', member: '' },
  { families: 'workspace_user_api_keys', ...all(`${crudl} rotate`), U: 'r l rotate', member: 'r l rotate' },
  { families: 'configs guardrails providers virtual_keys', ...all(crudl), member: 'r l' },
  { families: 'prompts', ...all(`${crudl} publish`), member: 'r l' },
  { families: 'policies workspace_integrations mcp_servers agent_servers', ...all(crudl), member: 'r l' },
  { families: 'workspace_mcp_integrations workspace_agent_integrations', ...all(crudl), member: 'r l' },
  { families: 'agent_server_skills agent_server_user_access', ...all('u l'), member: 'l' },
  invoked('completions', 'write'),
  invoked('prompts', 'render'),
  invoked('guardrails', 'invoke'),
  invoked('mcp', 'invoke'),
  invoked('agents', 'invoke'),
  invoked('feedbacks', 'write'),
  invoked('logs', 'write'),
  { families: 'models', ...all('l') },
  { families: 'logs', ...all('l view export'), member: 'l view' },
  { families: 'logs', actions: 'd', ...none, O: 'd' },
  { families: 'feedbacks', ...all('r') },
  { families: 'analytics', ...all('view') },
  { families: 'replays', ...all('c r u l'), member: 'r l' },
  { families: 'webhooks', ...all(crudl), U: '', manager: 'r l', member: '' },
]

const words: Readonly<Record<string, string>> = {
  c: 'create',
  r: 'read',
  u: 'update',
  d: 'delete',
  l: 'list',
}
type Column = 'actions' | 'O' | 'W' | 'U' | 'admin' | 'manager' | 'member' | 'stranger'

const scopesOf = (column: Column): ReadonlySet<string> =>
  new Set(
    rows.flatMap((row) =>
      row.families.split(' ').flatMap((family) =>
        (row[column] ?? '')
          .split(' ')
          .filter((action) => action !== '')
          .map((action) => `${family}.${words[action] ?? action}`),
      ),
    ),
  )

/** Every scope of the table. */
export const knownScopes = scopesOf('actions')

const held: Readonly<Record<Column, ReadonlySet<string>>> = {
  actions: knownScopes,
  O: scopesOf('O'),
  W: scopesOf('W'),
  U: scopesOf('U'),
  admin: scopesOf('admin'),
  manager: scopesOf('manager'),
  member: scopesOf('member'),
  stranger: scopesOf('stranger'),
}

export const classScopes = { O: held.O, W: held.W, U: held.U }

/** Whether a caller holds a scope. */
export function holds(caller: CallerName, scope: string): boolean {
  switch (caller) {
    case 'owner':
    case 'organisation admin':
      return knownScopes.has(scope)
    case 'workspace admin':
      return held.admin.has(scope)
    case 'workspace manager':
      return held.manager.has(scope)
    case 'workspace member':
      return held.member.has(scope)
    case 'stranger':
      return held.stranger.has(scope)
    case 'O key':
      return held.O.has(scope)
    case 'W key':
      return held.W.has(scope)
    case 'U key of an admin':
      return held.U.has(scope) && held.admin.has(scope)
    case 'U key of a member':
      return held.U.has(scope) && held.member.has(scope)
    default:
      return false
  }
}
