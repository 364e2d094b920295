/** Requirements for a request before its body is read: a known route, its method, JSON. */
import { deflateSync, gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { adminKey, chat, startGateway, type TestGateway } from '../../support/gateway.ts'
import { askRaw, type RawRequest } from '../../support/raw-request.ts'

const path = '/v1/chat/completions'
const body = JSON.stringify(chat('hello'))
const json = { 'content-type': 'application/json' }

describe('a request', () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await startGateway({ providers: { e: { provider: 'echo' } } })
  })
  after(() => gateway.stop())

  const ask = async (request: RawRequest) => {
    const headers = { 'x-gateway-api-key': adminKey, 'x-gateway-provider': '@e', ...request.headers }
    const reply = await askRaw(gateway.url, { method: 'POST', path, ...request, headers })
    const parsed = reply.text === '' ? {} : JSON.parse(reply.text)
    return { ...reply, parsed, error: parsed.error ?? {} }
  }

  describe('is answered', () => {
    const accepted: [name: string, request: RawRequest][] = [
      ['as JSON', { headers: json, body }],
      ['as JSON in capitals', { headers: { 'content-type': 'Application/JSON' }, body }],
      ['with a charset', { headers: { 'content-type': 'application/json; charset=UTF-8' }, body }],
      ['as another JSON type', { headers: { 'content-type': 'application/acme.v1+json' }, body }],
      ['packed with gzip', { headers: { ...json, 'content-encoding': 'gzip' }, body: gzipSync(body) }],
      [
        'packed with deflate',
        { headers: { ...json, 'content-encoding': 'deflate' }, body: deflateSync(body) },
      ],
      ['in chunks', { headers: { ...json, 'transfer-encoding': 'chunked' }, body }],
      ['with space around', { headers: json, body: ` \n\t${body}\n` }],
      ['with one trailing slash', { headers: json, body, path: `${path}/` }],
      ['with an empty query', { headers: json, body, path: `${path}?a=b&c` }],
    ]
    for (const [name, request] of accepted) {
      it(name, async () => {
        const { status, headers, parsed } = await ask(request)
        expect(status).to.equal(200)
        expect(headers['content-type']).to.contain('application/json')
        expect(parsed).to.have.nested.property('choices[0].message.content', 'hello')
      })
    }
  })

  type Refused = [name: string, request: RawRequest, status: number, code: string, param: string | null]

  const refused: Refused[] = [
    ['without a body', { headers: json }, 400, 'invalid_json', '/'],
    [
      'with an empty body',
      { headers: { ...json, 'content-length': '0' }, body: '' },
      400,
      'invalid_json',
      '/',
    ],
    ['with blanks', { headers: json, body: '  \n' }, 400, 'invalid_json', '/'],
    ['with half a body', { headers: json, body: body.slice(0, -3) }, 400, 'invalid_json', '/'],
    ['with a comma too many', { headers: json, body: body.replace('}', ',}') }, 400, 'invalid_json', '/'],
    ['with two bodies', { headers: json, body: body + body }, 400, 'invalid_json', '/'],
    ['with a form', { headers: json, body: 'model=m&messages=x' }, 400, 'invalid_json', '/'],
    [
      'with a name that poisons objects',
      { headers: json, body: `{"__proto__":{"a":1},${body.slice(1)}` },
      400,
      'invalid_json',
      '/',
    ],
    ...['[]', '1', '"text"', 'null', 'true', '[{"model":"m"}]'].map(
      (text): Refused => [`with ${text}`, { headers: json, body: text }, 400, 'invalid_body', '/'],
    ),
    ['without a type', { body }, 415, 'unsupported_media_type', 'header/content-type'],
    ...[
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonp',
    ].map(
      (type): Refused => [
        `of the type ${type}`,
        { headers: { 'content-type': type }, body },
        415,
        'unsupported_media_type',
        'header/content-type',
      ],
    ),
    [
      'packed in a way that is not known',
      { headers: { ...json, 'content-encoding': 'zip' }, body },
      415,
      'unsupported_media_type',
      null,
    ],
    ['packed badly', { headers: { ...json, 'content-encoding': 'gzip' }, body }, 400, 'invalid_json', '/'],
    [
      'packed and cut off',
      { headers: { ...json, 'content-encoding': 'gzip' }, body: gzipSync(body).subarray(0, 40) },
      400,
      'invalid_json',
      '/',
    ],
  ]
  describe('is refused', () => {
    for (const [name, request, status, code, param] of refused) {
      it(`${name}: ${status} ${code}`, async () => {
        const reply = await ask(request)
        expect(reply.status).to.equal(status)
        expect(reply.headers['content-type']).to.contain('application/json')
        expect(reply.error).to.include({ type: 'invalid_request_error', code, param })
      })
    }
  })

  describe('with a method that the route does not have', () => {
    const routes: [path: string, wrong: string[], allowed: string][] = [
      [path, ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'], 'POST'],
      ['/v1/completions', ['GET'], 'POST'],
      ['/v1/embeddings', ['GET'], 'POST'],
      ['/v1/images/generations', ['GET'], 'POST'],
      ['/v1/rerank', ['GET'], 'POST'],
      ['/v1/models', ['POST', 'DELETE'], 'GET'],
      ['/healthz', ['POST'], 'GET'],
    ]
    for (const [route, methods, allowed] of routes) {
      for (const method of methods) {
        it(`is 405 and lists the methods: ${method} ${route}`, async () => {
          const { status, headers, error } = await ask({ path: route, method })
          expect(status).to.equal(405)
          expect(String(headers.allow).split(', ')).to.include(allowed).and.not.include(method)
          expect(error).to.include({ type: 'invalid_request_error', code: 'method_not_allowed' })
        })
      }
    }
  })

  const unknown = ['/v1', '/v1/', '/v2/chat/completions', '/v1/chat', '/v1/chat/completions/x']
  for (const route of [
    ...unknown,
    '/V1/CHAT/COMPLETIONS',
    `${path}//`,
    '/v1//chat/completions',
    '/v1/%2e%2e/healthz',
  ]) {
    it(`is 404 for an unknown route: ${route}`, async () => {
      for (const method of ['GET', 'POST']) {
        const { status, error } = await ask({
          path: route,
          method,
          ...(method === 'POST' ? { headers: json, body } : {}),
        })
        expect(status).to.equal(404)
        expect(error).to.include({ type: 'not_found_error', code: 'not_found' })
      }
    })
  }

  it('whose body never ends gets no answer, and causes no error log', async () => {
    const caller = new AbortController()
    const stream = new ReadableStream({
      pull(controller) {
        controller.enqueue(new TextEncoder().encode(body.slice(0, 10)))
        caller.abort()
      },
    })
    const asking = fetch(gateway.url + path, {
      method: 'POST',
      headers: { ...json, 'x-gateway-api-key': adminKey },
      body: stream,
      duplex: 'half',
      signal: caller.signal,
    } as RequestInit)
    expect(await asking.catch((error: Error) => error.name)).to.equal('AbortError')
    expect((await ask({ headers: json, body })).status).to.equal(200)
    expect(gateway.logs.filter(({ level }) => Number(level) >= 50)).to.deep.equal([])
  })
})
