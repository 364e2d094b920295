/** POST `/dry-run`: who may ask, every refusal of a target, every field of a limit, and the sources of guardrails. */
import { expect } from 'chai'
import { chat, configHeader, startGateway } from '../../support/gateway.ts'
import { openManagement } from '../../support/management.ts'
import { answerOk, openUpstream, type Upstream } from '../../support/upstream.ts'

interface Target {
  allowed: boolean
  refusals: { code: string; param: string | null; message: string }[]
}

const leaf = (provider: string, model = 'm', extra: object = {}) => ({
  provider,
  override_params: { model },
  ...extra,
})

describe('a dry run, row by row', () => {
  const api = openManagement({
    providers: {
      mine: { provider: 'echo' },
      chosen: { provider: 'echo', models: [{ slug: 'other', enabled: false }] },
      spent: { provider: 'echo', usage_limits: { type: 'tokens', credit_limit: 1 } },
    },
    guardrails: {
      polite: { checks: [{ id: 'default.wordCount', parameters: { minWords: 0 } }] },
      short: { checks: [{ id: 'default.wordCount', parameters: { maxWords: 100_000 } }] },
    },
  })
  let upstream: Upstream
  before(async () => {
    upstream = await openUpstream(answerOk)
  })
  after(() => upstream.close())
  const run = (more: object = {}, caller = api) =>
    caller.post('/v1/dry-run', { endpoint: 'chatComplete', body: chat('hello there'), ...more })
  const makeKey = async (more: object = {}) => {
    const made = await api.post('/v1/api-keys/workspace/service', {
      name: `Key ${Math.random()}`,
      workspace_id: 'default',
      scopes: ['completions.write'],
      ...more,
    })
    expect(made.status, made.text).to.equal(200)
    return { id: String(made.body.id), key: String(made.body.key) }
  }

  const refusals: [what: string, target: () => object, code: string][] = [
    ['a model that is not allowed', () => leaf('@chosen', 'other'), 'model_not_allowed'],
    ['an exhausted budget', () => leaf('@spent'), 'usage_limit_exceeded'],
    [
      'a host that is not allowed',
      () => leaf('openai', 'm', { api_key: 'sk-1', custom_host: 'http://169.254.169.254/v1' }),
      'host_not_allowed',
    ],
  ]
  for (const [what, target, code] of refusals)
    it(`refuses a target for ${what}, like the call`, async () => {
      await api.gateway.post('/v1/chat/completions', chat(), configHeader(leaf('@spent')))
      const dry = await run({ headers: configHeader(target()) })
      const called = await api.gateway.post(
        '/v1/chat/completions',
        chat('hello there'),
        configHeader(target()),
      )
      const { error } = (await called.json()) as { error: { code: string; param: string | null } }
      const [first] = [
        ...(dry.body.errors as Target['refusals']),
        ...((dry.body.targets as Target[])[0]?.refusals ?? []),
      ]
      expect(error.code).to.equal(code)
      expect([first?.code, first?.param]).to.deep.equal([code, error.param])
    })

  const callers: [what: string, scopes: string[] | null, status: number, code: string | undefined][] = [
    ['without a key', null, 401, 'missing_api_key'],
    ['without completions.write', ['logs.view'], 403, 'missing_scope'],
    ['with completions.write', ['completions.write'], 200, undefined],
  ]
  for (const [what, scopes, status, code] of callers)
    it(`answers ${status} to a caller ${what}`, async () => {
      const caller = api.as(scopes === null ? null : (await makeKey({ scopes })).key)
      const reply = await run({ headers: configHeader(leaf('@mine')) }, caller)
      expect([reply.status, reply.error.code]).to.deep.equal([status, code])
    })

  it('shows the credential, and the merged metadata', async () => {
    const { id, key } = await makeKey({ defaults: { metadata: { team: 'a', level: 'key' } } })
    const headers = { ...configHeader(leaf('@mine')), 'x-gateway-metadata': '{"request":"b"}' }
    const { body } = await run({ headers }, api.as(key))
    expect(body.credential).to.deep.equal({ type: 'workspace-service', id, scopes_ok: true })
    expect(body.metadata).to.deep.equal({ team: 'a', level: 'key', request: 'b' })
  })

  it('shows the config that the key has as its default', async () => {
    const made = await api.post('/v1/configs', {
      name: 'Default',
      slug: 'by-default',
      config: leaf('@mine', 'of-the-key'),
      workspace_id: 'default',
    })
    expect(made.status, made.text).to.equal(200)
    const { key } = await makeKey({ defaults: { config_id: 'by-default' } })
    const { body } = await run({}, api.as(key))
    expect(body.config).to.include({ source: 'key', slug: 'by-default', version: 1 })
    expect((body.targets as object[])[0]).to.include({ model: 'of-the-key', allowed: true })
  })

  it('shows the default config of the workspace, as the decision trace of the call does', async () => {
    const workspace = await api.post('/v1/workspaces', { name: 'With default', slug: 'with-default' })
    expect(workspace.status, workspace.text).to.equal(200)
    const made = await api.post('/v1/configs', {
      name: 'Of the workspace',
      slug: 'of-the-workspace',
      config: { provider: 'echo', override_params: { model: 'of-the-workspace' } },
      workspace_id: 'with-default',
      is_default: true,
    })
    expect(made.status, made.text).to.equal(200)
    const { key } = await makeKey({
      workspace_id: 'with-default',
      scopes: ['completions.write', 'logs.view'],
    })
    const { body } = await run({}, api.as(key))
    expect(body.config).to.include({ source: 'workspace', slug: 'of-the-workspace', version: 1 })
    const called = await api.as(key).post('/v1/chat/completions', chat(), { 'x-gateway-explain': 'true' })
    expect((called.body.decisions as object[])[0]).to.include({
      step: 'config',
      source: 'workspace',
      version: 1,
    })
  })

  it('shows every field of the limits, of the key and of the target', async () => {
    const { id, key } = await makeKey({
      rate_limits: [{ type: 'tokens', unit: 'rph', value: 100 }],
      usage_limits: [{ type: 'cost', credit_limit: 5, periodic_reset: 'monthly' }],
    })
    const { body } = await run({ headers: configHeader(leaf('@spent')) }, api.as(key))
    const limits = body.limits as Record<string, unknown>[]
    const shown = limits.map(({ reset_at: resetAt, bucket, ...limit }) => {
      expect(bucket).to.be.a('string').that.is.not.equal('')
      expect(resetAt === null || !Number.isNaN(Date.parse(String(resetAt)))).to.equal(true)
      return limit
    })
    const open = { used: 0, reserved: 0, applies: true, refused: false }
    const own = `api-keys/${id}`
    expect(shown).to.deep.include.members([
      { param: own, type: 'tokens', unit: 'rph', limit: 100, remaining: 100, ...open },
      { param: own, type: 'cost', limit: 5, remaining: 5, ...open },
      { ...open, param: 'providers/spent', type: 'tokens', limit: 1, used: 2, remaining: 0, refused: true },
    ])
  })

  it('shows guardrails with their source: the workspace, the key and the config', async () => {
    const workspace = await api.put('/v1/workspaces/default', {
      defaults: { input_guardrails: ['polite'] },
    })
    expect(workspace.status, workspace.text).to.equal(200)
    const { key } = await makeKey({ defaults: { output_guardrails: ['short'] } })
    const config = leaf('@mine', 'm', { input_guardrails: ['short'], output_guardrails: ['polite'] })
    const { body } = await run({ headers: configHeader(config) }, api.as(key))
    await api.put('/v1/workspaces/default', { defaults: { input_guardrails: [] } })
    expect(body.guardrails).to.deep.equal({
      input: [
        { id: 'polite', source: 'workspace' },
        { id: 'short', source: 'config' },
      ],
      output: [
        { id: 'short', source: 'key' },
        { id: 'polite', source: 'config' },
      ],
    })
  })

  const caches: [
    what: string,
    cache: object,
    headers: Record<string, string>,
    body: object,
    would: string,
  ][] = [
    ['semantic', { mode: 'semantic' }, {}, chat('not cached'), 'miss'],
    ['refreshed', { mode: 'simple' }, { 'x-gateway-cache-force-refresh': 'true' }, chat('again'), 'miss'],
  ]
  for (const [what, cache, headers, body, would] of caches)
    it(`describes the effect of a ${what} cache`, async () => {
      const config = leaf('@mine', 'm', { cache })
      const dry = await run({ headers: { ...configHeader(config), ...headers }, body })
      expect(dry.body.cache).to.include({ would })
    })

  it('treats a cache that cannot be read as a miss', async () => {
    const gateway = await startGateway({ redis: { url: 'redis://127.0.0.1:1' } })
    const asked = {
      endpoint: 'chatComplete',
      headers: configHeader({ provider: 'echo', cache: { mode: 'simple' } }),
      body: chat(),
    }
    const answer = await gateway.post('/v1/dry-run', asked)
    const { cache } = (await answer.json()) as { cache: unknown }
    await gateway.stop()
    expect([answer.status, cache]).to.deep.equal([200, { mode: 'simple', would: 'miss' }])
  })

  it('makes no calls, not even to the webhook of a guardrail', async () => {
    const webhook = { 'default.webhook': { webhookURL: `${upstream.origin}/check` } }
    const config = {
      provider: 'openai',
      api_key: 'sk-1',
      custom_host: upstream.url,
      input_guardrails: [webhook],
      cache: { mode: 'semantic' },
    }
    const { body } = await run({ headers: configHeader(config) })
    expect(body.valid, JSON.stringify(body.errors)).to.equal(true)
    expect(upstream.seen).to.deep.equal([])
  })

  it('refuses an unknown prompt, and a malformed prompt name', async () => {
    for (const reference of ['%zz', '%E0%A4%A', 'no-such-prompt']) {
      const { status, error } = await run({ endpoint: `/v1/prompts/${reference}/completions`, body: {} })
      expect([status, error.code, error.param]).to.deep.equal([404, 'unknown_prompt', '/endpoint'])
    }
  })
})
