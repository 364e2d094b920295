/**
 * Adding an endpoint takes one declaration in the table, such as `fixtures/poems.ts`. Everything else is derived from
 * it.
 */
import { createHash } from 'node:crypto'
import { endpointIds } from '@gateway/contract'
import { expect } from 'chai'
import { estimateUsage } from '#core/metering/limits/usage-cost'
import { createLedger } from '#flow/ledger'
import { endpoints } from '../../support/endpoints.ts'
import { configHeader, json, startGateway, type TestGateway } from '../../support/gateway.ts'
import { objectOf } from '../../support/openapi.ts'
import { until } from '../../support/until.ts'
import { poems } from './fixtures/poems.ts'

const limitedKey = 'gw-poems-key-0123456789'
const readerKey = 'gw-poems-reader-0123456789'
const hashOf = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`

const echo = { provider: 'echo' }
const denies = (word: string) => ({
  deny: true,
  checks: [{ id: 'default.contains', parameters: { words: [word], operator: 'none' } }],
})

describe('an endpoint declared in one file', () => {
  let gateway: TestGateway
  const ask = (config: object, body: object, headers: Record<string, string> = {}) =>
    gateway.post('/v1/poems', body, { ...configHeader(config), ...headers })
  const poem = { model: 'echo-1', subject: 'autumn' }

  before(async () => {
    gateway = await startGateway(
      {
        api_keys: [
          {
            name: 'limited',
            key_hash: hashOf(limitedKey),
            scopes: ['completions.write'],
            rate_limits: { type: 'tokens', unit: 'rpm', value: 10 },
          },
          { name: 'reader', key_hash: hashOf(readerKey), scopes: ['logs.list'] },
        ],
      },
      { endpoints: [...endpoints, poems] },
    )
  })
  after(() => gateway.stop())

  it('is routed, and answered by a provider of chat completions', async () => {
    const response = await ask(echo, poem)
    expect(response.status).to.equal(200)
    expect(response.headers.get('x-gateway-provider')).to.equal('echo')
    expect((await json(response)).poem).to.include('autumn')
  })

  it('allows only its own method on its path', async () => {
    const other = await gateway.get('/v1/poems')
    expect(other.status).to.equal(405)
    expect(other.headers.get('allow')).to.equal('POST')
    expect((await gateway.post('/v1/poems/', poem, configHeader(echo))).status).to.equal(200)
    expect((await gateway.post('/v1/Poems', poem)).status).to.equal(404)
  })

  it('needs a credential, and the scope of inference', async () => {
    const anonymous = await fetch(`${gateway.url}/v1/poems`, { method: 'POST' })
    expect(anonymous.status).to.equal(401)
    const refused = await ask(echo, poem, { 'x-gateway-api-key': readerKey })
    expect(refused.status).to.equal(403)
    expect((await json(refused)).error).to.include({ code: 'missing_scope', param: 'completions.write' })
  })

  it('validates its body against its schema', async () => {
    const response = await ask(echo, { model: 'echo-1', subject: '' })
    expect(response.status).to.equal(400)
    expect((await json(response)).error).to.include({ code: 'invalid_body', param: '/subject' })
  })

  it('lets guardrails read its request and its answer', async () => {
    const before = await ask({ ...echo, input_guardrails: [denies('autumn')] }, poem)
    expect(before.status).to.equal(446)
    const after = await ask({ ...echo, output_guardrails: [denies('autumn')] }, poem)
    expect(after.status).to.equal(446)
    const passed = await ask({ ...echo, input_guardrails: [denies('spring')] }, poem)
    expect(passed.status).to.equal(200)
  })

  it('is limited by the tokens in its texts', async () => {
    expect(estimateUsage(createLedger(), poems, { subject: '12345678' }).promptTokens).to.equal(2)
    const long = { ...poem, subject: 'a long subject '.repeat(10) }
    const asLimited = { 'x-gateway-api-key': limitedKey }
    expect((await ask(echo, long, asLimited)).status).to.equal(200)
    const refused = await ask(echo, long, asLimited)
    expect(refused.status).to.equal(429)
    expect((await json(refused)).error).to.include({ code: 'rate_limit_exceeded' })
  })

  it('is cached', async () => {
    const config = { ...echo, cache: { mode: 'simple' } }
    const body = { ...poem, subject: 'the cache' }
    expect((await ask(config, body)).headers.get('x-gateway-cache-status')).to.equal('MISS')
    expect((await ask(config, body)).headers.get('x-gateway-cache-status')).to.equal('HIT')
  })

  it('appears in logs and metrics', async () => {
    await ask(echo, poem)
    await until('the line of the log', () =>
      gateway.logs.some(({ endpoint, status }) => endpoint === poems.id && status === 200),
    )
    const metrics = await (await gateway.get('/metrics')).text()
    expect(metrics).to.match(/requests_total\{[^}]*endpoint="createPoem"/)
  })

  it('appears in the OpenAPI document', async () => {
    const { paths } = await json(await gateway.get('/v1/openapi.json'))
    const { post } = objectOf(objectOf(paths)['/v1/poems'])
    expect(objectOf(post)).to.include({ operationId: 'createPoem', summary: 'Write a poem' })
    expect(Object.keys(objectOf(objectOf(post).responses))).to.include('200')
  })
})

describe('the table of endpoints', () => {
  it('declares every endpoint id of the contract once', () => {
    expect(endpoints.map(({ id }) => id).sort()).to.deep.equal([...endpointIds].sort())
  })

  it('gives every endpoint the same object shape', () => {
    const shapes = new Set(endpoints.map((endpoint) => Object.keys(endpoint).join()))
    expect([...shapes]).to.have.length(1)
  })

  it('declares no route twice', () => {
    const routes = endpoints.flatMap(({ routes }) =>
      routes.flatMap(({ method, path, aliases = [] }) =>
        [path, ...aliases].map((each) => `${method} ${each}`),
      ),
    )
    expect(new Set(routes).size).to.equal(routes.length)
  })
})
