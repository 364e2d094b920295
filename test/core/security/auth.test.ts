/** Authentication and scopes: nothing is answered without a key, and a key allows exactly its scopes. */
import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { adminKey, chat, startGateway, type TestGateway } from '../../support/gateway.ts'
import { askRaw, type RawRequest } from '../../support/raw-request.ts'

const hashOf = (key: string) => `sha256:${createHash('sha256').update(key).digest('hex')}`
const chatPath = '/v1/chat/completions'

const api_keys = [
  { name: 'ci', key_hash: hashOf('ci-key'), scopes: ['completions.write'] },
  { name: 'lister', key_hash: hashOf('list-key'), scopes: ['models.list'] },
  { name: 'all', key_hash: hashOf('all-key'), scopes: ['*'] },
  { name: 'spelt', key_hash: hashOf('spelt-key'), scopes: ['completions:write'] },
  { name: 'old', key_hash: hashOf('old-key'), scopes: ['*'], expires_at: '2020-01-01T00:00:00Z' },
  { name: 'new', key_hash: hashOf('new-key'), scopes: ['*'], expires_at: '2100-01-01T00:00:00Z' },
]

describe('a gateway key', () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await startGateway({ api_keys, providers: { e: { provider: 'echo' } } })
  })
  after(() => gateway.stop())

  const ask = async (request: RawRequest) => {
    const { status, headers, text } = await askRaw(gateway.url, request)
    const error = text.startsWith('{') ? (JSON.parse(text).error ?? {}) : {}
    return { status, headers, text, error }
  }
  const models = (headers: Record<string, string>) => ask({ path: '/v1/models', headers })
  const complete = (headers: Record<string, string>) =>
    ask({
      method: 'POST',
      path: chatPath,
      headers: { 'content-type': 'application/json', 'x-gateway-provider': '@e', ...headers },
      body: JSON.stringify(chat()),
    })

  describe('is read', () => {
    const ways: [name: string, headers: Record<string, string>][] = [
      ['in its own header', { 'x-gateway-api-key': adminKey }],
      ['in its own header, in capitals and with spaces around', { 'X-GATEWAY-API-KEY': `  ${adminKey} ` }],
      ['as a bearer token', { authorization: `Bearer ${adminKey}` }],
      ['as a bearer token in other letters', { authorization: `bearer   ${adminKey}` }],
      ['in x-api-key', { 'x-api-key': adminKey }],
      [
        'in its own header, next to others',
        { 'x-gateway-api-key': adminKey, authorization: 'Bearer sk-own' },
      ],
      [
        'as a bearer token, next to x-api-key',
        { authorization: `Bearer ${adminKey}`, 'x-api-key': 'sk-own' },
      ],
    ]
    for (const [name, headers] of ways) {
      it(name, async () => {
        expect((await models(headers)).status).to.equal(200)
      })
    }
  })

  describe('is refused with 401', () => {
    const refused: [name: string, headers: Record<string, string>, code: string][] = [
      ['when it is missing', {}, 'missing_api_key'],
      ['when it is empty', { 'x-gateway-api-key': '' }, 'missing_api_key'],
      ['when it is blank', { authorization: 'Bearer  ' }, 'missing_api_key'],
      ['in another scheme', { authorization: `Basic ${adminKey}` }, 'missing_api_key'],
      ['without a scheme', { authorization: adminKey }, 'missing_api_key'],
      ['in the query', {}, 'missing_api_key'],
      ['when it is wrong', { 'x-gateway-api-key': 'wrong' }, 'invalid_api_key'],
      ['when it is wrong as a bearer token', { authorization: 'Bearer wrong' }, 'invalid_api_key'],
      ['when it is wrong in x-api-key', { 'x-api-key': 'wrong' }, 'invalid_api_key'],
      ['when it is the beginning of one', { 'x-gateway-api-key': adminKey.slice(0, -1) }, 'invalid_api_key'],
      ['when it is the hash of one', { 'x-gateway-api-key': hashOf('ci-key') }, 'invalid_api_key'],
      ['in other letters', { 'x-gateway-api-key': adminKey.toUpperCase() }, 'invalid_api_key'],
      [
        'when its own header is wrong, with any other headers',
        { 'x-gateway-api-key': 'wrong', authorization: `Bearer ${adminKey}`, 'x-api-key': adminKey },
        'invalid_api_key',
      ],
      ['when it has expired', { 'x-gateway-api-key': 'old-key' }, 'expired_api_key'],
    ]
    for (const [name, headers, code] of refused) {
      it(name, async () => {
        const { status, error } = await ask({ path: `/v1/models?api_key=${adminKey}`, headers })
        expect(status).to.equal(401)
        expect(error).to.have.all.keys('message', 'type', 'param', 'code')
        expect(error).to.include({ type: 'authentication_error', code })
      })
    }
  })

  describe('is checked before any other error is reported:', () => {
    const json = { 'content-type': 'application/json' }
    const requests: [name: string, request: RawRequest][] = [
      ['on the root of the API', { path: '/v1' }],
      ['on the models', { path: '/v1/models' }],
      ['on a route that is unknown', { path: '/v1/nothing' }],
      ['on another unknown one', { path: '/favicon.ico' }],
      ['on a path that climbs', { path: '/healthz/../v1/models' }],
      ['on a path below the health route', { path: '/healthz/x' }],
      ['on a path that cannot be decoded', { path: '/v1/%E0%A4%A' }],
      ['for a method that the route does not have', { method: 'DELETE', path: chatPath }],
      ['for a look at the head', { method: 'HEAD', path: '/v1/models' }],
      ['for a preflight', { method: 'OPTIONS', path: chatPath }],
      ['with a body that is not JSON', { method: 'POST', path: chatPath, headers: json, body: '{' }],
      [
        'with another content type',
        { method: 'POST', path: chatPath, headers: { 'content-type': 'text/plain' } },
      ],
      [
        'with headers that are wrong',
        {
          method: 'POST',
          path: chatPath,
          headers: { ...json, 'x-gateway-config': '{', 'x-gateway-metadata': '1' },
        },
      ],
      ...['completions', 'embeddings', 'images/generations', 'rerank'].map((route): [string, RawRequest] => [
        `on ${route}`,
        { method: 'POST', path: `/v1/${route}`, headers: json, body: '{}' },
      ]),
    ]
    for (const [name, request] of requests) {
      it(name, async () => {
        const { status, error, text } = await ask(request)
        expect(status).to.equal(401)
        if (request.method !== 'HEAD') expect(error.code, text).to.equal('missing_api_key')
      })
    }
  })

  for (const path of ['/healthz', '/readyz', '/metrics']) {
    it(`is not needed for ${path}, and a wrong one is ignored there`, async () => {
      expect((await ask({ path })).status).to.equal(200)
      expect((await ask({ path, headers: { 'x-gateway-api-key': 'wrong' } })).status).to.equal(200)
      expect((await ask({ path, method: 'POST' })).status).to.equal(405)
    })
  }

  describe('allows', () => {
    const as = (key: string) => ({ 'x-gateway-api-key': key })

    for (const key of ['ci-key', 'all-key', 'spelt-key', 'new-key', adminKey]) {
      it(`exactly what its scopes allow: ${key} may call completions`, async () => {
        expect((await complete(as(key))).status).to.equal(200)
      })
    }

    it('nothing else: a 403 names the missing scope', async () => {
      const { status, error } = await complete(as('list-key'))
      expect(status).to.equal(403)
      expect(error).to.include({
        type: 'permission_error',
        code: 'missing_scope',
        param: 'completions.write',
      })
    })

    it('listing models with the scope to list them', async () => {
      expect((await models(as('list-key'))).status).to.equal(200)
    })

    it('no unknown route', async () => {
      const { status, error } = await ask({ path: '/v1/nothing', headers: as(adminKey) })
      expect([status, error.type, error.code]).to.deep.equal([404, 'not_found_error', 'not_found'])
    })
  })

  it('is named in the log by its name only', async () => {
    await complete({ 'x-gateway-api-key': 'ci-key' })
    const line = gateway.logs.findLast(({ path }) => path === chatPath)
    expect(line).to.include({ key: 'ci', workspace: 'default' })
    expect(JSON.stringify(gateway.logs)).not.to.contain('ci-key')
  })
})
