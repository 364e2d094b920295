/**
 * Fills a gateway whose data is kept with everything that people create and requests store. Uses only features of the
 * oldest kept version, or checks whether the gateway has a feature.
 */
import { chat } from '../support/gateway.ts'
import { until } from '../support/until.ts'
import { type Client, dataOf, type Json } from './scene.ts'

/** Secrets that are shown once, and sent data, for the test that opens the data. */
export interface Filled {
  keys: Record<'app' | 'former' | 'rotated' | 'revoked' | 'budget' | 'rate', string>
  budgetKeyId: string
  person: { email: string; password: string }
  integration: { id: string; slug: string }
  promptId: string
  fileId: string
  file: string
}

const place = { workspace_id: 'default' }
/** The integration's credential for the tests' upstream. */
export const storedCredential = 'sk-kept-0123456789abcdef'
export const keyOfTheFile = 'gw-key-of-the-file-0123456789'
const file = '{"messages":[{"role":"user","content":"größer"}]}\n'

export async function fill(admin: Client, origin: string): Promise<Filled> {
  const keys = await createKeys(admin)
  const integration = await createProviders(admin, origin)
  await createRouting(admin)
  const promptId = await createPrompts(admin)
  const person = await createPeople(admin)
  await createPolicies(admin)
  await createServers(admin, origin)
  await send(admin, keys, { slug: integration.slug, promptId })
  const { id: fileId } = await admin.upload(file, 'fine-tune')
  await runJobs(admin, String(fileId))
  const { budgetKeyId, ...secrets } = keys
  return { keys: secrets, budgetKeyId, person, integration, promptId, fileId: String(fileId), file }
}

async function createKeys(admin: Client) {
  const create = (name: string, more: Json = {}) =>
    admin.post('/v1/api-keys/workspace/service', {
      ...place,
      name,
      scopes: ['completions.write', 'logs.list', 'logs.view'],
      ...more,
    })
  const app = await create('App', { description: 'Größe' })
  const rotated = await create('Rotated')
  const rotation = { key_transition_period_ms: 30 * 24 * 3_600_000 }
  const next = await admin.post(`/v1/api-keys/${rotated.id}/rotate`, rotation)
  const revoked = await create('Revoked')
  await admin.delete(`/v1/api-keys/${revoked.id}`)
  const budget = await create('Budget', { usage_limits: { type: 'requests', credit_limit: 4 } })
  const rate = await create('Rate', { rate_limits: [{ type: 'requests', unit: 'rpd', value: 3 }] })
  return {
    app: String(app.key),
    former: String(rotated.key),
    rotated: String(next.key),
    revoked: String(revoked.key),
    budget: String(budget.key),
    rate: String(rate.key),
    budgetKeyId: String(budget.id),
  }
}

async function createProviders(admin: Client, origin: string) {
  const { id, slug } = await admin.post('/v1/integrations', {
    name: 'Kept',
    ai_provider_id: 'openai',
    key: storedCredential,
    description: 'Production',
    tags: ['prod'],
    configurations: { custom_host: `${origin}/v1` },
  })
  await admin.put(`/v1/integrations/${id}/workspaces`, {
    workspaces: [{ id: 'default', enabled: true, usage_limits: [{ type: 'cost', credit_limit: 100 }] }],
  })
  await admin.post('/v1/secret-references', {
    name: 'Vault',
    manager_type: 'hashicorp_vault',
    auth_config: { vault_auth_type: 'token', vault_token: 'hvs.0123456789abcdef', vault_addr: origin },
    secret_path: 'secret/openai',
    secret_key: 'api_key',
  })
  return { id: String(id), slug: String(slug) }
}

async function createRouting(admin: Client): Promise<void> {
  const { id } = await admin.post('/v1/configs', {
    ...place,
    name: 'Routing',
    config: {
      strategy: { mode: 'loadbalance' },
      targets: [{ provider: '@local', weight: 2 }, { provider: '@main' }],
    },
  })
  await admin.put(`/v1/configs/${id}`, { config: { provider: '@main', retry: { attempts: 2 } } })
  await admin.post('/v1/guardrails', {
    ...place,
    name: 'Words',
    checks: [{ id: 'default.contains', parameters: { words: ['forbidden'], operator: 'none' } }],
    actions: { deny: true },
  })
  await admin.post('/v1/webhooks', {
    name: 'Hook',
    url: 'http://127.0.0.1:9/hook',
    events: ['api_key.created'],
  })
}

async function createPrompts(admin: Client): Promise<string> {
  const string = (content: string) => JSON.stringify([{ role: 'user', content }])
  await admin.post('/v1/prompts/partials', { ...place, name: 'Tone', string: 'Be brief.' })
  const collection = await admin.post('/v1/collections', { ...place, name: 'Support' })
  const { id } = await admin.post('/v1/prompts', {
    ...place,
    name: 'Greet',
    collection_id: collection.id,
    string: string('Hi {{name}}'),
    parameters: { model: 'echo-1' },
    virtual_key: 'local',
  })
  await admin.put(`/v1/prompts/${id}`, { patch: true, string: string('Hello {{name}}') })
  await admin.put(`/v1/prompts/${id}/makeDefault`, { version: 2 })
  await admin.post('/v1/labels', { ...place, name: 'canary', color_code: '#112233' })
  return String(id)
}

async function createPeople(admin: Client) {
  const email = 'kept@example.com'
  const password = 'a-password-that-is-kept-1'
  const workspace = await admin.post('/v1/workspaces', {
    name: 'Second',
    defaults: { metadata: { team: 'b' } },
  })
  const { invite_link } = await admin.post('/v1/users/invites', {
    email,
    role: 'admin',
    workspaces: [{ id: workspace.id, role: 'manager' }],
  })
  const token = new URL(String(invite_link)).searchParams.get('token')
  await admin.post('/v1/users/invites/accept', { token, first_name: 'Ada', password })
  await admin.post('/v1/users/invites', { email: 'invited@example.com', role: 'member' })
  return { email, password }
}

async function createPolicies(admin: Client): Promise<void> {
  const common = {
    ...place,
    conditions: [{ key: 'metadata.team', value: 'a' }],
    group_by: [{ key: 'metadata._user' }],
  }
  await admin.post('/v1/policies/rate-limits', { ...common, type: 'requests', unit: 'rpm', value: 5000 })
  await admin.post('/v1/policies/usage-limits', { ...common, type: 'cost', credit_limit: 50 })
}

async function createServers(admin: Client, origin: string): Promise<void> {
  await admin.post('/v1/mcp-integrations', {
    name: 'Tools',
    url: `${origin}/mcp`,
    auth_type: 'headers',
    transport: 'http',
    configurations: { custom_headers: { 'x-team': 'a-kept-secret-value' } },
  })
  await admin.post('/v1/agent-integrations', { name: 'Helper', url: `${origin}/agent`, auth_type: 'none' })
}

/** Requests of every kind: their log entries, usage, traces, feedback and a cached answer. */
async function send(
  admin: Client,
  keys: Awaited<ReturnType<typeof createKeys>>,
  { slug, promptId }: { slug: string; promptId: string },
) {
  const ask = (
    key: string,
    config: string,
    { text, more = {} }: { text: string; more?: { body?: Json; status?: number } },
  ) => {
    const headers = {
      'x-gateway-config': config,
      'x-gateway-trace-id': 'trace-kept',
      'x-gateway-metadata': JSON.stringify({ _user: 'ann', feature: text.slice(0, 3) }),
    }
    const { status = 200, body = {} } = more
    return admin.as(key).post('/v1/chat/completions', chat(text, body), { headers, status })
  }
  for (const text of ['one größer', 'two', 'three']) await ask(keys.app, 'with-fallback', { text })
  for (const text of ['cached', 'cached']) await ask(keys.app, 'cached', { text })
  await ask(keys.app, 'guarded', { text: `sk-${'a'.repeat(24)}`, more: { status: 446 } })
  await ask(keys.app, `{"provider":"@${slug}"}`, { text: 'with the stored credential' })
  for (const text of ['b1', 'b2', 'b3']) await ask(keys.budget, 'cached', { text })
  for (const text of ['r1', 'r2']) await ask(keys.rate, 'cached', { text })
  for (const text of ['f1', 'f2']) await ask(keyOfTheFile, 'cached', { text })
  await admin.as(keys.app).post(`/v1/prompts/${promptId}/completions`, { variables: { name: 'Ada' } })
  const embed = { input: 'kept', model: '@local/echo-1' }
  await admin.as(keys.app).post('/v1/embeddings', embed)
  await admin.as(keys.app).post('/v1/responses', { input: 'kept', model: '@local/echo-1' })
  await admin.post('/v1/feedback', [
    { ...place, trace_id: 'trace-kept', value: 5, weight: 0.5, metadata: { by: 'ann' } },
  ])
}

/** Background jobs, each awaited. */
async function runJobs(admin: Client, trainingFile: string): Promise<void> {
  const line = (index: number) =>
    JSON.stringify({
      custom_id: `line-${index}`,
      method: 'POST',
      url: '/v1/chat/completions',
      body: chat(`line ${index}`, { model: 'echo-1' }),
    })
  const { id: input_file_id } = await admin.upload([1, 2, 3].map(line).join('\n'), 'batch')
  const settings = { input_file_id, endpoint: '/v1/chat/completions', completion_window: 'immediate' }
  const headers = { 'x-gateway-virtual-key': 'local' }
  const batch = await admin.post('/v1/batches', settings, { headers })
  const end = async (path: string, status: string) => {
    await until(`${path} is ${status}`, async () => (await admin.get(path)).status === status)
  }
  await end(`/v1/batches/${batch.id}`, 'completed')
  const method = { type: 'supervised', supervised: { hyperparameters: { n_epochs: 3 } } }
  const job = await admin.post(
    '/v1/fine_tuning/jobs',
    { model: 'm', training_file: trainingFile, suffix: 'kept', method },
    { headers: { 'x-gateway-provider': 'echo' } },
  )
  await admin.post(`/v1/fine_tuning/jobs/${job.id}/cancel`)
  await until(
    'the log has every entry',
    async () => dataOf(await admin.get('/v1/logs?page_size=100')).length >= 15,
  )
  const exported = await admin.post('/v1/logs/exports', {
    ...place,
    filters: {},
    requested_data: ['trace_id', 'cost', 'request'],
  })
  await admin.post(`/v1/logs/exports/${exported.id}/start`, {})
  await end(`/v1/logs/exports/${exported.id}`, 'success')
  const { paths } = (await admin.get('/v1/openapi.json')) as { paths: Json }
  if ('/v1/replays' in paths) await runReplay(admin, end)
}

async function runReplay(admin: Client, end: (path: string, status: string) => Promise<void>): Promise<void> {
  const replay = await admin.post('/v1/replays', {
    ...place,
    name: 'Other model',
    source: { filter: {}, sample: 3 },
    config: { provider: '@local' },
  })
  await end(`/v1/replays/${replay.id}`, 'completed')
}
