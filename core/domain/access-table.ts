/**
 * The table in section 3 of the management contract, row by row: families, key classes, roles, and the settings that
 * govern them.
 */
import type { KeyClass } from '@gateway/contract'
import type { WorkspaceRole } from './entities/index.ts'

type Reach = 'all' | 'own'

interface RoleGrant {
  reach: Reach
  /** Security settings that must all be on. */
  settings: readonly string[]
}

/** One scope. */
export interface GrantRow {
  scope: string
  /** Key classes that may have it. */
  classes: Readonly<Partial<Record<KeyClass, Reach>>>
  roles: Readonly<{ owner: Reach } & Record<WorkspaceRole | 'outsider', RoleGrant | null>>
  /** Settings that restrict organisation admins, never owners. */
  adminSettings: readonly string[]
}

/** One cell of the table: actions, with a setting that governs them. `*`: every action that no other cell names. */
interface Cell {
  actions: string
  setting?: readonly string[]
  reach?: Reach
}

interface Row {
  families: readonly string[]
  actions: string
  /** The actions of each class, or `*` for all. Absent: none. */
  O?: string
  W?: string
  U?: string | Cell
  admin?: readonly Cell[]
  manager?: readonly Cell[]
  member?: readonly Cell[]
  outsider?: readonly Cell[]
  /** Action → settings that restrict organisation admins. */
  bound?: Readonly<Record<string, readonly string[]>>
}

const crudl = 'create read update delete list'
const everything: readonly Cell[] = [{ actions: '*' }]
const look: readonly Cell[] = [{ actions: 'read list' }]
const lookOnly = { admin: look, manager: look, member: look }

/** Reading is governed by one setting, all other actions by another. */
const governed = (role: 'managers' | 'members', name: string): readonly Cell[] => [
  { actions: 'read list', setting: [`${role}View${name}`] },
  { actions: '*', setting: [`${role}Write${name}`] },
]

/** Families with separate settings for reading and writing. */
const guarded = (families: readonly string[], actions: string, name: string): Row => ({
  families,
  actions,
  O: '*',
  W: '*',
  U: '*',
  admin: everything,
  manager: governed('managers', name),
  member: governed('members', name),
})

/** Everyone may read. Managers may do everything else while a setting allows it. */
const served = (families: readonly string[], actions: string, setting: string): Row => ({
  families,
  actions,
  O: '*',
  W: '*',
  U: '*',
  admin: everything,
  manager: [{ actions: 'read list' }, { actions: '*', setting: [setting] }],
  member: look,
})

/** Scopes of the organisation only. */
const reserved = (families: readonly string[], actions: string): Row => ({ families, actions, O: '*' })

/** Calls of the data path: every role, and keys that have a workspace. */
const invoked = (family: string, action: string): Row => ({
  families: [family],
  actions: action,
  W: '*',
  U: '*',
  admin: everything,
  manager: everything,
  member: everything,
})

const listed: readonly Cell[] = [{ actions: 'list' }]
const own: readonly Cell[] = [{ actions: '*', reach: 'own' }]

const table: readonly Row[] = [
  reserved(['organisation_settings'], 'read update'),
  { ...reserved(['organisation_users'], crudl), admin: listed, manager: listed },
  reserved(['organisation_service_api_keys'], `${crudl} rotate`),
  { ...reserved(['organisation_guardrails'], crudl), ...lookOnly },
  { ...reserved(['organisation_exclusions'], 'update list'), ...lookOnly },
  reserved(['audit_logs'], 'list'),
  reserved(['secret_references'], crudl),
  {
    families: [
      'organisation_integrations',
      'organisation_mcp_integrations',
      'organisation_agent_integrations',
    ],
    actions: crudl,
    O: '*',
    W: 'list',
    U: 'list',
    admin: listed,
    manager: listed,
    member: listed,
  },
  {
    families: ['agent_integration_skills'],
    actions: 'update list',
    O: '*',
    W: 'list',
    U: 'list',
    admin: listed,
    manager: listed,
    member: listed,
  },
  reserved(['scim_mappings'], 'create read delete list'),
  reserved(['scim'], 'provision'),
  {
    ...reserved(['sessions'], 'list delete'),
    admin: own,
    manager: own,
    member: own,
    outsider: own,
  },
  {
    families: ['workspaces'],
    actions: crudl,
    O: '*',
    W: 'read update list',
    U: 'read update list',
    admin: [{ actions: 'read update list' }],
    manager: [{ actions: 'read list' }, { actions: 'update', setting: ['managersUpdateWs'] }],
    member: look,
  },
  {
    families: ['workspace_users'],
    actions: crudl,
    O: '*',
    W: '*',
    U: '*',
    admin: everything,
    manager: [{ actions: 'read list' }, { actions: '*', setting: ['managersWriteWsUsers'] }],
    member: look,
  },
  {
    families: ['workspace_service_api_keys'],
    actions: `${crudl} rotate`,
    O: '*',
    W: '*',
    admin: everything,
    manager: governed('managers', 'ApiKeys'),
  },
  {
    families: ['workspace_user_api_keys'],
    actions: `${crudl} rotate`,
    O: '*',
    W: '*',
    U: { actions: 'read list rotate', reach: 'own' },
    admin: everything,
    manager: governed('managers', 'ApiKeys'),
    member: [
      { actions: 'read list rotate', setting: ['membersViewApiKeys'], reach: 'own' },
      { actions: '*', setting: ['membersWriteApiKeys'], reach: 'own' },
    ],
  },
  guarded(['configs'], crudl, 'Configs'),
  guarded(['guardrails'], crudl, 'Guardrails'),
  guarded(['providers', 'virtual_keys'], crudl, 'VirtualKeys'),
  guarded(['prompts'], `${crudl} publish`, 'Prompts'),
  { ...served(['policies'], crudl, ''), manager: everything },
  served(['workspace_integrations'], crudl, 'managersWriteWsIntegrations'),
  served(
    ['workspace_mcp_integrations', 'workspace_agent_integrations'],
    crudl,
    'managersWriteWsMcpIntegrations',
  ),
  served(['mcp_servers', 'agent_servers'], crudl, 'managersWriteMcpServers'),
  served(['agent_server_skills', 'agent_server_user_access'], 'update list', 'managersWriteMcpServers'),
  invoked('completions', 'write'),
  invoked('prompts', 'render'),
  invoked('guardrails', 'invoke'),
  invoked('mcp', 'invoke'),
  invoked('agents', 'invoke'),
  invoked('feedbacks', 'write'),
  invoked('logs', 'write'),
  { ...invoked('models', 'list'), O: '*' },
  {
    families: ['logs'],
    actions: 'list view export',
    O: '*',
    W: '*',
    U: '*',
    admin: everything,
    manager: [
      { actions: 'view', setting: ['managersViewLogMetadata', 'managersViewLogs'] },
      { actions: '*', setting: ['managersViewLogMetadata'] },
    ],
    member: [
      { actions: 'view', setting: ['membersViewLogMetadata', 'membersViewLogs'] },
      { actions: 'list', setting: ['membersViewLogMetadata'] },
    ],
    bound: {
      view: ['organisationAdminsViewLogMetadata', 'organisationAdminsViewLogs'],
      list: ['organisationAdminsViewLogMetadata'],
      export: ['organisationAdminsViewLogMetadata'],
    },
  },
  reserved(['logs'], 'delete'),
  {
    families: ['feedbacks'],
    actions: 'read',
    O: '*',
    W: '*',
    U: '*',
    admin: everything,
    manager: [{ actions: '*', setting: ['managersViewLogMetadata'] }],
    member: [{ actions: '*', setting: ['membersViewLogMetadata'] }],
    bound: { read: ['organisationAdminsViewLogMetadata'] },
  },
  {
    families: ['analytics'],
    actions: 'view',
    O: '*',
    W: '*',
    U: '*',
    admin: everything,
    manager: [{ actions: '*', setting: ['managersViewAnalytics'] }],
    member: [{ actions: '*', setting: ['membersViewAnalytics'] }],
  },
  // Creating and reading pairs also need `logs.view`, which settings may withhold.
  {
    families: ['replays'],
    actions: 'create read update list',
    O: '*',
    W: '*',
    U: '*',
    admin: everything,
    manager: everything,
    member: look,
  },
  { families: ['webhooks'], actions: crudl, O: '*', W: '*', admin: everything, manager: look },
]

/** Every scope and who may have it. */
export const grantRows: readonly GrantRow[] = table.flatMap((row) =>
  row.families.flatMap((family) =>
    row.actions.split(' ').map((action) => ({
      scope: `${family}.${action}`,
      classes: classesOf(row, action),
      roles: {
        owner: 'all' as const,
        admin: grantOf(row.admin, action),
        manager: grantOf(row.manager, action),
        member: grantOf(row.member, action),
        outsider: grantOf(row.outsider, action),
      },
      adminSettings: row.bound?.[action] ?? [],
    })),
  ),
)

function classesOf({ O, W, U }: Row, action: string): GrantRow['classes'] {
  const cells: readonly [KeyClass, string | Cell | undefined][] = [
    ['organisation-service', O],
    ['workspace-service', W],
    ['workspace-user', U],
  ]
  const classes: Partial<Record<KeyClass, Reach>> = {}
  for (const [keyClass, written] of cells) {
    if (written === undefined) continue
    const cell = typeof written === 'string' ? { actions: written } : written
    if (covers(cell, action)) classes[keyClass] = cell.reach ?? 'all'
  }
  return classes
}

function covers({ actions }: Cell, action: string): boolean {
  return actions === '*' || actions.split(' ').includes(action)
}

/** The first cell that matches the action; cells with `*` come last. */
function grantOf(cells: readonly Cell[] | undefined, action: string): RoleGrant | null {
  const cell = cells?.find((one) => covers(one, action))
  return cell === undefined ? null : { reach: cell.reach ?? 'all', settings: cell.setting ?? [] }
}
