/** The methods of the npm package portkey-ai whose routes exist here, unmodified, in one run over a gateway. */
import { expect } from 'chai'
import { Portkey } from 'portkey-ai'
import { adminKey, chat, startGateway, type TestGateway } from '../support/gateway.ts'

type Answer = Record<string, unknown>
type Method = (...given: unknown[]) => Promise<Answer>

/** What earlier calls of a group have made. */
type Made = Record<string, string>

interface Step {
  method: string
  given(made: Made): unknown[]
  /** Members of the answer that later calls need. */
  keeps?: Readonly<Record<string, string>>
}

const step = (method: string, given: Step['given'] = () => [{}], keeps: Step['keeps'] = {}): Step => ({
  method,
  given,
  keeps,
})
const kept = (name = 'id') => ({ [name]: name })
const workspace_id = 'default'
const messages = JSON.stringify([{ role: 'user', content: 'Hello' }])

const graphs = [
  ...[
    'requests',
    'cost',
    'latency',
    'tokens',
    'users',
    'usersRequests',
    'errors',
    'errors_rate',
    'errors_stack',
  ],
  ...[
    'errors_status_code',
    'requests_rescued',
    'cache_hit_rate',
    'cache_latency',
    'feedbacks',
    'feedbacks_score',
  ],
  ...['feedbacks_weighted', 'feedback_ai_models'],
]

const groups: Readonly<Record<string, readonly Step[]>> = {
  apiKeys: [
    step(
      'create',
      () => [
        {
          type: 'workspace',
          'sub-type': 'service',
          name: 'key',
          workspaceId: 'default',
          scopes: ['logs.list'],
        },
      ],
      kept(),
    ),
    step('retrieve', ({ id }) => [{ id }]),
    step('update', ({ id }) => [{ id, name: 'other' }]),
    step('list', () => [{ page_size: 10 }]),
    step('delete', ({ id }) => [{ id }]),
  ],
  'admin.workspaces': [
    step('create', () => [{ name: 'Team', description: 'x' }], kept()),
    step('retrieve', ({ id }) => [{ workspaceId: id }]),
    step('update', ({ id }) => [{ workspaceId: id, name: 'Other' }]),
    step('list'),
    step('delete', ({ id }) => [{ workspaceId: id, name: 'Other' }]),
  ],
  'admin.users.invites': [
    step('create', () => [{ email: 'ann@example.com', role: 'member', workspaces: [] }], kept()),
    step('retrieve', ({ id }) => [{ inviteId: id }]),
    step('list'),
    step('resend', ({ id }) => [{ inviteId: id }]),
    step('delete', ({ id }) => [{ inviteId: id }]),
  ],
  'admin.users': [step('list')],
  'analytics.graphs': graphs.map((name) => step(name)),
  'analytics.groups': [
    step('users'),
    step('aiModels'),
    step('workspaces'),
    step('metadata', () => ['team']),
    step('groupedData', () => ['ai-models']),
  ],
  'analytics.summary': [step('cache')],
  configs: [
    step('create', () => [{ name: 'c', config: { retry: { attempts: 1 } }, workspaceId: 'default' }], {
      slug: 'slug',
      id: 'id',
    }),
    step('retrieve', ({ slug }) => [{ slug }]),
    step('update', ({ slug }) => [{ slug, name: 'other', config: { retry: { attempts: 2 } } }]),
    step('list'),
    step('delete', ({ slug }) => [{ slug }]),
  ],
  feedback: [
    step('create', () => [{ traceID: 'trace-1', value: 5, weight: 1, metadata: {} }], {
      feedback: 'feedback_ids',
    }),
    step('update', ({ feedback }) => [{ feedbackID: feedback, value: 4 }]),
  ],
  guardrails: [
    step(
      'create',
      () => [
        {
          name: 'g',
          workspace_id,
          checks: [{ id: 'default.contains', parameters: { operator: 'none', words: ['x'] } }],
          actions: {},
        },
      ],
      kept(),
    ),
    step('retrieve', ({ id }) => [{ guardrail_id: id }]),
    step('update', ({ id }) => [{ guardrail_id: id, name: 'other' }]),
    step('list'),
    step('delete', ({ id }) => [{ guardrail_id: id }]),
  ],
  integrations: [
    step('create', () => [{ name: 'i', ai_provider_id: 'openai', key: 'sk-1234567890' }], {
      slug: 'slug',
      id: 'id',
    }),
    step('retrieve', ({ slug }) => [{ slug }]),
    step('update', ({ slug }) => [{ slug, name: 'other' }]),
    step('list'),
    step('workspaces.update', ({ slug }) => [{ slug, workspaces: [{ id: 'default', enabled: true }] }]),
    step('workspaces.list', ({ slug }) => [{ slug }]),
    step('models.update', ({ slug }) => [{ slug, models: [{ slug: 'gpt-5', enabled: true }] }]),
    step('models.list', ({ slug }) => [{ slug }]),
    step('models.delete', ({ slug }) => [{ slug, slugs: 'gpt-5' }]),
  ],
  providers: [
    step('list'),
    step('create', () => [{ name: 'p', integration_id: 'made', workspace_id }], { slug: 'slug' }),
    step('retrieve', ({ slug }) => [{ slug }]),
    step('update', ({ slug }) => [{ slug, name: 'other' }]),
    step('delete', ({ slug }) => [{ slug }]),
  ],
  virtualKeys: [
    step('create', () => [{ name: 'v', provider: 'openai', key: 'sk-1234567890', workspaceId: 'default' }], {
      slug: 'slug',
    }),
    step('retrieve', ({ slug }) => [{ slug }]),
    step('update', ({ slug }) => [{ slug, name: 'other' }]),
    step('list'),
    step('delete', ({ slug }) => [{ slug }]),
  ],
  collections: [
    step('create', () => [{ name: 'c', workspace_id }], kept()),
    step('retrieve', ({ id }) => [id]),
    step('update', ({ id }) => [id, { name: 'other' }]),
    step('list'),
    step('delete', ({ id }) => [id]),
  ],
  labels: [
    step('create', () => [{ name: 'l', workspace_id }], kept()),
    step('retrieve', ({ id }) => [id]),
    step('update', ({ id }) => [id, { name: 'other' }]),
    step('list'),
    step('delete', ({ id }) => [id]),
  ],
  logs: [
    step('create', () => [
      { request: { url: 'https://x.test/v1', provider: 'openai', body: {} }, response: { body: {} } },
    ]),
  ],
  'logs.exports': [
    step('create', () => [{ filters: {}, workspaceId: 'default', requestedData: ['id', 'cost'] }], kept()),
    step('retrieve', ({ id }) => [{ exportId: id }]),
    step('update', ({ id }) => [
      { exportId: id, workspaceId: 'default', filters: {}, requestedData: ['id'] },
    ]),
    step('list', () => [{ workspaceId: 'default' }]),
    step('start', ({ id }) => [{ exportId: id }]),
    step('download', ({ id }) => [{ exportId: id }]),
  ],
  prompts: [
    step(
      'create',
      () => [{ name: 'p', workspace_id, string: messages, parameters: {}, virtual_key: 'main', model: 'm' }],
      { slug: 'slug' },
    ),
    step('retrieve', ({ slug }) => [slug]),
    step('update', ({ slug }) => [slug, { name: 'p', string: messages, parameters: {}, model: 'm' }]),
    step('publish', ({ slug }) => [slug, { version: 1 }]),
    step('render', ({ slug }) => [{ promptID: slug, variables: {} }]),
    step('completions.create', ({ slug }) => [{ promptID: slug, variables: {} }]),
    step('versions.list', ({ slug }) => [slug]),
    step('versions.retrieve', ({ slug }) => [slug, '1']),
    step('versions.update', ({ slug, label }) => [slug, '1', { label_id: label }]),
    step('list'),
    step('delete', ({ slug }) => [slug]),
  ],
  'prompts.partials': [
    step('create', () => [{ name: 'p', string: 'Hello', workspace_id }], { slug: 'slug' }),
    step('retrieve', ({ slug }) => [slug]),
    step('update', ({ slug }) => [slug, { string: 'Hi' }]),
    step('publish', ({ slug }) => [slug, { version: 1 }]),
    step('versions.list', ({ slug }) => [slug]),
    step('list'),
    step('delete', ({ slug }) => [slug]),
  ],
  mcpIntegrations: [
    step(
      'create',
      () => [
        { name: 'm', url: 'https://mcp.example/mcp', auth_type: 'none', transport: 'http', workspace_id },
      ],
      kept(),
    ),
    step('retrieve', ({ id }) => [{ id }]),
    step('update', ({ id }) => [{ id, name: 'other' }]),
    step('list'),
    step('workspaces.list', ({ id }) => [{ id }]),
    step('capabilities.list', ({ id }) => [{ id }]),
    step('metadata.get', ({ id }) => [{ id }]),
    step('test', ({ id }) => [{ id }]),
    step('delete', ({ id }) => [{ id }]),
  ],
  mcpServers: [
    step('create', () => [{ name: 's', mcp_integration_id: 'tools', workspace_id }], kept()),
    step('retrieve', ({ id }) => [{ id }]),
    step('update', ({ id }) => [{ id, name: 'other' }]),
    step('list'),
    step('test', ({ id }) => [{ id }]),
    step('capabilities.list', ({ id }) => [{ id }]),
    step('userAccess.list', ({ id }) => [{ id }]),
    step('userAccess.update', ({ id }) => [{ id, default_user_access: 'allow' }]),
    step('metadata.get', ({ id }) => [{ id }]),
    step('connections.list', ({ id }) => [{ id }]),
    step('delete', ({ id }) => [{ id }]),
  ],
  models: [step('list', () => []), step('retrieve', () => ['echo-1'])],
  completions: [step('create', () => [{ model: '@main/m', prompt: 'Hello' }])],
  'chat.completions': [step('create', () => [chat('Hello', { model: '@main/m' })])],
  embeddings: [step('create', () => [{ model: '@main/m', input: 'Hello' }])],
  moderations: [step('create', () => [{ model: '@main/m', input: 'Hello' }])],
  images: [step('generate', () => [{ model: '@main/m', prompt: 'Hello' }])],
  responses: [
    step('create', () => [{ model: '@main/m', input: 'Hello' }], kept()),
    step('retrieve', ({ id }) => [id]),
    step('inputItems.list', ({ id }) => [id]),
    step('inputTokens.count', () => [{ model: '@main/m', input: 'Hello' }]),
    step('delete', ({ id }) => [id]),
  ],
}

describe('portkey-ai', () => {
  let gateway: TestGateway
  let label: string
  before(async () => {
    gateway = await startGateway({
      server: { header_prefixes: ['x-portkey-'] },
      providers: { main: { provider: 'echo' } },
    })
    await gateway.post('/v1/chat/completions', chat('hello', { model: '@main/m' }))
    const integration = { name: 'made', slug: 'made', ai_provider_id: 'openai', key: 'sk-1234567890' }
    const made = await gateway.post('/v1/integrations', integration)
    expect(made.status, await made.text()).to.equal(200)
    const answer = await gateway.post('/v1/labels', { name: 'earlier', workspace_id })
    label = ((await answer.json()) as { id: string }).id
    const tools = {
      name: 'tools',
      slug: 'tools',
      url: 'https://mcp.example/mcp',
      auth_type: 'none',
      workspace_id,
    }
    expect((await gateway.post('/v1/mcp-integrations', { ...tools, transport: 'http' })).status).to.equal(200)
    await new Portkey({ apiKey: adminKey, baseURL: `${gateway.url}/v1` }).integrations.workspaces.update({
      slug: 'made',
      workspaces: [{ id: 'default', enabled: true }],
    })
  })
  after(() => gateway.stop())

  /** A method, bound to its group. */
  function methodOf(group: string, name: string): Method {
    const client = new Portkey({ apiKey: adminKey, baseURL: `${gateway.url}/v1`, maxRetries: 0 })
    const path = `${group}.${name}`.split('.')
    const holder = path
      .slice(0, -1)
      .reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], client)
    const method = (holder as Record<string, Method>)[path.at(-1) ?? '']
    if (method === undefined) throw new Error(`portkey-ai has no ${path.join('.')}`)
    return method.bind(holder)
  }

  for (const [group, steps] of Object.entries(groups)) {
    it(`works with every method of ${group}`, async () => {
      const made: Made = { label }
      for (const { method, given, keeps } of steps) {
        const answer = await methodOf(
          group,
          method,
        )(...given(made)).catch((error: unknown) => {
          throw new Error(`${group}.${method}: ${String(error)}`)
        })
        for (const [name, member] of Object.entries(keeps ?? {}))
          made[name] = String([answer[member]].flat()[0])
      }
    })
  }

  const post = (path: string, body: unknown, method = 'POST') =>
    fetch(gateway.url + path, {
      method,
      headers: { 'x-gateway-api-key': adminKey, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })

  it('gets an error with the path for a member that contradicts the path', async () => {
    const key = {
      name: 'k',
      workspace_id,
      scopes: ['logs.list'],
      type: 'organisation',
      'sub-type': 'service',
    }
    const answer = await post('/v1/api-keys/workspace/service', key)
    expect(answer.status).to.equal(400)
    expect(((await answer.json()) as { error: Answer }).error.param).to.equal('/type')
    const { feedback_ids } = (await (await post('/v1/feedback', { trace_id: 't', value: 1 })).json()) as {
      feedback_ids: string[]
    }
    const other = await post(`/v1/feedback/${feedback_ids[0]}`, { feedback_id: 'other', value: 2 }, 'PUT')
    expect(other.status).to.equal(400)
    expect(((await other.json()) as { error: Answer }).error.message).to.include('feedback_id')
  })
})
