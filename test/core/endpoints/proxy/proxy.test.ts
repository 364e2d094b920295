/** `/v1/proxy/*`: any other route of a provider, with arbitrary bytes in both directions. */
import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { sound } from '../../../support/form.ts'
import { adminKey, configHeader } from '../../../support/gateway.ts'
import { openScene, tree } from '../../../support/scene.ts'
import { until } from '../../../support/until.ts'
import { type Handler, sendEvents, sendJson } from '../../../support/upstream.ts'

/** Returns the request that the upstream received. */
const mirrors: Handler = (request, response) => {
  response.writeHead(200, { 'content-type': request.headers['content-type'] ?? 'application/octet-stream' })
  response.end(request.bytes)
}

interface Asked {
  method?: string
  headers?: Record<string, string>
  body?: string | Buffer
}

describe('the proxy', () => {
  const scene = openScene((origin) => ({
    server: { upload_limit: 5000 },
    providers: { stored: { provider: 'openai', api_key: 'sk-stored-secret', custom_host: `${origin}/s/v1` } },
  }))
  const ask = (config: unknown, path: string, { method = 'GET', headers = {}, body }: Asked = {}) =>
    fetch(`${scene.gateway.url}/v1/proxy/${path}`, {
      method,
      headers: {
        'x-gateway-api-key': adminKey,
        ...(config === null ? {} : configHeader(config)),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : new Uint8Array(body) }),
    })
  const errorOf = async (response: Response) =>
    ((await response.json()) as { error: { code: string; message: string; param: string | null } }).error

  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    it(`forwards ${method} with its path and query unchanged`, async () => {
      scene.answers = { a: mirrors }
      const response = await ask(scene.leaf('a'), 'things/a%20b%2Fc//d;e=f/?q=a%20b&q=c+d&empty', { method })
      expect(response.status).to.equal(200)
      const seen = scene.seen('a')
      expect([seen.method, seen.path]).to.deep.equal([
        method,
        '/a/v1/things/a%20b%2Fc//d;e=f/?q=a%20b&q=c+d&empty',
      ])
    })
  }

  it('forwards HEAD', async () => {
    scene.answers = {
      a(_request, response) {
        response.writeHead(200, { 'x-vendor': 'v', 'content-type': 'audio/mpeg' })
        response.end()
      },
    }
    const response = await ask(scene.leaf('a'), 'things', { method: 'HEAD' })
    expect([response.status, response.headers.get('x-vendor')]).to.deep.equal([200, 'v'])
    expect(scene.seen('a').method).to.equal('HEAD')
  })

  it('forwards arbitrary bytes in both directions', async () => {
    scene.answers = { a: mirrors }
    const response = await ask(scene.leaf('a'), 'things', {
      method: 'POST',
      headers: { 'content-type': 'application/x-thing' },
      body: sound,
    })
    expect(response.headers.get('content-type')).to.equal('application/x-thing')
    expect(Buffer.from(await response.arrayBuffer())).to.deep.equal(sound)
    expect(scene.seen('a').bytes).to.deep.equal(sound)
  })

  it('forwards JSON unchanged', async () => {
    scene.answers = { a: mirrors }
    const body = '{ "model": "m",\n "n": 1.0, "n": 2 }'
    const response = await ask(scene.leaf('a'), 'things', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    expect(await response.text()).to.equal(body)
  })

  it('forwards compressed bodies unchanged', async () => {
    scene.answers = { a: (_request, response) => sendJson(response, 200, {}) }
    const body = gzipSync('{"a":1}')
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    await ask(scene.leaf('a'), 'things', { method: 'POST', headers, body })
    expect(scene.seen('a').bytes).to.deep.equal(body)
    expect(scene.seen('a').headers).to.include(headers)
  })

  it('adds the credential, and forwards only allowed headers', async () => {
    scene.answers = { a: mirrors }
    await ask(scene.leaf('a', { forward_headers: ['x-mine'] }), 'things', {
      headers: {
        accept: 'audio/*',
        authorization: 'Bearer caller',
        cookie: 'a=b',
        'x-mine': '1',
        'x-other': '2',
        'x-forwarded-for': '1.2.3.4',
      },
    })
    const { headers } = scene.seen('a')
    expect(headers).to.include({ accept: 'audio/*', authorization: 'Bearer sk-test', 'x-mine': '1' })
    expect(headers).not.to.have.any.keys(
      'cookie',
      'x-other',
      'x-forwarded-for',
      'user-agent',
      'x-gateway-api-key',
    )
  })

  const named: [how: string, config: unknown, asked: Asked][] = [
    ['a config', { provider: '@stored' }, {}],
    ['x-gateway-provider', null, { headers: { 'x-gateway-provider': '@stored' } }],
    ['x-gateway-virtual-key', null, { headers: { 'x-gateway-virtual-key': 'stored' } }],
    [
      'the model of a JSON body',
      null,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"model":"@stored/m"}',
      },
    ],
  ]
  for (const [how, config, asked] of named) {
    it(`takes its provider from ${how}`, async () => {
      const response = await ask(config, 'assistants', asked)
      expect(response.status).to.equal(200)
      const seen = scene.seen('s')
      expect(seen.path).to.equal('/s/v1/assistants')
      expect(seen.headers.authorization).to.equal('Bearer sk-stored-secret')
      if (asked.body !== undefined) expect(seen.json).to.deep.equal({ model: 'm' })
    })
  }

  it("applies any provider's authentication", async () => {
    await ask({ provider: 'anthropic', api_key: 'k', custom_host: scene.hostOf('a') }, 'messages/batches')
    expect(scene.seen('a').headers).to.include({ 'x-api-key': 'k' }).and.to.have.property('anthropic-version')
  })

  it('signs requests for providers that require it', async () => {
    const keys = {
      cloudA_access_key_id: 'AKID',
      cloudA_secret_access_key: 'secret',
      cloudA_region: 'us-east-1',
    }
    const config = { provider: 'bedrock', ...keys, custom_host: `${scene.upstream.origin}/a` }
    await ask(config, 'model/m%3A1/invoke', { method: 'POST', body: sound })
    expect(scene.seen('a').path).to.equal('/a/model/m%3A1/invoke')
    expect(scene.seen('a').headers.authorization).to.match(/^AWS4-HMAC-SHA256 Credential=AKID\//)
    expect(scene.seen('a').bytes).to.deep.equal(sound)
  })

  it('streams the answer as it arrives', async () => {
    let upstream: ServerResponse | undefined
    scene.answers = {
      a(_request, response) {
        upstream = response
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write('data: 1')
      },
    }
    const response = await ask(scene.leaf('a'), 'things')
    expect(response.headers.get('content-type')).to.equal('text/event-stream')
    const reader = response.body?.getReader()
    expect(String(Buffer.from((await reader?.read())?.value ?? []))).to.equal('data: 1')
    upstream?.end('\n\ndata: 2')
    expect(String(Buffer.from((await reader?.read())?.value ?? []))).to.equal('\n\ndata: 2')
    expect((await reader?.read())?.done).to.equal(true)
  })

  it('breaks off the answer when the provider does', async () => {
    scene.answers = {
      a(_request, response) {
        response.writeHead(200, { 'content-type': 'text/plain', 'content-length': 100 })
        response.write('half', () => response.destroy())
      },
    }
    const logged = scene.gateway.logs.length
    const response = await ask(scene.leaf('a'), 'things')
    expect(await response.text().catch((error: Error) => error)).to.be.instanceOf(Error)
    const line = await until('the line of the request', () =>
      scene.gateway.logs.slice(logged).find(({ path }) => path),
    )
    expect(line).to.include({ endpoint: 'proxy', stream_error: 'upstream_invalid_response' })
  })

  const usages: [what: string, handler: Handler, type: string][] = [
    [
      'JSON',
      (_request, response) => sendJson(response, 200, { usage: { input_tokens: 3, output_tokens: 2 } }),
      'application/json',
    ],
    [
      'a stream of events',
      (_request, response) =>
        sendEvents(response, [
          'data: {"usage":{"prompt_tokens":3,"completion_to',
          'kens":2}}\n\n',
          'data: [DONE]\n\n',
        ]),
      'text/event-stream',
    ],
  ]
  for (const [what, handler, type] of usages) {
    it(`counts the tokens of ${what}`, async () => {
      scene.answers = { a: handler }
      const logged = scene.gateway.logs.length
      const response = await ask(scene.leaf('a'), 'chat/completions', { method: 'POST' })
      expect(response.headers.get('content-type')).to.equal(type)
      const line = await until('the line of the request', () =>
        scene.gateway.logs.slice(logged).find(({ path }) => path),
      )
      expect(line).to.include({ endpoint: 'proxy', status: 200, prompt_tokens: 3, completion_tokens: 2 })
    })
  }

  for (const status of [201, 204, 304]) {
    it(`returns the status ${status}`, async () => {
      scene.answers = {
        a(_request, response) {
          response.writeHead(status, { 'x-vendor': 'v' })
          response.end()
        },
      }
      const response = await ask(scene.leaf('a'), 'things')
      expect([response.status, response.headers.get('x-vendor'), await response.text()]).to.deep.equal([
        status,
        'v',
        '',
      ])
    })
  }

  it('does not follow redirects', async () => {
    scene.answers = {
      a(_request, response) {
        response.writeHead(302, { location: `${scene.upstream.origin}/b/v1/x` })
        response.end()
      },
    }
    const response = await ask(scene.leaf('a'), 'things')
    expect(response.status).to.equal(502)
    expect((await errorOf(response)).code).to.equal('upstream_invalid_response')
    expect(scene.calls()).to.deep.equal(['a'])
  })

  it('returns its errors in the OpenAI-compatible format, without credentials or hosts', async () => {
    const { host } = new URL(scene.upstream.origin)
    scene.answers = {
      s: (_request, response) =>
        sendJson(response, 422, { error: { message: `sk-stored-secret at ${host} is wrong`, code: 'odd' } }),
    }
    const response = await ask({ provider: '@stored' }, 'things')
    expect(response.status).to.equal(422)
    const error = await errorOf(response)
    expect(error.code).to.equal('odd')
    expect(error.message).to.equal('*** at [upstream] is wrong')
  })

  it('drops response headers that are not for the caller', async () => {
    scene.answers = {
      a(_request, response) {
        response.writeHead(200, {
          'set-cookie': 'a=b',
          'x-gateway-provider': 'x',
          'x-powered-by': 'y',
          etag: '"z"',
        })
        response.end('x')
      },
    }
    const { headers } = await ask(scene.leaf('a'), 'things')
    expect(headers.get('set-cookie')).to.equal(null)
    expect(headers.get('x-powered-by')).to.equal(null)
    expect(headers.get('x-gateway-provider')).to.equal('openai')
    expect(headers.get('etag')).to.equal('"z"')
  })

  it('falls back and retries with the same bytes', async () => {
    scene.answers = { a: 500, b: [503, mirrors] }
    const config = tree('fallback', [scene.leaf('a'), scene.leaf('b', { retry: { attempts: 1 } })])
    const response = await ask(config, 'things', { method: 'PUT', body: sound })
    expect(Buffer.from(await response.arrayBuffer())).to.deep.equal(sound)
    expect(scene.calls()).to.deep.equal(['a', 'b', 'b'])
    expect(response.headers.get('x-gateway-last-used-option-index')).to.equal('config.targets[1]')
  })

  it('is routed by the members of a JSON body, and applies override_params', async () => {
    scene.answers = { a: mirrors, b: mirrors }
    const config = tree(
      'conditional',
      [
        scene.leaf('a', { name: 'a' }),
        scene.leaf('b', { name: 'b', override_params: { model: 'other', drop: null } }),
      ],
      { conditions: [{ query: { 'params.tier': 'paid' }, then: 'b' }], default: 'a' },
    )
    const asked = { method: 'POST', headers: { 'content-type': 'application/json' } }
    await ask(config, 'x', { ...asked, body: '{"tier":"paid","model":"m","drop":1}' })
    expect(scene.seen('b').json).to.deep.equal({ tier: 'paid', model: 'other' })
    await ask(config, 'x', { ...asked, body: 'not JSON' })
    expect(scene.seen('a').text).to.equal('not JSON')
  })

  it('is never cached', async () => {
    const config = scene.leaf('a', { cache: { mode: 'simple' } })
    await ask(config, 'things')
    const response = await ask(config, 'things')
    expect(response.headers.get('x-gateway-cache-status')).to.equal('DISABLED')
    expect(scene.calls()).to.deep.equal(['a', 'a'])
  })

  it('refuses bodies above the size limit', async () => {
    expect((await ask(scene.leaf('a'), 'x', { method: 'POST', body: Buffer.alloc(20_000) })).status).to.equal(
      200,
    )
    const response = await ask(scene.leaf('a'), 'x', { method: 'POST', body: Buffer.alloc(20_001) })
    expect(response.status).to.equal(413)
    expect((await errorOf(response)).code).to.equal('body_too_large')
  })

  it('is refused for a provider without a base URL', async () => {
    const response = await ask({ provider: 'echo' }, 'x')
    expect(response.status).to.equal(400)
    expect((await errorOf(response)).code).to.equal('unsupported_endpoint')
  })

  const withoutProvider: [headers: Record<string, string>, status: number, code: string][] = [
    [{}, 400, 'no_provider'],
    [{ 'x-gateway-provider': 'nobody' }, 400, 'unknown_provider'],
    [{ 'x-gateway-virtual-key': 'nobody' }, 404, 'unknown_virtual_key'],
    [
      { 'x-gateway-provider': 'openai', 'x-gateway-custom-host': 'http://169.254.169.254/' },
      400,
      'host_not_allowed',
    ],
  ]
  for (const [headers, status, code] of withoutProvider) {
    it(`is refused with ${JSON.stringify(headers)}: ${code}`, async () => {
      const response = await ask(null, 'x', { headers })
      expect(response.status).to.equal(status)
      expect((await errorOf(response)).code).to.equal(code)
    })
  }

  it('requires a key with its scope', async () => {
    const response = await fetch(`${scene.gateway.url}/v1/proxy/x`)
    expect(response.status).to.equal(401)
  })
})
