/** What is written into a released version and read back by later ones, through HTTP. */

export const adminKey = 'admin-key-of-the-upgrade-test'
export const encryptionKey = Buffer.alloc(32, 7).toString('base64')
export const config = {
  providers: { echo: { provider: 'echo' } },
}
export const fileText = '{"custom_id": "a", "method": "POST", "url": "/v1/chat/completions", "body": {}}\n'

/** Lists whose objects are recorded. */
const lists = [
  '/v1/configs',
  '/v1/guardrails',
  '/v1/integrations',
  '/v1/providers',
  '/v1/prompts',
  '/v1/prompts/partials',
  '/v1/collections',
  '/v1/labels',
  '/v1/api-keys',
  '/v1/policies/usage-limits',
  '/v1/policies/rate-limits',
  '/v1/admin/workspaces',
  '/v1/files',
  '/v1/logs',
] as const

export interface Recorded {
  /** Objects by list, as the version that wrote them returned them. */
  lists: Record<string, Record<string, unknown>[]>
  /** A key with a budget of three units, two of them used. */
  limitedKey: string
  fileId: string
}

export interface Answer {
  status: number
  json: Record<string, unknown>
}

export async function call(
  url: string,
  {
    key = adminKey,
    method = 'GET',
    path,
    body,
  }: { key?: string; method?: string; path: string; body?: unknown },
): Promise<Answer> {
  const isForm = body instanceof FormData
  const response = await fetch(url + path, {
    method,
    headers: { 'x-gateway-api-key': key, ...(isForm ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = (response.headers.get('content-type') ?? '').includes('json')
  return { status: response.status, json: (isJson ? JSON.parse(text) : { text }) as Record<string, unknown> }
}

export const chatOf = (key: string) => ({
  key,
  method: 'POST',
  path: '/v1/chat/completions',
  body: { model: '@echo/echo-1', messages: [{ role: 'user', content: 'An entry of the log' }] },
})

/** Writes documents, entries, usage and a file. */
export async function writeContent(url: string): Promise<Pick<Recorded, 'limitedKey' | 'fileId'>> {
  const create = async (path: string, body: object) => {
    const { status, json } = await call(url, { method: 'POST', path, body })
    if (status >= 300) throw new Error(`${path}: ${status} ${JSON.stringify(json)}`)
    return json
  }
  const workspace_id = 'default'
  const echo = { provider: '@echo' }
  await create('/v1/configs', {
    name: 'A fallback',
    slug: 'a-fallback',
    workspace_id,
    config: { strategy: { mode: 'fallback' }, targets: [echo, echo] },
  })
  await create('/v1/guardrails', {
    name: 'Words',
    workspace_id,
    checks: [{ id: 'default.wordCount', parameters: { minWords: 1, maxWords: 100 } }],
    actions: { deny: true },
  })
  await create('/v1/integrations', {
    name: 'OpenAI',
    slug: 'openai-of-old',
    ai_provider_id: 'openai',
    key: 'sk-a-key-that-is-encrypted',
    workspace_id,
  })
  await create('/v1/prompts', {
    name: 'Greeting',
    slug: 'greeting',
    workspace_id,
    string: JSON.stringify([{ role: 'user', content: 'Say hello to {{name}}' }]),
    model: 'echo-1',
    virtual_key: 'echo',
    parameters: { temperature: 0.3 },
  })
  await create('/v1/prompts/partials', { name: 'Tone', slug: 'tone', workspace_id, string: 'Be kind.' })
  await create('/v1/labels', { name: 'tested', workspace_id })
  const key = await create('/v1/api-keys/workspace/service', {
    name: 'limited',
    workspace_id,
    scopes: ['completions.write', 'logs.view'],
    rate_limits: [{ type: 'requests', unit: 'rpw', value: 3 }],
    usage_limits: { type: 'tokens', credit_limit: 1_000_000 },
  })
  const limitedKey = String(key.key)
  for (const _ of [1, 2]) {
    const { status, json } = await call(url, chatOf(limitedKey))
    if (status !== 200) throw new Error(`chat: ${status} ${JSON.stringify(json)}`)
  }
  const form = new FormData()
  form.set('purpose', 'batch')
  form.set('file', new Blob([fileText]), 'requests.jsonl')
  const { json: file } = await call(url, { method: 'POST', path: '/v1/files', body: form })
  return { limitedKey, fileId: String(file.id) }
}

export async function readLists(url: string): Promise<Recorded['lists']> {
  const read: Recorded['lists'] = {}
  for (const path of lists) {
    const { status, json } = await call(url, { path })
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(json)}`)
    read[path] = json.data as Record<string, unknown>[]
  }
  return read
}
