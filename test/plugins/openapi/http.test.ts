/**
 * The OpenAPI document and the API reference over HTTP: public, complete, and consistent with the gateway's answers.
 */
import { expect } from 'chai'
import { chat, startGateway, type TestGateway } from '../../support/gateway.ts'
import { createAnswerChecker, objectOf } from '../../support/openapi.ts'
import { faultsOfDocument } from '../../support/openapi-faults.ts'

type Described = Record<string, unknown>

describe('the OpenAPI document over HTTP', () => {
  let gateway: TestGateway
  let document: Described
  before(async () => {
    gateway = await startGateway({ providers: { echo: { provider: 'echo' } } })
    const response = await fetch(`${gateway.url}/v1/openapi.json`)
    document = objectOf(await response.json())
  })
  after(() => gateway.stop())

  it('is served without a key, at both of its paths', async () => {
    for (const path of ['/v1/openapi.json', '/openapi.json']) {
      const response = await fetch(gateway.url + path)
      expect(response.status).to.equal(200)
      expect(response.headers.get('content-type')).to.match(/^application\/json/)
      expect(objectOf(await response.json())).to.deep.equal(document)
    }
  })

  it('is valid', () => {
    expect(faultsOfDocument(document)).to.deep.equal([])
  })

  it('answers 304 to a client that has it', async () => {
    const first = await fetch(`${gateway.url}/v1/openapi.json`)
    const etag = first.headers.get('etag') ?? ''
    const again = await fetch(`${gateway.url}/v1/openapi.json`, { headers: { 'if-none-match': etag } })
    expect(again.status).to.equal(304)
    expect(await again.text()).to.equal('')
  })

  it('lists for each path the methods that are served there', async () => {
    const wrong: string[] = []
    for (const [template, item] of Object.entries(objectOf(document.paths))) {
      if (['/healthz', '/readyz', '/metrics'].includes(template)) continue
      const path = template.replace(/\{[^}]+\}/g, 'x')
      const response = await fetch(gateway.url + path, {
        method: 'PROPFIND',
        headers: { 'x-gateway-api-key': 'test-admin-key-0123456789' },
      })
      const served = (response.headers.get('allow') ?? '').split(', ')
      const missing = Object.keys(objectOf(item)).filter((method) => !served.includes(method.toUpperCase()))
      if (response.status !== 405 || missing.length > 0)
        wrong.push(`${template} ${response.status} ${missing}`)
    }
    expect(wrong).to.deep.equal([])
  })

  const echo = { model: '@echo/echo-1' }
  const requests: [number, string, string, Described?][] = [
    [200, 'POST', '/v1/chat/completions', { ...chat(), ...echo }],
    [200, 'POST', '/v1/chat/completions', { ...chat(), ...echo, stream: true }],
    [400, 'POST', '/v1/chat/completions', { messages: 1 }],
    [200, 'POST', '/v1/completions', { ...echo, prompt: 'hello' }],
    [200, 'POST', '/v1/embeddings', { ...echo, input: 'hello' }],
    [200, 'POST', '/v1/images/generations', { ...echo, prompt: 'hello' }],
    [200, 'POST', '/v1/rerank', { ...echo, query: 'a', documents: ['a', 'b'] }],
    [200, 'POST', '/v1/audio/speech', { ...echo, input: 'hello', voice: 'one' }],
    [200, 'POST', '/v1/moderations', { ...echo, input: 'hello' }],
    [200, 'POST', '/v1/messages', { ...chat(), ...echo, max_tokens: 9 }],
    [200, 'POST', '/v1/messages/count_tokens', { ...chat(), ...echo }],
    [200, 'POST', '/v1/responses', { ...echo, input: 'hello' }],
    [404, 'GET', '/v1/responses/resp_none'],
    [200, 'GET', '/v1/models'],
    [200, 'GET', '/models?limit=1'],
    [400, 'GET', '/v1/models?limit=none'],
    [200, 'GET', '/v1/models/@echo/echo-1'],
    [200, 'GET', '/healthz'],
    [200, 'GET', '/readyz'],
    [200, 'GET', '/metrics'],
    [200, 'GET', '/v1/openapi.json'],
    [200, 'GET', '/docs/reference'],
    [404, 'GET', '/docs/none.html'],
    [404, 'GET', '/docs/assets/none.js'],
  ]
  for (const [status, method, path, body] of requests) {
    it(`describes ${method} ${path} with ${status}${body?.stream === true ? ' as a stream' : ''} correctly`, async () => {
      const response = await fetch(gateway.url + path, {
        method,
        headers: { 'x-gateway-api-key': 'test-admin-key-0123456789', 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      expect(response.status).to.equal(status)
      createAnswerChecker(document).check({
        method,
        path,
        status,
        contentType: response.headers.get('content-type'),
        text: await response.text(),
      })
    })
  }
})

describe('the comparison of answers with the document', () => {
  const answer = {
    method: 'GET',
    path: '/v1/things/1?x=y',
    status: 200,
    contentType: 'application/json; charset=utf-8',
    text: '{"id":"1"}',
  }
  const thing = { type: 'object', required: ['id'], properties: { id: { type: 'string' } } }
  const good = { description: '', content: { 'application/json': { schema: thing } } }
  const checker = createAnswerChecker({
    paths: {
      '/v1/things/{id}': {
        get: { operationId: 'thingRead', responses: { '200': { $ref: '#/components/responses/Good' } } },
      },
    },
    components: { responses: { Good: good } },
  })

  it('accepts an answer that matches', () => {
    expect(() => checker.check(answer)).not.to.throw()
  })

  const wrong: [string, Partial<typeof answer>, RegExp][] = [
    ['another path', { path: '/v1/others/1' }, /in no document/],
    ['another status', { status: 201 }, /answered 201/],
    ['another content type', { contentType: 'text/html' }, /text\/html/],
    ['another shape', { text: '{"id":1}' }, /\/id must be string/],
  ]
  for (const [what, more, message] of wrong) {
    it(`refuses ${what}`, () => {
      expect(() => checker.check({ ...answer, ...more })).to.throw(message)
    })
  }
})

describe('the API reference at /docs/reference', () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await startGateway()
  })
  after(() => gateway.stop())

  const get = async () => {
    const response = await fetch(`${gateway.url}/docs/reference`)
    return { response, page: await response.text() }
  }

  it('is served as HTML without a key, with a security policy that requires the nonce', async () => {
    const { response, page } = await get()
    expect(response.status).to.equal(200)
    expect(response.headers.get('content-type')).to.match(/^text\/html/)
    const policy = response.headers.get('content-security-policy') ?? ''
    const nonce = /script-src 'nonce-([^']+)'/.exec(policy)?.[1]
    expect(policy).to.equal(
      `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    )
    expect(page).not.to.match(/<script(?![^>]* src=)|<style|\sstyle=|\son\w+=|https?:\/\//)
    for (const [tag] of page.matchAll(/<(?:script|link rel="stylesheet")[^>]*>/g))
      expect(tag).to.include(`nonce="${nonce}"`)
  })

  it('contains a new nonce in every answer', async () => {
    const pages = await Promise.all([get(), get()])
    expect(pages[0]?.page).not.to.equal(pages[1]?.page)
  })

  it('loads its files from this gateway, compressed and cacheable', async () => {
    const { page } = await get()
    const files = [...page.matchAll(/"(\/docs\/assets\/[^"]+)"/g)].map(([, path]) => path)
    expect(files).to.have.length(4)
    for (const path of files) {
      const response = await fetch(gateway.url + path, { headers: { 'accept-encoding': 'br' } })
      expect(response.status).to.equal(200)
      expect(response.headers.get('content-encoding')).to.equal('br')
      expect(response.headers.get('cache-control')).to.include('immutable')
      expect((await response.text()).length).to.be.greaterThan(100)
    }
    expect((await fetch(`${gateway.url}/docs/assets/no-such-file.js`)).status).to.equal(404)
  })
})

describe('the page at /', () => {
  let gateway: TestGateway

  before(async () => {
    gateway = await startGateway()
  })
  after(() => gateway.stop())

  const get = (headers: Record<string, string>) => fetch(`${gateway.url}/`, { headers })

  it('links the API reference for a browser, without a key and with a strict policy', async () => {
    const answer = await get({ accept: 'text/html,application/xhtml+xml' })
    expect(answer.status).to.equal(200)
    expect(answer.headers.get('content-security-policy')).to.include("default-src 'none'")
    expect(await answer.text()).to.include('href="/docs"')
  })

  it('answers programs with the same links as JSON, without a key', async () => {
    for (const headers of [
      { accept: 'application/json' },
      { accept: '*/*' },
      { authorization: 'Bearer none' },
    ]) {
      const answer = await get({ ...headers })
      expect(answer.status).to.equal(200)
      expect(answer.headers.get('vary')).to.include('accept')
      expect(objectOf(await answer.json())).to.have.nested.property('links.docs', '/docs')
    }
  })
})

describe('HEAD on public routes', () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await startGateway({ providers: { echo: { provider: 'echo' } } })
  })
  after(() => gateway.stop())

  const paths = [
    '/',
    '/docs',
    '/v1/openapi.json',
    '/openapi.json',
    '/console',
    '/console/logs',
    '/healthz',
    '/readyz',
    '/metrics',
    '/.well-known/jwks.json',
    '/.well-known/oauth-authorization-server',
    '/v1/auth/methods',
    '/docs/assets/none.js',
  ]
  for (const path of paths) {
    it(`answers HEAD ${path} like GET without a body`, async () => {
      const [head, get] = await Promise.all(
        ['HEAD', 'GET'].map((method) => fetch(gateway.url + path, { method, redirect: 'manual' })),
      )
      expect(await head?.text()).to.equal('')
      expect(head?.status).to.equal(get?.status)
      for (const name of ['content-type', 'cache-control', 'etag', 'vary'])
        expect(head?.headers.get(name), name).to.equal(get?.headers.get(name))
    })
  }
})
