/**
 * Secrets in stored documents: a unique one in every member of every kind, none of which appears in the bytes of the
 * store, in any answer or list, in the audit log, in an export, or in the log.
 */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { exportLines } from '#core/cli/transfer/export-lines'
import { adminKey, chat, startGateway, type TestGateway } from '../../support/gateway.ts'
import { openUpstream, type Upstream } from '../../support/upstream.ts'

/** Every canary that was used, by its purpose. */
const canaries: { what: string; text: string }[] = []
function canary(what: string): string {
  const text = `canary-${canaries.length}-abcdefghijklmnop-0123456789`
  canaries.push({ what, text })
  return text
}

describe('secrets in stored documents', () => {
  let gateway: TestGateway
  let upstream: Upstream
  let directory = ''
  /** All that a caller could read. */
  const shown: { what: string; text: string }[] = []

  async function call(
    method: string,
    path: string,
    { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
  ) {
    const response = await fetch(gateway.url + path, {
      method,
      headers: { 'x-gateway-api-key': adminKey, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    shown.push({ what: `${method} ${path}`, text: `${text}${JSON.stringify([...response.headers])}` })
    return { status: response.status, text, body: (text.startsWith('{') ? JSON.parse(text) : {}) as Made }
  }
  interface Made {
    id: string
    slug: string
    default_provider?: { slug: string }
  }
  const post = async (path: string, body: unknown, status = 200) => {
    const reply = await call('POST', path, { body })
    expect(reply.status, reply.text).to.equal(status)
    return reply.body
  }
  const put = async (path: string, body: unknown, status = 200) => {
    const reply = await call('PUT', path, { body })
    expect(reply.status, reply.text).to.equal(status)
  }

  const account = () => ({
    type: 'service_account',
    project_id: 'p',
    client_email: 'g@p.iam.gserviceaccount.com',
    private_key: canary('private key of a service account'),
  })
  const hooks = () => ({
    input_guardrails: [
      {
        webhook: {
          webhookURL: `${upstream.origin}/judge`,
          headers: { 'x-any': canary('header of a short check') },
        },
      },
    ],
    before_request_hooks: [
      {
        id: 'hook',
        checks: [
          {
            id: 'default.webhook',
            parameters: {
              webhookURL: `${upstream.origin}/judge`,
              headers: { a: canary('header of a check') },
            },
          },
        ],
      },
    ],
  })
  const configOf = (what: string) => ({
    strategy: { mode: 'fallback' },
    targets: [
      { provider: 'openai', api_key: canary(`${what}: api_key`), custom_host: upstream.url, ...hooks() },
      {
        provider: 'bedrock',
        cloudA_access_key_id: canary(`${what}: access key id`),
        cloudA_secret_access_key: canary(`${what}: secret access key`),
        cloudA_session_token: canary(`${what}: session token`),
        cloudA_region: 'us-east-1',
      },
      { provider: 'vertex-ai', cloudC_region: 'us-central1', cloudC_service_account_json: account() },
    ],
  })
  const checks = () => [
    {
      id: 'qualifire.promptInjections',
      parameters: { apiKey: canary('apiKey of a check') },
      is_enabled: false,
    },
    {
      id: 'bedrock.guard',
      is_enabled: false,
      parameters: {
        guardrailId: 'abc',
        guardrailVersion: '1',
        awsRegion: 'eu-central-1',
        awsAccessKeyId: canary('awsAccessKeyId'),
        awsSecretAccessKey: canary('awsSecretAccessKey'),
        awsSessionToken: canary('awsSessionToken'),
      },
    },
    {
      id: 'default.webhook',
      parameters: {
        webhookURL: `${upstream.origin}/judge`,
        headers: { authorization: canary('webhook header') },
      },
    },
  ]

  async function makeAll(): Promise<void> {
    const integration = await post('/v1/integrations', {
      name: 'Openai',
      ai_provider_id: 'openai',
      workspace_id: 'default',
      key: canary('key of an integration'),
      configurations: {
        custom_host: upstream.url,
        custom_headers: {
          'x-token': canary('header of an integration'),
          'x-plain': 'shown',
        },
      },
    })
    await put(`/v1/integrations/${integration.id}/models`, {
      models: [
        {
          slug: 'own',
          enabled: true,
          is_custom: true,
          configurations: {
            custom_host: upstream.url,
            custom_headers: { 'x-m': canary('header of a model') },
          },
        },
      ],
    })
    await put(`/v1/integrations/${integration.id}`, { key: canary('another key of it') })
    for (const [provider, configurations] of [
      [
        'bedrock',
        {
          aws_auth_type: 'accessKey',
          aws_access_key_id: canary('aws_access_key_id'),
          aws_secret_access_key: canary('aws_secret_access_key'),
          aws_session_token: canary('aws_session_token'),
          aws_region: 'us-east-1',
        },
      ],
      [
        'vertex-ai',
        {
          vertex_auth_type: 'serviceAccount',
          vertex_region: 'us-central1',
          vertex_service_account_json: account(),
        },
      ],
      [
        'vertex-ai',
        {
          vertex_auth_type: 'serviceAccount',
          vertex_region: 'us-central1',
          vertex_service_account_json: JSON.stringify(account()),
        },
      ],
    ] as const)
      await post('/v1/integrations', { name: `Of ${provider}`, ai_provider_id: provider, configurations })
    await post('/v1/virtual-keys', {
      name: 'Virtual',
      provider: 'openai',
      workspace_id: 'default',
      key: canary('key of a virtual key'),
    })
    for (const auth_config of [
      { vault_auth_type: 'token', vault_token: canary('vault_token') },
      { vault_auth_type: 'approle', vault_role_id: 'r', vault_secret_id: canary('vault_secret_id') },
    ]) {
      const reference = await post('/v1/secret-references', {
        name: `Vault ${auth_config.vault_auth_type}`,
        manager_type: 'hashicorp_vault',
        auth_config: { ...auth_config, vault_addr: upstream.origin },
        secret_path: 'secret/openai',
      })
      await call('POST', `/v1/secret-references/${reference.id}/test`)
    }
    const config = await post('/v1/configs', {
      name: 'Config',
      workspace_id: 'default',
      config: configOf('config'),
    })
    await put(`/v1/configs/${config.id}`, { config: JSON.stringify(configOf('config as text')) })
    await post(`/v1/configs/${config.id}/rollback`, { version: 1 })
    await post('/v1/configs/validate', { config: configOf('validated') })
    const guardrail = await post('/v1/guardrails', {
      name: 'Guard',
      workspace_id: 'default',
      checks: checks(),
    })
    await put(`/v1/guardrails/${guardrail.id}`, { checks: checks() })
    const json = { messages: [{ role: 'user', content: 'x' }] }
    const subject = { hook: 'beforeRequestHook', request: { json } }
    await post(`/v1/guardrails/${guardrail.id}/invoke`, subject)
    await post('/v1/guardrails/invoke', {
      ...subject,
      checks: checks().filter(({ is_enabled }) => is_enabled !== false),
    })
    const client_secret = canary('client secret of a sign-in')
    await put('/v1/organisation', {
      auth_settings: { oidc: { issuer: 'https://id.example', client_id: 'one', client_secret } },
    })
    // Used by requests.
    await call('POST', '/v1/chat/completions', { body: chat(), headers: { 'x-gateway-config': config.slug } })
    await call('POST', '/v1/chat/completions', {
      body: chat('x', { model: `@${integration.default_provider?.slug}/own` }),
    })
  }

  async function refuseAll(): Promise<void> {
    const api_key = canary('api_key of a refused config')
    for (const config of [
      { provider: 'nobody', api_key },
      { provider: 'openai', api_key: { value: [api_key] } },
      { provider: 'openai', api_key, custom_host: `http://user:${api_key}@127.0.0.1/v1` },
      JSON.stringify({ provider: 'openai', api_key, more: 1 }),
      { provider: 'openai', api_key, input_guardrails: [{ nobody: { apiKey: api_key } }] },
    ])
      await post('/v1/configs', { name: 'Wrong', workspace_id: 'default', config }, 400)
    const apiKey = canary('apiKey of a refused check')
    for (const parameters of [{ apiKey, more: 1 }, { apiKey: [apiKey] }, { apiKey, headers: apiKey }])
      await post(
        '/v1/guardrails',
        { name: 'Wrong', checks: [{ id: 'qualifire.promptInjections', parameters }] },
        400,
      )
    const key = canary('key of a refused integration')
    const configurations = {
      custom_host: 'http://10.0.0.1/v1',
      custom_headers: { 'x-a': key },
      nothing_secret: key,
    }
    await post('/v1/integrations', { name: 'Wrong', ai_provider_id: 'openai', key, configurations }, 400)
    await post('/v1/integrations', { name: 'Wrong', ai_provider_id: 'openai', key: [key] }, 400)
    await post(
      '/v1/secret-references',
      { name: 'Wrong', manager_type: 'none', auth_config: { vault_token: key } },
      400,
    )
  }

  async function readAll(): Promise<void> {
    for (const path of [
      'integrations',
      'virtual-keys',
      'providers',
      'secret-references',
      'configs',
      'guardrails',
    ]) {
      const { text } = await call('GET', `/v1/${path}`)
      for (const { id } of (JSON.parse(text) as { data: Made[] }).data) {
        await call('GET', `/v1/${path}/${id}`)
        if (path === 'integrations') await call('GET', `/v1/integrations/${id}/models`)
        if (path !== 'configs') continue
        await call('GET', `/v1/configs/${id}/versions`)
        for (const version of [1, 2, 3]) await call('GET', `/v1/configs/${id}?version=${version}`)
      }
    }
    await call('GET', '/v1/organisation')
    await call('GET', '/v1/audit-logs?page_size=1000')
  }

  before(async () => {
    upstream = await openUpstream()
    directory = await mkdtemp(join(tmpdir(), 'gateway-stored-secrets-'))
    const api_key = canary('api_key of a config of the file')
    const file = { webhookURL: `${upstream.origin}/judge`, headers: { a: canary('header of the file') } }
    gateway = await startGateway(
      {
        providers: {
          filed: {
            provider: 'openai',
            api_key: canary('api_key of a provider of the file'),
            models: [
              {
                slug: 'm',
                enabled: true,
                configurations: { custom_headers: { 'x-a': canary('header of a model of the file') } },
              },
            ],
          },
        },
        configs: { filed: { provider: 'openai', api_key, custom_host: upstream.url } },
        guardrails: { filed: { checks: [{ id: 'default.webhook', parameters: file }] } },
      },
      {
        environment: {
          GATEWAY_ADMIN_KEY: adminKey,
          GATEWAY_DATA_DIR: directory,
          GATEWAY_STORE_URL: `sqlite:${join(directory, 'gateway.db')}`,
        },
      },
    )
    await makeAll()
    await refuseAll()
    await readAll()
    await gateway.runtime.logs.flush()
    const names = await readdir(directory)
    const files = await Promise.all(names.map((name) => readFile(join(directory, name), 'latin1')))
    shown.push({ what: 'the stored bytes', text: files.join('') })
    const lines: string[] = []
    const { store, sealer } = gateway.runtime
    const source = { ports: store, contents: [], refuse: () => undefined }
    for await (const line of exportLines(source, sealer, { nowMs: Date.now() }).lines) lines.push(line)
    shown.push({ what: 'an export', text: lines.join('') })
    shown.push({ what: 'the log', text: JSON.stringify(gateway.logs) })
  })
  after(async () => {
    await gateway.stop()
    await upstream.close()
    await rm(directory, { recursive: true, force: true })
  })

  it('are available to requests', () => {
    const received = JSON.stringify(upstream.seen)
    for (const what of [
      'config: api_key',
      'another key of it',
      'header of a model',
      'header of a check',
      'webhook header',
      'vault_token',
    ])
      expect(
        canaries.some((one) => one.what === what && received.includes(one.text)),
        what,
      ).to.equal(true)
    const stored = shown.find(({ what }) => what === 'the stored bytes')?.text
    expect(stored).to.include('sealed:2:').and.include('webhookURL')
  })

  it('are never shown', () => {
    const leaks = canaries.flatMap(({ what, text }) =>
      shown
        .filter((one) => one.text.includes(text))
        .map(
          (one) =>
            `${what} in ${one.what}: …${one.text.slice(Math.max(0, one.text.indexOf(text) - 80), one.text.indexOf(text))}`,
        ),
    )
    expect(leaks).to.deep.equal([])
  })
})
