/**
 * The response headers that are returned: no cookies of the provider, no connection headers, no forged gateway headers.
 */
import { expect } from 'chai'
import { adminKey, chat, configHeader } from '../../support/gateway.ts'
import { openScene } from '../../support/scene.ts'
import { chatAnswer, chatEvents, type Handler, sendEvents, sendJson } from '../../support/upstream.ts'

const bad: Record<string, string | string[]> = {
  'set-cookie': ['session=1', 'b=2'],
  connection: 'x-per-connection',
  'x-per-connection': '1',
  'proxy-authenticate': 'Basic',
  trailer: 'x-checksum',
  upgrade: 'h2c',
  'x-powered-by': 'Express',
  'access-control-allow-origin': '*',
  'access-control-allow-credentials': 'true',
  'access-control-expose-headers': '*',
  'strict-transport-security': 'max-age=1',
  'clear-site-data': '"*"',
  'www-authenticate': 'Basic realm="x"',
  refresh: '0;url=https://example.com',
  'service-worker-allowed': '/',
  'x-gateway-provider': 'spoofed',
  'x-gateway-anything': 'spoofed',
  'x-acme-provider': 'spoofed',
}

describe('the response headers', () => {
  const scene = openScene(() => ({ server: { header_prefixes: ['x-acme-'] } }))

  const kinds: [name: string, answer: Handler, body: Record<string, unknown>, status: number][] = [
    ['an answer', (_, response) => sendJson(response, 200, chatAnswer('ok')), chat(), 200],
    ['a stream', (_, response) => sendEvents(response, chatEvents('ok')), chat('x', { stream: true }), 200],
    ['an error', (_, response) => sendJson(response, 418, { error: { message: 'no' } }), chat(), 418],
  ]
  for (const [name, answer, body, status] of kinds) {
    it(`do not contain connection or gateway headers of the provider: on ${name}`, async () => {
      scene.answers.a = (request, response, count) => {
        for (const [header, value] of Object.entries(bad)) response.setHeader(header, value)
        response.setHeader('x-ratelimit-remaining-requests', '7')
        return answer(request, response, count)
      }
      const reply = await scene.ask(scene.leaf('a'), { body })
      expect(reply.status).to.equal(status)
      const names = [...reply.headers.keys()]
      const own = ['connection', 'x-gateway-provider']
      expect(names.filter((header) => header in bad && !own.includes(header))).to.deep.equal([])
      expect(reply.headers.get('connection')).to.equal('keep-alive')
      expect(reply.headers.get('x-gateway-provider')).to.equal('openai')
      expect(reply.headers.get('x-ratelimit-remaining-requests')).to.equal('7')
    })
  }

  it('of a proxied answer prevent content sniffing and scripts', async () => {
    const page: Handler = (_, response) => {
      for (const [header, value] of Object.entries(bad)) response.setHeader(header, value)
      response.setHeader('content-security-policy', "default-src 'unsafe-inline'")
      response.setHeader('content-type', 'text/html')
      response.end('<script>alert(1)</script>')
    }
    const says =
      (status: number): Handler =>
      (_, response) =>
        sendJson(response, status, { error: { message: 'no' } })
    for (const answer of [page, says(200), says(404)]) {
      scene.answers.a = answer
      const response = await fetch(`${scene.gateway.url}/v1/proxy/page`, {
        headers: { 'x-gateway-api-key': adminKey, ...configHeader(scene.leaf('a')) },
      })
      await response.text()
      expect(Object.fromEntries(response.headers)).to.include({
        'x-content-type-options': 'nosniff',
        'content-security-policy': 'sandbox',
      })
      expect(response.headers.has('access-control-allow-origin')).to.equal(false)
    }
  })

  it('of audio prevent them as well, with any content type of the provider', async () => {
    scene.answers.a = (_, response) => {
      response.setHeader('content-type', 'text/html')
      response.end('<script>alert(1)</script>')
    }
    const body = { model: 'm', input: 'x', voice: 'alloy' }
    const reply = await scene.ask(scene.leaf('a'), { body, path: '/v1/audio/speech' })
    expect(reply.headers.get('content-security-policy')).to.equal('sandbox')
    expect(reply.headers.get('x-content-type-options')).to.equal('nosniff')
  })

  it('never name the server software', async () => {
    const { gateway } = scene
    const replies = await Promise.all([
      gateway.get('/healthz'),
      gateway.get('/metrics'),
      gateway.get('/v1/models'),
      gateway.get('/nothing'),
      gateway.get('/v1/chat/completions'),
      fetch(gateway.url),
      gateway.post('/v1/chat/completions', chat(), configHeader({ provider: 'echo' })),
      gateway.post('/v1/chat/completions', '{'),
    ])
    for (const reply of replies) {
      await reply.text()
      expect(reply.headers.has('x-powered-by')).to.equal(false)
      expect(reply.headers.has('server')).to.equal(false)
    }
  })

  it('contain no cookie on a cached answer, either', async () => {
    scene.answers.a = (_request, response) =>
      sendJson(
        response,
        { status: 200, headers: { 'set-cookie': 'session=1', 'x-kept': '1' } },
        chatAnswer('ok'),
      )
    const config = scene.leaf('a', { cache: { mode: 'simple' } })
    await scene.ask(config)
    const hit = await scene.ask(config)
    expect(hit.headers.get('x-gateway-cache-status')).to.equal('HIT')
    expect(hit.headers.has('set-cookie')).to.equal(false)
    expect(hit.headers.get('x-kept')).to.equal('1')
  })

  it('drop values that HTTP does not allow, and keep the answer', async () => {
    scene.answers.a = (_request, response) =>
      sendJson(
        response,
        { status: 200, headers: { 'x-note': Buffer.from('naïve 日本').toString('latin1') } },
        chatAnswer('ok'),
      )
    expect((await scene.ask(scene.leaf('a'))).status).to.equal(200)
  })
})
