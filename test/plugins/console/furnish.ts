/** A gateway with one object of each kind, a logged request and a trace, and all pages of the console for it. */
import { expect } from 'chai'
import { adminKey, chat, type TestGateway } from '../../support/gateway.ts'
import { until } from '../../support/until.ts'

type Row = Record<string, unknown>

export interface ConsolePage {
  /** The path below /console. */
  path: string
  title: string
  /** The current entry of the navigation; null for none. */
  current: string | null
}

export type Make = (path: string, body: object) => Promise<Row>

/** Returns a function that creates objects with the admin key. */
export const maker =
  (gateway: TestGateway): Make =>
  async (path, body) => {
    const response = await gateway.post(path, body)
    const made = (await response.json()) as Row
    expect(response.status, `${path}: ${JSON.stringify(made)}`).to.equal(200)
    return made
  }

/** Changes an object with the admin key. */
export async function put(gateway: TestGateway, path: string, body: object): Promise<void> {
  const response = await fetch(gateway.url + path, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', 'x-gateway-api-key': adminKey },
    body: JSON.stringify(body),
  })
  expect(response.status, `${path}: ${await response.text()}`).to.equal(200)
}

export async function firstOf(gateway: TestGateway, path: string): Promise<Row> {
  return until(`${path} has a row`, async () => {
    const { data } = (await (await gateway.get(path)).json()) as { data: Row[] }
    return data[0]
  })
}

const own = { workspace_id: 'default' }
const traceId = '0af7651916cd43dd8448eb211c80319c'

/** Titles of the objects that {@link furnish} creates. */
export const titles = {
  keys: 'Web shop',
  providers: 'Main provider',
  configs: 'Two ways',
  prompts: 'Greeting',
  guardrails: 'No passwords',
  policies: 'Monthly budget',
  'rate-limits': 'Sixty a minute',
  users: 'ada@example.com',
  webhooks: 'http://127.0.0.1:9/hook',
  exports: 'Large requests',
  replays: 'Try two ways',
} as const

/** @returns all pages of the console for the created objects */
export async function furnish(gateway: TestGateway): Promise<ConsolePage[]> {
  const make = maker(gateway)
  const key = await make('/v1/api-keys', {
    ...own,
    name: titles.keys,
    type: 'workspace-service',
    scopes: ['completions.write'],
    usage_limits: [{ type: 'cost', credit_limit: 10, periodic_reset: 'monthly' }],
  })
  await make('/v1/integrations', {
    ...own,
    name: titles.providers,
    ai_provider_id: 'openai',
    key: 'sk-test-0123456789',
  })
  const guardrail = await make('/v1/guardrails', {
    ...own,
    name: titles.guardrails,
    checks: [{ id: 'default.contains', parameters: { words: ['password'], operator: 'none' } }],
    actions: { deny: true },
  })
  const config = await make('/v1/configs', {
    ...own,
    name: titles.configs,
    slug: 'two-ways',
    config: {
      strategy: { mode: 'loadbalance' },
      input_guardrails: [guardrail.slug],
      targets: [
        { provider: '@echo', weight: 3, override_params: { model: 'large' } },
        { provider: '@echo', weight: 1, override_params: { model: 'small' } },
      ],
    },
  })
  const prompt = await make('/v1/prompts', {
    ...own,
    name: titles.prompts,
    slug: 'greeting',
    model: '@echo/any',
    string: JSON.stringify([{ role: 'user', content: 'Greet {{name}}.' }]),
    parameters: {},
  })
  const policy = await make('/v1/policies/usage-limits', {
    ...own,
    name: titles.policies,
    conditions: [{ key: 'workspace_id', value: '*' }],
    group_by: [{ key: 'api_key' }],
    type: 'cost',
    credit_limit: 10,
    periodic_reset: 'monthly',
  })
  const rateLimit = await make('/v1/policies/rate-limits', {
    ...own,
    name: titles['rate-limits'],
    conditions: [{ key: 'workspace_id', value: '*' }],
    group_by: [{ key: 'api_key' }],
    type: 'requests',
    unit: 'rpm',
    value: 60,
  })
  const invite = await make('/v1/users/invites', { email: titles.users, role: 'member' })
  const token = new URL(String(invite.invite_link)).searchParams.get('token')
  await make('/v1/users/invites/accept', { token, first_name: 'Ada', password: 'correct horse battery' })
  const webhook = await make('/v1/webhooks', { ...own, url: titles.webhooks, events: ['*'] })
  const logExport = await make('/v1/logs/exports', {
    ...own,
    description: titles.exports,
    filters: { page_size: 10 },
    requested_data: ['id', 'cost'],
  })
  await gateway.post(
    '/v1/chat/completions',
    { ...chat('hello from the test'), model: '@echo/any' },
    { 'x-gateway-trace-id': traceId, 'x-gateway-config': String(config.slug) },
  )
  const log = await firstOf(gateway, '/v1/logs')
  const replay = await make('/v1/replays', {
    workspace_id: 'default',
    name: titles.replays,
    source: { sample: 10 },
    config: 'two-ways',
  })
  const provider = await firstOf(gateway, '/v1/providers?search=main')
  const user = await firstOf(gateway, `/v1/users?email=${titles.users}`)
  const list = (path: string, title: string): ConsolePage => ({ path: `/${path}`, title, current: title })
  const one = (kind: keyof typeof titles, title: string, { id }: Row): ConsolePage => ({
    path: `/${kind}/${String(id)}`,
    title: titles[kind],
    current: title,
  })
  const created = (path: string, title: string, list: string): ConsolePage => ({
    path: `/${path}/new`,
    title,
    current: list,
  })
  return [
    { path: '', title: 'Overview', current: 'Overview' },
    list('logs', 'Logs'),
    { path: `/logs/${String(log.id)}`, title: 'Log entry', current: 'Logs' },
    { path: `/traces/${traceId}`, title: 'Trace', current: 'Logs' },
    list('analytics', 'Analytics'),
    list('spending', 'Limits and money'),
    list('capacity', 'Capacity'),
    list('replays', 'Replays'),
    created('replays', 'New replay', 'Replays'),
    one('replays', 'Replays', replay),
    list('playground', 'Playground'),
    list('batches', 'Batches and files'),
    list('keys', 'Keys'),
    one('keys', 'Keys', key),
    list('providers', 'Providers'),
    created('providers', 'New provider', 'Providers'),
    one('providers', 'Providers', provider),
    list('configs', 'Configs'),
    created('configs', 'New config', 'Configs'),
    one('configs', 'Configs', config),
    list('prompts', 'Prompts'),
    created('prompts', 'New prompt', 'Prompts'),
    one('prompts', 'Prompts', prompt),
    list('guardrails', 'Guardrails'),
    created('guardrails', 'New guardrail', 'Guardrails'),
    one('guardrails', 'Guardrails', guardrail),
    list('policies', 'Policies'),
    created('policies', 'New usage policy', 'Policies'),
    one('policies', 'Policies', policy),
    list('rate-limits', 'Rate limits'),
    created('rate-limits', 'New rate limit', 'Rate limits'),
    one('rate-limits', 'Rate limits', rateLimit),
    list('workspaces', 'Workspaces'),
    created('workspaces', 'New workspace', 'Workspaces'),
    { path: '/workspaces/default', title: 'Default', current: 'Workspaces' },
    list('users', 'Users'),
    one('users', 'Users', user),
    list('webhooks', 'Webhooks'),
    created('webhooks', 'New webhook', 'Webhooks'),
    one('webhooks', 'Webhooks', webhook),
    list('exports', 'Exports'),
    created('exports', 'New export', 'Exports'),
    one('exports', 'Exports', logExport),
    list('mcp-integrations', 'MCP integrations'),
    created('mcp-integrations', 'New MCP integration', 'MCP integrations'),
    list('agent-integrations', 'Agent integrations'),
    created('mcp-servers', 'New MCP server', 'MCP servers'),
    list('scim', 'SCIM'),
    list('audit', 'Audit'),
    list('settings', 'Settings'),
    { path: '/account', title: 'Account', current: null },
    { path: '/confgis', title: 'Not found', current: null },
  ]
}
