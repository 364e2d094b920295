/**
 * No credential leaks: a run that provokes every kind of error, with unique credentials, none of which appears in any
 * answer, header, log line, metric or in the store.
 */
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { packageDirectory } from '../../support/fixture-package.ts'
import { chat, startGateway, type TestGateway } from '../../support/gateway.ts'
import { askRaw } from '../../support/raw-request.ts'
import { openUpstream, sendJson, type Upstream } from '../../support/upstream.ts'
import { canaries, crashing, echoes, echoesInStream } from './canaries.ts'

describe('credentials', () => {
  const packages = packageDirectory()
  let gateway: TestGateway
  let upstream: Upstream
  /** The directory of the gateway's data. */
  let dataDirectory = ''
  let stored = ''
  /** Everything that an outsider could read. */
  const shown: string[] = []
  const codes = new Set<string>()

  const direct = {
    'x-gateway-api-key': canaries.admin,
    authorization: `Bearer ${canaries.authorization}`,
    'x-api-key': canaries.bare,
    'x-gateway-clouda-secret-access-key': canaries.cloud,
    cookie: `session=${canaries.cookie}`,
  }
  const ask = async (
    headers: Record<string, string>,
    body: unknown = chat(),
    { path = '/v1/chat/completions', method = 'POST' }: { path?: string; method?: string } = {},
  ) => {
    const reply = await askRaw(gateway.url, {
      method,
      path,
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    shown.push(JSON.stringify(reply))
    for (const [, code = ''] of reply.text.matchAll(/"code":"([a-z_]+)"/g)) codes.add(code)
  }
  const withConfig = (config: unknown) =>
    ask({ ...direct, 'x-gateway-config': typeof config === 'string' ? config : JSON.stringify(config) })
  const stream = chat('x', { stream: true })

  before(async () => {
    upstream = await openUpstream()
    dataDirectory = await mkdtemp(join(tmpdir(), 'gateway-canaries-'))
    const crashDirectory = await packages.write({ name: 'crashing', kind: 'provider', source: crashing })
    const gone = await openUpstream()
    await gone.close()
    const api_key = canaries.stored
    gateway = await startGateway(
      {
        providers: {
          stored: { provider: 'openai', api_key, custom_host: upstream.url },
          messages: { provider: 'anthropic', api_key, custom_host: upstream.url },
          gone: { provider: 'openai', api_key, custom_host: gone.url },
          crash: { provider: 'crashing', api_key: canaries.environment },
        },
        api_keys: [
          {
            name: 'some',
            key_hash: `sha256:${createHash('sha256').update(canaries.key).digest('hex')}`,
            scopes: ['models.list'],
          },
        ],
        plugins: { packages: [crashDirectory], settings: { default: { api_key: canaries.plugin } } },
      },
      {
        environment: {
          GATEWAY_ADMIN_KEY: canaries.admin,
          GATEWAY_DATA_DIR: dataDirectory,
          GATEWAY_STORE_URL: `sqlite:${join(dataDirectory, 'gateway.db')}`,
        },
      },
    )
    await provoke()
    await gateway.runtime.logs.flush()
    stored = await readStored()
    shown.push(stored)
    shown.push(await (await fetch(`${gateway.url}/metrics`)).text())
    shown.push(JSON.stringify(gateway.logs))
  })
  after(async () => {
    await gateway.stop()
    await upstream.close()
    await rm(dataDirectory, { recursive: true, force: true })
  })

  async function readStored(): Promise<string> {
    const names = await readdir(dataDirectory)
    const files = await Promise.all(names.map((name) => readFile(join(dataDirectory, name), 'latin1')))
    return files.join('')
  }

  async function provoke(): Promise<void> {
    const storedAs = (slug: string) => ({
      'x-gateway-api-key': canaries.admin,
      'x-gateway-provider': `@${slug}`,
    })
    const own = { ...direct, 'x-gateway-provider': 'openai', 'x-gateway-custom-host': upstream.url }
    // Authentication.
    await ask({ 'x-gateway-api-key': canaries.wrongKey })
    await ask({ authorization: `Bearer ${canaries.wrongKey}` }, chat(), { path: '/v1/nothing' })
    await ask({ 'x-gateway-api-key': canaries.key })
    await ask({ authorization: `Bearer ${canaries.admin}` }, '{')
    await ask(direct, chat(), { path: '/v1/nothing' })
    // Upstream errors, including ones that echo the request.
    for (const status of [400, 401, 404, 429, 500, 503]) {
      upstream.handle(echoes(status))
      for (const headers of [own, storedAs('stored'), storedAs('messages')]) {
        await ask(headers)
        await ask(headers, stream)
        await ask(headers, chat(), { path: '/v1/proxy/things' })
        await ask(headers, { model: 'm', input: 'x' }, { path: '/v1/audio/speech' })
        await ask(headers, '', { path: '/v1/models', method: 'GET' })
      }
    }
    for (const events of [0, 1, 3]) {
      upstream.handle(echoesInStream(events))
      await ask(own, stream)
      await ask(storedAs('stored'), stream)
    }
    upstream.handle(
      (request, response) => void response.writeHead(200).end(`<p>${request.headers.authorization}`),
    )
    await ask(storedAs('stored'))
    await ask(storedAs('stored'), stream)
    upstream.handle((_request, response) => void response.destroy())
    await ask(storedAs('stored'))
    await ask(storedAs('gone'))
    // Internal errors.
    await ask(storedAs('crash'))
    await ask(storedAs('crash'), stream)
    await withConfig({ provider: 'crashing', api_key: canaries.config })
    await withConfig({
      strategy: { mode: 'single' },
      targets: [{ provider: 'crashing', api_key: canaries.config }],
    })
    await ask({ ...direct, 'x-gateway-provider': 'crashing' })
    // Invalid configs and headers.
    const api_key = canaries.config
    for (const config of [
      { provider: 'openai', api_key, unknown_key: 1 },
      { provider: 'nobody', api_key },
      { provider: 'openai', api_key: { value: api_key } },
      { provider: 'openai', api_key, custom_host: 'http://10.0.0.1/v1' },
      { provider: 'openai', api_key, custom_host: `http://user:${api_key}@127.0.0.1/v1` },
      { provider: '@stored', api_key, custom_host: upstream.url },
      { provider: 'openai', api_key: `${api_key}\u0001`, custom_host: upstream.url },
      { provider: 'openai', cloudA_secret_access_key: api_key, cloudC_service_account_json: api_key },
      { provider: 'openai', api_key, input_guardrails: ['nobody'] },
      `{"api_key":"${api_key}",}`,
      `api_key: ${api_key}`,
      `"${api_key}"`,
      'nobody',
    ])
      await withConfig(config)
    await ask({
      ...own,
      'x-gateway-metadata': `{"k":"${canaries.authorization}",}`,
      'x-gateway-request-timeout': 'soon',
    })
    await ask({ ...own, 'x-gateway-forward-headers': 'authorization, cookie' })
    // Failing guardrails.
    for (const [deny, status] of [
      [true, 500],
      [false, 200],
    ] as const) {
      upstream.handle((_request, response) => sendJson(response, status, { verdict: 'none' }))
      const webhook = { webhookURL: `${upstream.origin}/judge`, headers: { authorization: canaries.webhook } }
      for (const list of ['input_guardrails', 'output_guardrails'])
        await withConfig({ provider: 'echo', [list]: [{ deny, fail_closed: true, webhook }] })
      await withConfig({
        provider: 'echo',
        input_guardrails: [{ async: true, webhook: { ...webhook, timeout: 'x' } }],
      })
    }
    // An invalid config file.
    await gateway.writeConfig({
      providers: {
        a: { provider: 'openai', api_key: canaries.stored, more: 1 },
        b: { api_key: [canaries.stored] },
      },
      configs: { c: { provider: 'nobody', api_key: canaries.config } },
    })
    expect(await gateway.reload()).to.equal(false)
  }

  it('are searched for in a run that provokes many failures', () => {
    expect([...codes]).to.include.members([
      ...[
        'missing_scope',
        'invalid_api_key',
        'invalid_json',
        'not_found',
        'upstream_error',
        'internal_error',
      ],
      ...[
        'upstream_unreachable',
        'upstream_invalid_response',
        'invalid_config',
        'invalid_header',
        'unknown_config',
      ],
      ...['unknown_provider', 'host_not_allowed', 'unknown_guardrail', 'guardrail_denied'],
    ])
    const messages = gateway.logs.map(({ msg }) => msg)
    expect(messages).to.include.members([
      'internal error',
      'a stream failed',
      'guardrail check failed without a verdict',
      'failed to list the models of a provider',
      'the config file has errors; nothing was changed',
    ])
    // The canaries were used, and the writes are stored.
    expect(stored).to.contain('/v1/chat/completions').and.contain('crashing')
    const received = JSON.stringify(upstream.seen)
    for (const name of ['stored', 'authorization', 'webhook'] as const)
      expect(received).to.contain(canaries[name])
  })

  for (const [name, canary] of Object.entries(canaries)) {
    it(`appear nowhere: ${name}`, () => {
      const leaks = shown.filter((text) => text.includes(canary) || text.includes(canary.slice(0, -3)))
      const around = leaks.map((text) => {
        const at = text.indexOf(canary.slice(0, -3))
        return text.slice(Math.max(0, at - 200), at + 100)
      })
      expect(around).to.deep.equal([])
    })
  }

  it('do not appear, and no answer contains a stack trace, a local path or an upstream host', () => {
    const answers = shown.slice(0, -3)
    expect(
      answers.filter((text) => /\bat .*\.js:\d+|\/work\/|node_modules|node:internal/.test(text)),
    ).to.deep.equal([])
    expect(answers.filter((text) => text.includes(new URL(upstream.origin).host))).to.deep.equal([])
  })
})
