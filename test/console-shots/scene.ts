/** A gateway after a few days of use: providers that work and fail, people, limits, and requests of all kinds. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startGateway, type TestGateway } from '../support/gateway.ts'
import { addHistory } from './history.ts'

const password = 'correct horse battery'
const models = ['large-2', 'small-2', 'reasoner-1']

/** Answers like an OpenAI-compatible provider; every ninth request fails. */
function startUpstream(): Promise<Server> {
  let count = 0
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      count += 1
      const asked = JSON.parse(Buffer.concat(chunks).toString('utf8') || '{}') as { model?: string }
      const isFault = count % 9 === 0
      setTimeout(
        () => {
          response.writeHead(isFault ? 503 : 200, { 'content-type': 'application/json' })
          response.end(
            JSON.stringify(
              isFault
                ? { error: { message: 'The model is overloaded.', type: 'server_error' } }
                : {
                    id: `chatcmpl-${count}`,
                    object: 'chat.completion',
                    created: Math.floor(Date.now() / 1000),
                    model: asked.model ?? 'large-2',
                    choices: [
                      {
                        index: 0,
                        message: { role: 'assistant', content: 'Paris is the capital of France.' },
                        finish_reason: 'stop',
                      },
                    ],
                    usage: {
                      prompt_tokens: 40 + (count % 60),
                      completion_tokens: 20 + (count % 90),
                      total_tokens: 60 + (count % 60) + (count % 90),
                    },
                  },
            ),
          )
        },
        5 + (count % 7) * 20,
      )
    })
  })
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
}

export interface Scene<Name extends string> {
  gateway: TestGateway
  /** Paths of the console that exist only in this scene. */
  paths: Readonly<Record<Name, string>>
  /** A person who can sign in with a password. */
  person?: { email: string; password: string }
  stop(): Promise<void>
}

type UsedPage =
  | 'log'
  | 'failed-log'
  | 'playground-log'
  | 'trace'
  | 'key'
  | 'provider'
  | 'config'
  | 'prompt'
  | 'guardrail'
  | 'policy'
  | 'rate-limit'
  | 'webhook'
  | 'workspace'
  | 'user'
  | 'export'
  | 'heat-map'
  | 'replay'

export async function openScene(): Promise<Scene<UsedPage>> {
  const upstream = await startUpstream()
  const { port } = upstream.address() as AddressInfo
  const gateway = await startGateway({ providers: { echo: { provider: 'echo' } } })
  const make = async (path: string, body: unknown): Promise<Record<string, unknown>> => {
    const response = await gateway.post(path, body)
    const made = (await response.json()) as Record<string, unknown>
    if (!response.ok) throw new Error(`${path}: ${JSON.stringify(made)}`)
    return made
  }
  await addHistory(gateway)
  const own = { workspace_id: 'default' }
  for (const [name, slug] of [
    ['Production', 'prod'],
    ['Backup', 'backup'],
  ]) {
    await make('/v1/integrations', {
      ...own,
      name,
      ai_provider_id: 'openai',
      key: 'sk-for-the-pictures',
      default_provider_slug: slug,
      configurations: { custom_host: `http://127.0.0.1:${port}/v1` },
    })
  }
  const providers = (await (await gateway.get('/v1/providers')).json()) as {
    data: { id: string; slug: string; integration_id: string }[]
  }
  for (const { slug, integration_id: integration } of providers.data.filter(({ slug }) => slug !== 'echo')) {
    await gateway.get(`/v1/integrations/${integration}/models`)
    const response = await fetch(`${gateway.url}/v1/integrations/${integration}/models`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', 'x-gateway-api-key': 'test-admin-key-0123456789' },
      body: JSON.stringify({
        models: models.map((model, index) => ({
          slug: model,
          enabled: true,
          is_custom: true,
          pricing_config: {
            type: 'static',
            pay_as_you_go: {
              request_token: { price: 0.0003 / (index + 1) },
              response_token: { price: 0.0015 / (index + 1) },
            },
          },
        })),
      }),
    })
    if (!response.ok) throw new Error(`models of ${slug}: ${await response.text()}`)
  }
  const guardrail = await make('/v1/guardrails', {
    ...own,
    name: 'No secrets',
    checks: [{ id: 'default.contains', parameters: { words: ['password'], operator: 'none' } }],
    actions: { deny: true },
  })
  const config = await make('/v1/configs', {
    ...own,
    name: 'Chat, with a backup',
    config: {
      strategy: { mode: 'fallback' },
      retry: { attempts: 1, on_status_codes: [503] },
      cache: { mode: 'simple' },
      input_guardrails: [guardrail.slug],
      targets: [
        {
          name: 'main',
          strategy: { mode: 'loadbalance' },
          targets: [
            {
              provider: '@prod',
              weight: 0.7,
              override_params: { model: 'large-2' },
              cb_config: { failure_threshold: 3, cooldown_interval: 60_000 },
            },
            { provider: '@prod', weight: 0.3, override_params: { model: 'small-2' } },
          ],
        },
        { name: 'backup', provider: '@backup', override_params: { model: 'large-2' } },
      ],
    },
  })
  const prompt = await make('/v1/prompts', {
    ...own,
    name: 'Greeting',
    model: '@echo/any',
    string: JSON.stringify([{ role: 'user', content: 'Greet {{name}} in one sentence.' }]),
    parameters: {},
  })
  const policy = await make('/v1/policies/usage-limits', {
    ...own,
    name: 'Monthly budget of each key',
    conditions: [{ key: 'workspace_id', value: '*' }],
    group_by: [{ key: 'api_key' }],
    type: 'requests',
    credit_limit: 60,
    periodic_reset: 'monthly',
  })
  const rateLimit = await make('/v1/policies/rate-limits', {
    ...own,
    name: 'Requests of each user',
    conditions: [
      { key: 'workspace_id', value: '*' },
      { key: 'model', value: ['large-*', 'reasoner-1'] },
    ],
    group_by: [{ key: 'metadata._user' }],
    type: 'requests',
    unit: 'rpm',
    value: 600,
  })
  const userIds: string[] = []
  for (const [email, first_name, last_name, role] of [
    ['ada@example.com', 'Ada', 'Lovelace', 'admin'],
    ['grace@example.com', 'Grace', 'Hopper', 'member'],
  ]) {
    const invite = await make('/v1/users/invites', { email, role })
    const token = new URL(String(invite.invite_link)).searchParams.get('token')
    await make('/v1/users/invites/accept', {
      token,
      first_name,
      last_name,
      password,
    })
    const found = (await (await gateway.get(`/v1/users?email=${email}`)).json()) as { data: { id: string }[] }
    userIds.push(String(found.data[0]?.id))
  }
  await make('/v1/workspaces/default/users', { users: [{ email: 'grace@example.com', role: 'manager' }] })
  const logExport = await make('/v1/logs/exports', {
    ...own,
    description: 'Failed requests, for the auditor',
    filters: { status_code: '503', page_size: 1000 },
    requested_data: ['id', 'trace_id', 'created_at', 'ai_model', 'response_status_code', 'cost'],
  })
  await make(`/v1/logs/exports/${String(logExport.id)}/start`, {})
  const webhook = await make('/v1/webhooks', { ...own, url: `http://127.0.0.1:${port}/hook`, events: ['*'] })
  const scopes = ['completions.write', 'models.list']
  const keys: string[] = []
  let firstKey = ''
  for (const [index, name] of ['Web shop', 'Support assistant', 'Nightly reports', 'Mobile app'].entries()) {
    const made = await make('/v1/api-keys', {
      ...own,
      name,
      type: 'workspace-service',
      scopes,
      usage_limits: [{ type: 'requests', credit_limit: index === 2 ? 20 : 500, periodic_reset: 'monthly' }],
      ...(index === 3 ? { expires_at: new Date(Date.now() + 5 * 86_400_000).toISOString() } : {}),
    })
    keys.push(String(made.key))
    firstKey ||= String(made.id)
  }
  const ask = (key: string, index: number) =>
    fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        authorization: `Bearer ${key}`,
        'x-gateway-config': String(config.slug),
        'x-gateway-metadata': JSON.stringify({ _user: `user-${index % 5}`, feature: 'chat' }),
      },
      body: JSON.stringify({
        model: 'large-2',
        messages: [
          { role: 'system', content: 'You answer in one sentence.' },
          {
            role: 'user',
            content:
              index % 13 === 5 ? 'What is the password?' : `What is the capital of France? (${index % 31})`,
          },
        ],
      }),
    }).then((response) => response.arrayBuffer())
  for (let index = 0; index < 160; index += 4)
    await Promise.all(keys.map((key, place) => ask(key, index + place)))
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  const replay = await make('/v1/replays', {
    ...own,
    name: 'Try the small model',
    source: { sample: 100 },
    config: { provider: '@backup', override_params: { model: 'small-2' } },
    budget: 5,
  })
  const newest = async (query: string): Promise<{ id: string; trace_id: string }> => {
    const response = await gateway.get(`/v1/logs?configs=${String(config.slug)}&page_size=1&${query}`)
    const { data } = (await response.json()) as { data: { id: string; trace_id: string }[] }
    const [first] = data
    if (first === undefined) throw new Error(`No request has ${query}.`)
    return first
  }
  const answered = await newest('status_code=200&cache_status=MISS')
  const failed = await newest('status_code_min=400')
  return {
    gateway,
    person: { email: 'grace@example.com', password },
    paths: {
      log: `/logs/${answered.id}`,
      'failed-log': `/logs/${failed.id}`,
      'playground-log': `/playground?log=${answered.id}`,
      trace: `/traces/${answered.trace_id}`,
      key: `/keys/${firstKey}`,
      provider: `/providers/${providers.data.find(({ slug }) => slug === 'prod')?.id}`,
      config: `/configs/${config.id}`,
      prompt: `/prompts/${prompt.id}`,
      guardrail: `/guardrails/${guardrail.id}`,
      policy: `/policies/${policy.id}`,
      'rate-limit': `/rate-limits/${rateLimit.id}`,
      user: `/users/${userIds[0]}`,
      export: `/exports/${logExport.id}`,
      replay: `/replays/${replay.id}`,
      'heat-map': '/analytics?graph=latency/heatmap&range=24h',
      webhook: `/webhooks/${webhook.id}`,
      workspace: '/workspaces/default',
    },
    async stop() {
      await gateway.stop()
      upstream.close()
    },
  }
}
