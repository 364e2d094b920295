/**
 * Every route of the management API for every kind of caller: 403 where the contract's table grants no right, never 403
 * where it does, 404 for objects of another workspace or organisation. A route whose scope or kind is in no table here
 * fails, so a new resource cannot be forgotten.
 */
import { randomUUID } from 'node:crypto'
import type { DocumentDraft } from '@gateway/contract'
import { allScopes, classMayHold, roleReach } from '@gateway/domain'
import { expect } from 'chai'
import { openManagement } from '../../support/management.ts'
import { type CallerName, callers, classScopes, holds, knownScopes } from './access-table.ts'

/** The objects for the ids in a path, by the path before them. */
const kindOf: Readonly<Record<string, string>> = {
  '/v1/logs/exports': 'log_export',
  '/v1/organisations': 'organisation',
  '/v1/workspaces': 'workspace',
  '/v1/users': 'user',
  '/v1/users/invites': 'invite',
  '/v1/sessions': 'session',
  '/v1/api-keys': 'api_key',
  '/v1/integrations': 'integration',
  '/v1/providers': 'provider',
  '/v1/virtual-keys': 'provider',
  '/v1/secret-references': 'secret_reference',
  '/v1/configs': 'config',
  '/v1/guardrails': 'guardrail',
  '/v1/agent-integrations': 'agent_integration',
  '/v1/agent-servers': 'agent_server',
  '/v1/agent': 'agent_server',
  '/v1/mcp-integrations': 'mcp_integration',
  '/v1/mcp-servers': 'mcp_server',
  '/v1/mcp': 'mcp_server',
  '/v1/prompts': 'prompt',
  '/v1/prompts/partials': 'prompt_partial',
  '/v1/labels': 'prompt_label',
  '/v1/collections': 'collection',
  '/v1/webhooks': 'webhook',
  '/v1/replays': 'replay',
  '/v1/policies/rate-limits': 'rate_limit_policy',
  '/v1/policies/usage-limits': 'usage_limit_policy',
  '/scim/v2/Users': 'user',
  '/scim/v2/Groups': 'scim_group',
  '/v1/scim/workspaces': 'scim_mapping',
  '/v1/scim/tokens': 'scim_token',
}

/** Ids of these kinds refer to nothing stored. */
const unstored = new Set([
  ...['/v1/logs', '/v1/traces', '/v1/feedback', '/v1/analytics/groups', '/v1/analytics/groups/metadata'],
  '/v1/analytics/graphs',
  '/scim/v2/ResourceTypes',
  '/scim/v2/Schemas',
  '/v1/guardrails/checks',
  '/v1/plugins',
  '/v1/models',
  '/v1/model-configs/pricing',
])

/** Routes for any credential, or none, without a scope. */
const open = new Set([
  'POST /v1/organisations',
  'POST /v1/users/invites/accept',
  'POST /v1/auth/login',
  'POST /v1/auth/logout',
  'GET /v1/auth/self',
  'GET /v1/auth/oidc',
  'GET /v1/auth/callback',
  'GET /v1/auth/methods',
  'POST /v1/auth/backchannel-logout',
  'POST /v1/auth/totp/enroll',
  'POST /v1/auth/totp/confirm',
  'DELETE /v1/auth/totp',
  'GET /v1/logs/exports/:id/file',
  'GET /v1/openapi.json',
  'GET /docs',
  'GET /docs/reference',
  'GET /docs/*rest',
  'GET /console',
  'GET /console/assets/*rest',
  'GET /docs/assets/*rest',
  'GET /console/*rest',
  'GET /.well-known/oauth-protected-resource/:slug/mcp',
  'GET /.well-known/oauth-authorization-server',
  'GET /.well-known/jwks.json',
  'GET /oauth/sign-in',
  'POST /oauth/sign-in',
  'POST /oauth/register',
  'GET /oauth/authorize',
  'POST /oauth/authorize',
  'POST /oauth/token',
  'POST /oauth/introspect',
  'POST /oauth/revoke',
  'GET /oauth/upstream-callback',
  'GET /',
])

describe('access to the management API', () => {
  const api = openManagement()
  const credentials = {} as Record<CallerName, string>
  let ownWorkspace = ''
  let foreignWorkspace = ''

  before(async () => {
    const { people } = api
    const own = await people.workspace('Access own')
    ownWorkspace = own
    foreignWorkspace = await people.workspace('Access foreign')
    const person = async (name: string, role?: 'admin' | 'manager' | 'member') => {
      const user = await people.user(`${name}@access.example`)
      if (role !== undefined) await people.member(own, user, role)
      return user
    }
    const admin = await person('admin', 'admin')
    const member = await person('member', 'member')
    const session = async (user: string) => people.session(user)
    credentials.owner = await session(await people.user('owner@access.example', 'owner'))
    credentials['organisation admin'] = await session(await people.user('oadmin@access.example', 'admin'))
    credentials['workspace admin'] = await session(admin)
    credentials['workspace manager'] = await session(await person('manager', 'manager'))
    credentials['workspace member'] = await session(member)
    credentials.stranger = await session(await person('stranger'))
    const key = (type: 'O' | 'W' | 'U', user: string | undefined, scopes: Iterable<string>) =>
      people.key({
        type: type === 'O' ? 'organisation-service' : type === 'W' ? 'workspace-service' : 'workspace-user',
        ...(type === 'O' ? {} : { workspace: own }),
        ...(user === undefined ? {} : { user }),
        scopes: [...scopes],
      })
    credentials['O key'] = await key('O', undefined, classScopes.O)
    credentials['W key'] = await key('W', undefined, classScopes.W)
    credentials['U key of an admin'] = await key('U', admin, classScopes.U)
    credentials['U key of a member'] = await key('U', member, classScopes.U)
    // No route requires it.
    const useless = ['nothing.known']
    credentials['O key without scopes'] = await key('O', undefined, useless)
    credentials['W key without scopes'] = await key('W', undefined, useless)
    credentials['U key without scopes'] = await key('U', admin, useless)
  })

  const routes = () => api.gateway.runtime.services.routes
  const scopesOf = ({ scope }: { scope: unknown }): string[] =>
    typeof scope === 'string' ? [scope] : Array.isArray(scope) ? scope : []
  const bodyFor = (method: string) => (method === 'GET' || method === 'DELETE' ? undefined : {})

  it('is checked on exactly the routes in the access table', () => {
    for (const route of routes()) {
      const name = `${route.method} ${route.path}`
      if (route.scope === null || route.scope === 'public') expect([...open], name).to.include(name)
      else for (const scope of scopesOf(route)) expect([...knownScopes], name).to.include(scope)
    }
  })

  for (const caller of callers) {
    it(`matches the access table for the ${caller}`, async () => {
      const as = api.as(credentials[caller])
      const wrong: string[] = []
      for (const route of routes()) {
        if (route.scope === null || route.scope === 'public') continue
        // An endless stream, whose permissions are tested separately.
        if (route.path === '/v1/logs/stream') continue
        // A person's role in a workspace counts only when the workspace is specified.
        const query = caller.startsWith('workspace') ? `?workspace_id=${ownWorkspace}` : ''
        const path = route.path.replace(/:[A-Za-z]+/g, randomUUID()) + query
        const { status, error, body } = await as.call(route.method, path, { body: bodyFor(route.method) })
        // SCIM errors have no code; the message names the missing scope.
        const isMissing = error.code === 'missing_scope' || /lacks the scope/.test(String(body.detail))
        const isHeld = scopesOf(route).some((scope) => holds(caller, scope))
        const isRight = isHeld
          ? status !== 403 && (status < 500 || status === 501)
          : status === 403 && isMissing
        if (!isRight) wrong.push(`${route.method} ${route.path}: ${status} ${error.code ?? ''}`)
      }
      expect(wrong).to.deep.equal([])
    })
  }

  /** The path up to its first parameter. */
  const rootOf = (path: string) => path.split('/:')[0] ?? path

  async function putForeign(kind: string, place: Partial<DocumentDraft>): Promise<string> {
    const document: DocumentDraft = {
      kind,
      id: randomUUID(),
      organisation_id: null,
      workspace_id: null,
      slug: `foreign-${randomUUID().slice(0, 8)}`,
      name: 'foreign',
      status: 'active',
      created_at: 1,
      last_updated_at: 1,
      keys: [],
      attributes: {},
      data: {},
      ...place,
    }
    await api.gateway.runtime.store.documents.commit([{ op: 'put', document }])
    return document.id
  }

  /** Prompt runs are calls of the data path: a session specifies its workspace there. */
  const runs = new Set(['promptCompletion', 'promptRender'])
  const withIds = () =>
    routes().filter(
      ({ path, scope, operationId }) =>
        path.includes('/:') && scope !== null && scope !== 'public' && !runs.has(operationId),
    )

  it('covers every id in a path', () => {
    for (const { path } of withIds()) {
      const root = rootOf(path)
      if (!unstored.has(root)) expect(Object.keys(kindOf), path).to.include(root)
    }
  })

  it('answers 404 or 403 for objects of another organisation, for every caller', async () => {
    const wrong: string[] = []
    for (const route of withIds()) {
      const kind = kindOf[rootOf(route.path)]
      if (kind === undefined) continue
      const id = await putForeign(kind, { organisation_id: randomUUID() })
      const path = route.path.replace(':id', id).replace(/:[A-Za-z]+/g, randomUUID())
      for (const caller of ['owner', 'O key', 'W key'] as const) {
        const { status } = await api
          .as(credentials[caller])
          .call(route.method, path, { body: bodyFor(route.method) })
        if (status !== 404 && status !== 403)
          wrong.push(`${caller}: ${route.method} ${route.path}: ${status}`)
        if (caller === 'owner' && status !== 404)
          wrong.push(`owner: ${route.method} ${route.path}: ${status}`)
      }
    }
    expect(wrong).to.deep.equal([])
  })

  it('answers 404 for objects of another workspace, even with the scope', async () => {
    const wrong: string[] = []
    const organisationId = String((await api.get('/v1/organisation')).body.id)
    for (const route of withIds()) {
      const kind = kindOf[rootOf(route.path)]
      if (
        kind === undefined ||
        ['organisation', 'user', 'invite', 'session', 'secret_reference'].includes(kind)
      )
        continue
      const id =
        kind === 'workspace'
          ? foreignWorkspace
          : await putForeign(kind, { organisation_id: organisationId, workspace_id: foreignWorkspace })
      const path = route.path.replace(':id', id).replace(/:[A-Za-z]+/g, randomUUID())
      for (const caller of ['W key', 'U key of an admin', 'workspace admin', 'workspace member'] as const) {
        if (!scopesOf(route).some((scope) => holds(caller, scope))) continue
        const { status } = await api
          .as(credentials[caller])
          .call(route.method, path, { body: bodyFor(route.method) })
        if (status !== 404) wrong.push(`${caller}: ${route.method} ${route.path}: ${status}`)
      }
    }
    expect(wrong).to.deep.equal([])
  })

  it('lists no objects of another workspace', async () => {
    const wrong: string[] = []
    for (const route of routes()) {
      if (route.method !== 'GET' || route.path.includes('/:') || route.path === '/v1/logs/stream') continue
      for (const caller of ['W key', 'U key of an admin', 'workspace admin'] as const) {
        if (!scopesOf(route).some((scope) => holds(caller, scope))) continue
        const { status, text } = await api.as(credentials[caller]).get(route.path)
        if (status === 200 && text.includes(foreignWorkspace)) wrong.push(`${caller}: ${route.path}`)
        if (kindOf[route.path] === undefined || rootOf(route.path) === '/v1/organisations') continue
        const named = await api.as(credentials[caller]).get(`${route.path}?workspace_id=${foreignWorkspace}`)
        const isOfWorkspaces = !['workspace', 'user', 'invite', 'session', 'secret_reference'].includes(
          kindOf[route.path] ?? '',
        )
        if (isOfWorkspaces && named.status !== 404)
          wrong.push(`${caller}: ${route.path}?workspace_id: ${named.status}`)
      }
    }
    expect(wrong).to.deep.equal([])
  })
})

describe('the access table', () => {
  it('contains exactly the scopes of the contract', () => {
    expect([...allScopes].sort()).to.deep.equal([...knownScopes].sort())
  })

  it('grants each class of caller the scopes in the contract', () => {
    const classes = { O: 'organisation-service', W: 'workspace-service', U: 'workspace-user' } as const
    for (const [letter, keyClass] of Object.entries(classes)) {
      const given = allScopes.filter((scope) => classMayHold(scope, keyClass))
      expect(given.sort(), letter).to.deep.equal([...classScopes[letter as 'O']].sort())
    }
  })

  const settings: [string, 'manager' | 'member', string][] = [
    ['managersUpdateWs', 'manager', 'workspaces.update'],
    ['managersWriteWsUsers', 'manager', 'workspace_users.create'],
    ['managersViewApiKeys', 'manager', 'workspace_service_api_keys.list'],
    ['managersWriteApiKeys', 'manager', 'workspace_user_api_keys.rotate'],
    ['managersViewConfigs', 'manager', 'configs.read'],
    ['managersWriteGuardrails', 'manager', 'guardrails.update'],
    ['managersWriteVirtualKeys', 'manager', 'providers.create'],
    ['managersWritePrompts', 'manager', 'prompts.publish'],
    ['managersWriteWsIntegrations', 'manager', 'workspace_integrations.create'],
    ['managersWriteWsMcpIntegrations', 'manager', 'workspace_agent_integrations.delete'],
    ['managersWriteMcpServers', 'manager', 'agent_server_skills.update'],
    ['managersViewLogs', 'manager', 'logs.view'],
    ['managersViewLogMetadata', 'manager', 'logs.export'],
    ['managersViewAnalytics', 'manager', 'analytics.view'],
    ['membersViewApiKeys', 'member', 'workspace_user_api_keys.list'],
    ['membersWriteApiKeys', 'member', 'workspace_user_api_keys.create'],
    ['membersViewVirtualKeys', 'member', 'virtual_keys.list'],
    ['membersWriteConfigs', 'member', 'configs.create'],
    ['membersViewLogs', 'member', 'logs.view'],
    ['membersViewAnalytics', 'member', 'analytics.view'],
  ]
  for (const [setting, role, scope] of settings) {
    it(`lets the setting ${setting} decide about ${scope}`, () => {
      const reach = (value: boolean) =>
        roleReach(scope, { organisation: 'member', workspace: role }, (name) => name !== setting || value)
      expect(reach(true)).not.to.equal(null)
      expect(reach(false)).to.equal(null)
    })
  }

  it('applies a setting to organisation admins when it is set, and never to owners', () => {
    const reach = (organisation: 'admin' | 'owner') =>
      roleReach(
        'logs.view',
        { organisation, workspace: null },
        (name) => name !== 'organisationAdminsViewLogs',
      )
    expect([reach('admin'), reach('owner')]).to.deep.equal([null, 'all'])
  })
})
