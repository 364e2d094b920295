/** The response headers: the gateway's own, and forwarded ones of the upstream. */
import { expect } from 'chai'
import { type Answering, type AskOptions, answerWith, hangUp, openScene, tree } from '../../support/scene.ts'
import { chatAnswer } from '../../support/upstream.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

describe('the response headers', () => {
  const scene = openScene(() => ({
    server: { header_prefixes: ['x-gateway-', 'x-acme-'] },
    providers: { house: { provider: 'echo' }, secret: { provider: 'openai', api_key: 'sk-secret' } },
  }))
  const own = (headers: Headers, prefix = 'x-gateway-') =>
    Object.fromEntries(
      ['provider', 'last-used-option-index', 'retry-attempt-count', 'cache-status'].map((name) => [
        name,
        headers.get(prefix + name),
      ]),
    )

  it('contain the provider, the target, the number of retries and the cache status', async () => {
    const { headers } = await scene.ask(tree('single', [scene.leaf('a')]))
    expect(own(headers)).to.deep.equal({
      provider: 'openai',
      'last-used-option-index': 'config.targets[0]',
      'retry-attempt-count': '0',
      'cache-status': 'DISABLED',
    })
  })

  it('name the provider of a stored credential, not its slug', async () => {
    const { headers } = await scene.ask({ provider: '@house' })
    expect(headers.get('x-gateway-provider')).to.equal('echo')
  })

  describe('are on an error', () => {
    const chosen: Record<string, { config: () => unknown; answer?: Answering; options?: AskOptions }> = {
      'of the upstream': { config: () => scene.leaf('a'), answer: 429 },
      'of the connection': { config: () => scene.leaf('a'), answer: hangUp },
      'of an endpoint that the provider lacks': {
        config: () => scene.leaf('a', { provider: 'anthropic' }),
        options: { path: '/v1/embeddings', body: { model: 'e', input: 'x' } },
      },
      'of a body that override_params made wrong': {
        config: () => scene.leaf('a', { override_params: { temperature: 9 } }),
      },
      'of a host that is not allowed': {
        config: () => ({ provider: '@secret' }),
        options: { headers: { 'x-gateway-custom-host': 'http://127.0.0.1:1/v1' } },
      },
      'of a guardrail that denied the answer': {
        config: () =>
          scene.leaf('a', {
            output_guardrails: [{ id: 'g', deny: true, 'default.contains': { words: ['zzz'] } }],
          }),
      },
      'of a guardrail that denied the request': {
        config: () =>
          scene.leaf('a', {
            input_guardrails: [{ id: 'g', deny: true, 'default.contains': { words: ['zzz'] } }],
          }),
      },
    }
    for (const [what, { config, answer = 200, options }] of Object.entries(chosen)) {
      it(what, async () => {
        scene.answers = { a: answer }
        const reply = await scene.ask(config(), options)
        expect(reply.status).to.be.greaterThan(399)
        const provider = reply.error.code === 'unsupported_endpoint' ? 'anthropic' : 'openai'
        expect(own(reply.headers)).to.deep.equal({
          provider,
          'last-used-option-index': 'config',
          'retry-attempt-count': '0',
          'cache-status': 'DISABLED',
        })
      })
    }

    it('unless no target was chosen yet', async () => {
      const { status, headers } = await scene.ask({})
      expect(status).to.equal(400)
      expect(Object.values(own(headers))).to.deep.equal([null, null, null, null])
    })
  })

  describe('contain the trace id', () => {
    const traceId = async (headers: Record<string, string>, config: unknown = { provider: 'echo' }) =>
      (await scene.ask(config, { headers })).headers.get('x-gateway-trace-id')

    it("from the request's trace header", async () => {
      expect(await traceId({ 'x-gateway-trace-id': ' my-trace ' })).to.equal('my-trace')
    })
    it('from traceparent', async () => {
      const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
      expect(await traceId({ traceparent })).to.equal('4bf92f3577b34da6a3ce929d0e0e4736')
    })
    const malformed = [
      'ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
      '00-00000000000000000000000000000000-00f067aa0ba902b7-01',
      '00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01',
      '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more',
      '01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01more',
      '00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01',
    ]
    for (const traceparent of malformed) {
      it(`generated when traceparent is malformed: ${traceparent}`, async () => {
        expect(await traceId({ traceparent })).to.match(uuid)
      })
    }
    it('from a traceparent of a later version, which can be longer', async () => {
      const traceparent = '01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more'
      expect(await traceId({ traceparent })).to.equal('4bf92f3577b34da6a3ce929d0e0e4736')
    })
    it("from the gateway's header when both are sent", async () => {
      const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
      expect(await traceId({ traceparent, 'x-gateway-trace-id': 'mine' })).to.equal('mine')
    })
    it('generated per request when none is sent', async () => {
      const [first, second] = [await traceId({}), await traceId({})]
      expect(first).to.match(uuid).and.not.equal(second)
    })
    it('on errors, too', async () => {
      expect(await traceId({ 'x-gateway-trace-id': 'mine' }, {})).to.equal('mine')
      const response = await fetch(`${scene.gateway.url}/v1/chat/completions`, { method: 'POST' })
      expect(response.status).to.equal(401)
      expect(response.headers.get('x-gateway-trace-id')).to.match(uuid)
    })
  })

  it('use the prefix that the request used', async () => {
    const response = await fetch(`${scene.gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'X-Acme-Api-Key': 'test-admin-key-0123456789',
        'x-acme-provider': 'echo',
        'x-acme-trace-id': 'mine',
      },
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x' }] }),
    })
    expect(response.status).to.equal(200)
    expect(own(response.headers, 'x-acme-').provider).to.equal('echo')
    expect(response.headers.get('x-acme-trace-id')).to.equal('mine')
    expect([...response.headers.keys()].filter((name) => name.startsWith('x-gateway-'))).to.deep.equal([])
  })

  describe('contain the id of the call', () => {
    it('which is the id of its log entry, different for each call', async () => {
      const { runtime } = scene.gateway
      const ask = () => scene.ask(scene.leaf('a'), { headers: { 'x-gateway-trace-id': 'same' } })
      const ids = [await ask(), await ask()].map(({ headers }) => headers.get('x-request-id'))
      await runtime.logs.flush()
      const entries = await runtime.store.log.list({ fields: { trace_id: ['same'] } }, { limit: 2 })
      expect(entries.map(({ id }) => id)).to.have.members(ids)
      expect(ids[0]).not.to.equal(ids[1])
    })

    for (const name of ['x-request-id', 'request-id', 'apim-request-id']) {
      it(`and the provider's own id next to it, sent as ${name}`, async () => {
        scene.answers = { a: answerWith(200, { [name]: 'theirs' }) }
        const { headers } = await scene.ask(scene.leaf('a'))
        expect(headers.get('x-gateway-provider-request-id')).to.equal('theirs')
        expect(headers.get('x-request-id')).to.match(uuid)
      })
    }

    it('even when the gateway refuses the request', async () => {
      const { headers } = await scene.ask({})
      expect(headers.get('x-request-id')).to.match(uuid)
      expect(headers.get('x-gateway-provider-request-id')).to.equal(null)
    })
  })

  it('are those of the upstream without the hop-by-hop ones', async () => {
    const passing = {
      'x-model-region': 'r1',
      'openai-processing-ms': '12',
      'x-ratelimit-limit-requests': '9',
    }
    const ending = {
      'set-cookie': 'a=b',
      'proxy-authenticate': 'Basic',
      trailer: 'x-end',
      upgrade: 'h2c',
      'x-powered-by': 'them',
      'x-gateway-provider': 'forged',
      'x-acme-provider': 'forged',
      connection: 'x-hop',
      'x-hop': 'one',
    }
    scene.answers = { a: answerWith(200, { ...passing, ...ending }) }
    const { headers } = await scene.ask(scene.leaf('a'))
    expect(Object.fromEntries(headers)).to.include(passing)
    for (const name of ['set-cookie', 'proxy-authenticate', 'trailer', 'upgrade', 'x-powered-by', 'x-hop']) {
      expect(headers.get(name), name).to.equal(null)
    }
    expect(headers.get('x-gateway-provider')).to.equal('openai')
    expect(headers.get('x-acme-provider')).to.equal(null)
  })

  it('contain the length and encoding of the body that is sent, not of the body that was received', async () => {
    const { gzipSync } = await import('node:zlib')
    const bytes = gzipSync(JSON.stringify(chatAnswer('zipped')))
    scene.answers = {
      a: (_request, response) => {
        response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': bytes.length })
        response.end(bytes)
      },
    }
    const reply = await scene.ask(scene.leaf('a'))
    expect(reply.body).to.deep.equal(chatAnswer('zipped'))
    expect(reply.headers.get('content-encoding')).to.equal(null)
    expect(reply.headers.get('content-length')).to.equal(String(Buffer.byteLength(reply.text)))
  })
})
