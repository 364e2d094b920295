/** The methods of the npm package portkey-ai whose routes exist here, unmodified, in one run over a gateway. */
import { expect } from 'chai'
import { Portkey } from 'portkey-ai'
import { adminKey, chat, startGateway, type TestGateway } from '../support/gateway.ts'
import { type McpUpstream, openMcpUpstream } from '../support/mcp-upstream.ts'
import { createPeople } from '../support/people.ts'
import { until } from '../support/until.ts'

type Answer = Record<string, unknown>
type Method = (...given: unknown[]) => Promise<Answer>

/** Ids from earlier calls of a group. */
type Made = Record<string, string>

interface Step {
  method: string
  given(made: Made): unknown[]
  /** Members of the answer that later calls need. */
  keeps?: Readonly<Record<string, string>>
  /** The refusal is the route's own answer. */
  isRefused?: boolean
  /** It answers 409 until something has ended. */
  isLate?: boolean
}

const step = (method: string, given: Step['given'] = () => [{}], keeps: Step['keeps'] = {}): Step => ({
  method,
  given,
  keeps,
})
const refused = (...given: Parameters<typeof step>): Step => ({ ...step(...given), isRefused: true })
const kept = (name = 'id') => ({ [name]: name })
const workspace_id = 'default'
const fileOf = (name: string, type: string, text = 'x') => new File([text], name, { type })
const batchLine = JSON.stringify({
  custom_id: 'a',
  method: 'POST',
  url: '/v1/chat/completions',
  body: chat('Hello'),
})
const batchOf = (input_file_id: string | undefined) => ({
  input_file_id,
  endpoint: '/v1/chat/completions',
  completion_window: '24h',
})
const method = { type: 'supervised', supervised: { hyperparameters: { n_epochs: 1 } } }
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
  'admin.users': [
    step('list'),
    step('retrieve', ({ user }) => [{ userId: user }]),
    step('update', ({ user }) => [{ userId: user, role: 'admin' }]),
    step('delete', ({ user }) => [{ userId: user }]),
  ],
  'admin.workspaces.users': [
    step('create', ({ member }) => [{ workspaceId: 'default', users: [{ id: member, role: 'member' }] }]),
    step('retrieve', ({ member }) => [{ workspaceId: 'default', userId: member }]),
    step('list', () => [{ workspaceId: 'default' }]),
    step('update', ({ member }) => [{ workspaceId: 'default', userId: member, role: 'manager' }]),
    step('delete', ({ member }) => [{ workspaceId: 'default', userId: member }]),
  ],
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
    step('create', () => [{ name: 'unused', ai_provider_id: 'openai', key: 'sk-1234567890' }], {
      slug: 'slug',
    }),
    step('delete', ({ slug }) => [{ slug }]),
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
    step('create', () => [{ filters: {}, workspaceId: 'default', requestedData: ['id'] }], kept()),
    // An export that was not started.
    refused('cancel', ({ id }) => [{ exportId: id }]),
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
    step('create', ({ mcp }) => [{ name: 'm', url: mcp, auth_type: 'none', transport: 'http' }], kept()),
    step('retrieve', ({ id }) => [{ id }]),
    step('update', ({ id }) => [{ id, name: 'other' }]),
    step('list'),
    step('sync', ({ id }) => [{ id }]),
    step('workspaces.update', ({ id }) => [{ id, workspaces: [{ id: 'default', enabled: true }] }]),
    step('workspaces.list', ({ id }) => [{ id }]),
    step('capabilities.update', ({ id }) => [
      { id, capabilities: [{ name: 'echo', type: 'tool', enabled: false }] },
    ]),
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
    step('capabilities.update', ({ id }) => [
      { id, capabilities: [{ name: 'echo', type: 'tool', enabled: false }] },
    ]),
    step('userAccess.list', ({ id }) => [{ id }]),
    step('userAccess.update', ({ id }) => [{ id, default_user_access: 'allow' }]),
    step('metadata.get', ({ id }) => [{ id }]),
    step('connections.list', ({ id }) => [{ id }]),
    // No user is connected.
    refused('connections.delete', ({ id, member }) => [{ id, user_id: member }]),
    step('delete', ({ id }) => [{ id }]),
  ],
  models: [step('list', () => []), step('retrieve', () => ['echo-1'])],
  completions: [step('create', () => [{ model: '@main/m', prompt: 'Hello' }])],
  'chat.completions': [
    step('create', () => [chat('Hello', { model: '@main/m' })]),
    step('parse', () => [chat('Hello', { model: '@main/m' })]),
    step('stream', () => [chat('Hello', { model: '@main/m' })]),
    step('runTools', () => [chat('Hello', { model: '@main/m', tools: [] })]),
  ],
  embeddings: [step('create', () => [{ model: '@main/m', input: 'Hello' }])],
  moderations: [step('create', () => [{ model: '@main/m', input: 'Hello' }])],
  images: [
    step('generate', () => [{ model: '@main/m', prompt: 'Hello' }]),
    step('edit', () => [{ model: '@main/m', prompt: 'Hello', image: fileOf('a.png', 'image/png') }]),
  ],
  audio: [
    step('speech.create', () => [{ model: '@main/m', input: 'Hello', voice: 'alloy' }]),
    step('transcriptions.create', () => [{ model: '@main/m', file: fileOf('a.wav', 'audio/wav') }]),
    step('translations.create', () => [{ model: '@main/m', file: fileOf('a.wav', 'audio/wav') }]),
  ],
  files: [
    step(
      'create',
      () => [{ purpose: 'batch', file: fileOf('in.jsonl', 'application/jsonl', batchLine) }],
      kept(),
    ),
    step('list', () => []),
    step('retrieve', ({ id }) => [id]),
    step('waitForProcessing', ({ id }) => [id, {}]),
    step('content', ({ id }) => [id]),
    step('retrieveContent', ({ id }) => [id]),
    step('delete', ({ id }) => [id]),
  ],
  batches: [
    step('create', ({ batchFile }) => [batchOf(batchFile)], kept()),
    step('retrieve', ({ id }) => [id]),
    step('list', () => [{}]),
    { ...step('output', ({ id }) => [id]), isLate: true },
    // A batch that has ended.
    refused('cancel', ({ id }) => [id]),
  ],
  'fineTuning.jobs': [
    step(
      'create',
      ({ tuningFile }) => [{ model: 'm', training_file: tuningFile, suffix: 's', method }],
      kept(),
    ),
    step('retrieve', ({ id }) => [id]),
    step('list', () => [{}]),
    step('listEvents', ({ id }) => [id]),
    step('checkpoints.list', ({ id }) => [id]),
    step('cancel', ({ id }) => [id]),
  ],
  responses: [
    step('create', () => [{ model: '@main/m', input: 'Hello' }], kept()),
    step('parse', () => [{ model: '@main/m', input: 'Hello' }]),
    step('stream', () => [{ model: '@main/m', input: 'Hello' }]),
    step('retrieve', ({ id }) => [id]),
    step('inputItems.list', ({ id }) => [id]),
    step('inputTokens.count', () => [{ model: '@main/m', input: 'Hello' }]),
    step('delete', ({ id }) => [id]),
  ],
}

/** Methods whose routes do not exist here, by the beginning of their names, and those routes. */
const withoutRoute: Readonly<Record<string, string>> = {
  'chat.completions.retrieve': 'GET /v1/chat/completions/{id}',
  'chat.completions.update': 'POST /v1/chat/completions/{id}',
  'chat.completions.list': 'GET /v1/chat/completions',
  'chat.completions.delete': 'DELETE /v1/chat/completions/{id}',
  'chat.completions.messages.list': 'GET /v1/chat/completions/{id}/messages',
  'images.createVariation': 'POST /v1/images/variations',
  'models.delete': 'DELETE /v1/models/{id}',
  'generations.create': 'POST /v1/v1/prompts/{id}/generate',
  'responses.cancel': 'POST /v1/responses/{id}/cancel',
  'fineTuning.checkpoints.': 'GET /v1/fine_tuning/checkpoints',
  'fineTuning.alpha.': 'POST /v1/fine_tuning/alpha',
  'vectorStores.': 'GET /v1/vector_stores',
  'uploads.': 'POST /v1/uploads',
  'evals.': 'GET /v1/evals',
  'containers.': 'GET /v1/containers',
  'conversations.': 'GET /v1/conversations',
  'videos.': 'GET /v1/videos',
  'realtime.clientSecrets.': 'POST /v1/realtime/client_secrets',
  'realtime.calls.': 'POST /v1/realtime/calls',
  'mcpServers.getTokens': 'GET /v1/mcp-servers/{id}/tokens',
  'mcpServers.setTokens': 'PUT /v1/mcp-servers/{id}/tokens',
  'mcpServers.deleteTokens': 'DELETE /v1/mcp-servers/{id}/tokens',
  'mcpServers.getClientInfo': 'GET /v1/mcp-servers/{id}/client-info',
  'mcpServers.capabilities.sync': 'POST /v1/mcp-servers/{id}/capabilities/sync',
  'mcpServers.metadata.sync': 'POST /v1/mcp-servers/{id}/metadata/sync',
  'mcpServers.userAccess.check': 'GET /v1/mcp-servers/{id}/user-access/check',
}
/** Refusals of a route, in the two forms of the client's errors. */
const ownRefusals = /^409 |"code":"conflict"|There is no such connection/
/** Methods of its older assistants, and methods that call no path or any path. */
const notCompared = /^(beta|webhooks|post|generateError|defaultHeaders|request|buildRequest|methodRequest)\b/

/** Every method of the client, with its groups. */
function methodsOf(client: object): string[] {
  const seen = new Set<unknown>()
  const found: string[] = []
  const walk = (holder: object, path: string) => {
    if (seen.has(holder)) return
    seen.add(holder)
    for (
      let prototype = Object.getPrototypeOf(holder);
      prototype !== Object.prototype;
      prototype = Object.getPrototypeOf(prototype)
    )
      for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(prototype)))
        if (typeof value === 'function' && name !== 'constructor' && !name.startsWith('_'))
          found.push(path + name)
    for (const [name, value] of Object.entries(holder))
      if (isGroup(value) && name !== 'client' && value.constructor !== Object) walk(value, `${path}${name}.`)
  }
  walk(client, '')
  return found.filter((name) => !notCompared.test(name))
}

const isGroup = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

describe('portkey-ai', () => {
  let gateway: TestGateway
  let mcp: McpUpstream
  const ready: Made = {}
  before(async () => {
    mcp = await openMcpUpstream()
    gateway = await startGateway({
      server: { header_prefixes: ['x-portkey-'] },
      providers: { main: { provider: 'echo' } },
    })
    await gateway.post('/v1/chat/completions', chat('hello', { model: '@main/m' }))
    const integration = { name: 'made', slug: 'made', ai_provider_id: 'openai', key: 'sk-1234567890' }
    const made = await gateway.post('/v1/integrations', integration)
    expect(made.status, await made.text()).to.equal(200)
    const answer = await gateway.post('/v1/labels', { name: 'earlier', workspace_id })
    ready.label = ((await answer.json()) as { id: string }).id
    ready.mcp = mcp.url
    const people = createPeople(() => gateway.runtime.store.documents)
    ready.user = await people.user('zoe@example.com')
    ready.member = await people.user('yan@example.com')
    const files = { batchFile: 'batch', tuningFile: 'fine-tune' }
    for (const [name, purpose] of Object.entries(files)) {
      const text = purpose === 'batch' ? batchLine : '{"messages":[]}\n'
      const file = await clientOf().files.create({
        purpose,
        file: fileOf('in.jsonl', 'application/jsonl', text),
      })
      ready[name] = String(file.id)
    }
    const tools = {
      name: 'tools',
      slug: 'tools',
      url: mcp.url,
      auth_type: 'none',
      workspace_id,
    }
    expect((await gateway.post('/v1/mcp-integrations', { ...tools, transport: 'http' })).status).to.equal(200)
    await clientOf().integrations.workspaces.update({
      slug: 'made',
      workspaces: [{ id: 'default', enabled: true }],
    })
  })
  after(async () => {
    await gateway.stop()
    await mcp.close()
  })

  /** Files of groups that name no model need a provider. */
  const clientOf = (group = ''): Portkey =>
    new Portkey({
      apiKey: adminKey,
      baseURL: `${gateway.url}/v1`,
      maxRetries: 0,
      ...(/^(batches|fineTuning)/.test(group) ? { virtualKey: 'main' } : {}),
    })

  /** A method, bound to its group. */
  function methodOf(group: string, name: string): Method {
    const client = clientOf(group)
    const path = `${group}.${name}`.split('.')
    const holder = path
      .slice(0, -1)
      .reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], client)
    const method = (holder as Record<string, Method>)[path.at(-1) ?? '']
    if (method === undefined) throw new Error(`portkey-ai has no ${path.join('.')}`)
    return method.bind(holder)
  }

  /** The answer, also of a method that returns its stream. */
  async function answerOf(group: string, { method, given }: Step, made: Made): Promise<Answer> {
    const answer = await methodOf(group, method)(...given(made))
    const end = answer.finalChatCompletion ?? answer.finalResponse
    return typeof end === 'function' ? ((await end.call(answer)) as Answer) : answer
  }

  async function call(group: string, each: Step, made: Made): Promise<Answer> {
    const { isRefused = false, isLate = false } = each
    if (!isRefused && !isLate) return answerOf(group, each, made)
    const tried = () => answerOf(group, each, made).catch((error: Error) => error)
    const isOwnRefusal = (answer: Answer | Error): answer is Error =>
      answer instanceof Error && ownRefusals.test(answer.message)
    if (isLate)
      return until('another answer than 409', async () => {
        const answer = await tried()
        return isOwnRefusal(answer) ? null : (answer as Answer)
      })
    expect(isOwnRefusal(await tried())).to.equal(true)
    return {}
  }

  for (const [group, steps] of Object.entries(groups)) {
    it(`works with every method of ${group}`, async () => {
      const made: Made = { ...ready }
      for (const each of steps) {
        const { method, keeps } = each
        const answer = await call(group, each, made).catch((error: unknown) => {
          throw new Error(`${group}.${method}: ${String(error)}`)
        })
        for (const [name, member] of Object.entries(keeps ?? {}))
          made[name] = String([answer[member]].flat()[0])
      }
    })
  }

  it('has a call for each method whose route exists', async () => {
    const called = new Set(
      Object.entries(groups).flatMap(([group, steps]) => steps.map(({ method }) => `${group}.${method}`)),
    )
    const absent = Object.keys(withoutRoute)
    const missed = methodsOf(clientOf()).filter(
      (name) => !called.has(name) && !absent.some((start) => name.startsWith(start)),
    )
    expect(missed).to.deep.equal([])
    const { paths } = (await (await fetch(`${gateway.url}/v1/openapi.json`)).json()) as {
      paths: Record<string, Record<string, unknown>>
    }
    const plain = (path: string) => path.replaceAll(/\{[^}]*\}/g, '{}')
    const routes = Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${plain(path)}`),
    )
    const there = Object.entries(withoutRoute).filter(([name, route]) =>
      name.endsWith('.')
        ? routes.some((each) => each.split(' ')[1]?.startsWith(route.split(' ')[1] ?? ''))
        : routes.includes(plain(route)),
    )
    expect(there).to.deep.equal([])
  })

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
