/** Routes of a service package: they require a key, and their scope, query and body are checked. */
import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { packageDirectory } from '../../support/fixture-package.ts'
import { adminKey, startGateway, type TestGateway } from '../../support/gateway.ts'
import { askRaw, type RawRequest } from '../../support/raw-request.ts'

const source = `
const object = (properties, required = []) => ({ type: 'object', properties, required, additionalProperties: false })
const handle = async ({ identity, traceId, params, query, body }) => {
  if (params.id === 'crash') throw new TypeError('a secret of the package')
  return {
    status: params.id === 'new' ? 201 : 200,
    headers: { 'x-from': 'service' },
    body: { who: identity.name, scopes: [...identity.scopes], traceId, params, query, body },
  }
}
export default {
  name: 'things', title: 'Things', needs: [], open: () => ({ routes: [
    { method: 'GET', path: '/v1/things/:id', operationId: 'getThing', summary: 'One thing', tag: 'Things', scope: 'models.list', handle,
      query: object({ limit: { type: 'string', pattern: '^[0-9]+$' } }) },
    { method: 'PUT', path: '/v1/things/:id', operationId: 'putThing', summary: 'Put it', tag: 'Things', scope: null, handle,
      body: object({ name: { type: 'string', minLength: 1 }, size: { type: 'integer' } }, ['name']) },
    { method: 'DELETE', path: '/v1/things/:id', operationId: 'deleteThing', summary: 'Away', tag: 'Things', scope: 'things.delete', handle },
  ] }),
}`

const hashOf = (key: string) => `sha256:${createHash('sha256').update(key).digest('hex')}`

describe('a route of a service package', () => {
  const packages = packageDirectory()
  let gateway: TestGateway
  before(async () => {
    const directory = await packages.write({ name: 'things-service', kind: 'service', source })
    gateway = await startGateway({
      plugins: { packages: [directory] },
      api_keys: [{ name: 'writer', key_hash: hashOf('writer'), scopes: ['completions.write'] }],
      server: { body_limit: 1000 },
    })
  })
  after(() => gateway.stop())

  const path = '/v1/things/7'
  const ask = async (request: RawRequest, key: string | null = adminKey) => {
    const auth: Record<string, string> = key === null ? {} : { 'x-gateway-api-key': key }
    const reply = await askRaw(gateway.url, { path, ...request, headers: { ...auth, ...request.headers } })
    const parsed = JSON.parse(reply.text)
    return { ...reply, parsed, error: parsed.error ?? {} }
  }
  const put = (body: string, rest: RawRequest = {}) =>
    ask({ method: 'PUT', body, headers: { 'content-type': 'application/json' }, ...rest })

  it('receives its decoded parameters, its query and the caller', async () => {
    const reply = await ask({
      path: '/v1/things/a%20b?limit=5',
      headers: { 'x-gateway-trace-id': 'trace-7' },
    })
    expect(reply.status).to.equal(200)
    expect(reply.headers).to.include({ 'x-from': 'service', 'x-gateway-trace-id': 'trace-7' })
    expect(reply.parsed).to.deep.equal({
      who: 'admin',
      scopes: ['*'],
      traceId: 'trace-7',
      params: { id: 'a b' },
      query: { limit: '5' },
      body: null,
    })
  })

  it('receives its body, and sets its status', async () => {
    const reply = await put('{"name":"n","size":2}', { path: '/v1/things/new' })
    expect(reply.status).to.equal(201)
    expect(reply.parsed.body).to.deep.equal({ name: 'n', size: 2 })
  })

  const refused: [
    name: string,
    request: RawRequest,
    key: string | null,
    status: number,
    code: string,
    param: string | null,
  ][] = [
    ['without a key', {}, null, 401, 'missing_api_key', null],
    ['with a wrong key', {}, 'wrong', 401, 'invalid_api_key', null],
    ['with a key that lacks its scope', {}, 'writer', 403, 'missing_scope', 'models.list'],
    ['with another method', { method: 'POST' }, adminKey, 405, 'method_not_allowed', null],
    [
      'with a query that breaks its schema',
      { path: `${path}?limit=many` },
      adminKey,
      400,
      'invalid_query',
      'query/limit',
    ],
    [
      'with a query that it does not know',
      { path: `${path}?limits=1` },
      adminKey,
      400,
      'invalid_query',
      'query',
    ],
    ['below it', { path: `${path}/more` }, adminKey, 404, 'not_found', null],
  ]
  for (const [name, request, key, status, code, param] of refused) {
    it(`is not reached ${name}`, async () => {
      const reply = await ask(request, key)
      expect([reply.status, reply.error.code]).to.deep.equal([status, code])
      if (param !== null) expect(reply.error.param).to.equal(param)
    })
  }

  it('without a scope is open to every key', async () => {
    const headers = { 'content-type': 'application/json' }
    const reply = await ask({ method: 'PUT', body: '{"name":"n"}', headers }, 'writer')
    expect([reply.status, reply.parsed.who]).to.deep.equal([200, 'writer'])
  })

  it('receives no body that violates its schema, and every error is reported', async () => {
    const { status, error } = await put('{"name":"","size":"x","more":1}')
    expect([status, error.code]).to.deep.equal([400, 'invalid_body'])
    const params = (error.details as { param: string; message: string }[]).map(({ param }) => param)
    expect(params).to.have.members(['', '/name', '/size'])
  })

  it('receives no body that is not JSON, is too large, or has another content type', async () => {
    expect((await put('{')).error.code).to.equal('invalid_json')
    expect((await put(JSON.stringify({ name: 'x'.repeat(2000) }))).status).to.equal(413)
    expect((await put('name=n', { headers: { 'content-type': 'text/plain' } })).status).to.equal(415)
  })

  it('reports its methods', async () => {
    const { headers } = await ask({ method: 'PATCH' })
    expect(String(headers.allow).split(', ')).to.include.members(['GET', 'PUT', 'DELETE'])
  })

  it('that throws is answered with 500 in the OpenAI-compatible format, and the cause is only in the log', async () => {
    const reply = await ask({ path: '/v1/things/crash' })
    expect(reply.status).to.equal(500)
    expect(reply.error).to.include({ type: 'internal_error', code: 'internal_error', param: null })
    expect(reply.text).not.to.contain('secret')
    const line = gateway.logs.find(({ trace_id: trace }) => trace === reply.headers['x-gateway-trace-id'])
    expect(JSON.stringify(line)).to.contain('a secret of the package')
  })
})
