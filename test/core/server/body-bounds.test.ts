/** Body size limits per route, checked before parsing: public routes, management, and routes with their own limit. */
import { expect } from 'chai'
import { packageDirectory } from '../../support/fixture-package.ts'
import { adminKey, startGateway, type TestGateway } from '../../support/gateway.ts'
import { askRaw } from '../../support/raw-request.ts'

const source = `
const handle = async ({ body }) => ({ status: 200, body: { keys: Object.keys(body).length } })
const route = (name, rest) => ({
  method: 'POST', path: '/v1/' + name, operationId: name, summary: name, tag: 'Things', scope: null,
  body: { type: 'object' }, handle, ...rest,
})
export default {
  name: 'things', title: 'Things', needs: [], open: () => ({ routes: [
    route('open', { scope: 'public' }),
    route('open-optional', { scope: 'public', isBodyOptional: true }),
    route('plain', {}),
    route('small', { bodyLimit: 100 }),
    route('public-large', { scope: 'public', bodyLimit: 200_000 }),
    route('inference', { bodyLimit: 'server.body_limit' }),
  ] }),
}`

const kilobyte = 1024
const megabyte = 1024 * kilobyte

describe('the body size limit of a route', () => {
  const packages = packageDirectory()
  let gateway: TestGateway
  before(async () => {
    const directory = await packages.write({ name: 'bounded-service', kind: 'service', source })
    gateway = await startGateway({ plugins: { packages: [directory] }, server: { body_limit: '3mb' } })
  })
  after(() => gateway.stop())

  const post = async (path: string, body: string) => {
    const { status, text } = await askRaw(gateway.url, {
      method: 'POST',
      path,
      headers: { 'x-gateway-api-key': adminKey, 'content-type': 'application/json' },
      body,
    })
    return { status, code: JSON.parse(text).error?.code ?? null }
  }
  const ofBytes = (bytes: number) => `{"a":"${'x'.repeat(bytes - 8)}"}`

  const routes: [path: string, what: string, limit: number][] = [
    ['/v1/open', 'public', 64 * kilobyte],
    ['/v1/open-optional', 'public, with an optional body', 64 * kilobyte],
    ['/v1/plain', 'behind a key', megabyte],
    ['/v1/small', 'with its own limit', 100],
    ['/v1/public-large', 'public, with its own limit', 200_000],
    ['/v1/inference', 'bounded as inference is', 3 * megabyte],
  ]
  for (const [path, what, limit] of routes) {
    it(`is ${limit} bytes for ${what}`, async () => {
      expect(await post(path, ofBytes(limit))).to.deep.equal({ status: 200, code: null })
      expect(await post(path, ofBytes(limit + 1))).to.deep.equal({ status: 413, code: 'body_too_large' })
    })
  }

  it('refuses 200,000 unknown keys at sign-in', async () => {
    const keys = Object.fromEntries(Array.from({ length: 200_000 }, (_, index) => [`key${index}`, 1]))
    expect((await post('/v1/auth/login', JSON.stringify(keys))).status).to.equal(413)
  })

  it('is the same for testing a guardrail as for a call', async () => {
    const checks = [{ id: 'default.contains', parameters: { operator: 'none', words: ['absent'] } }]
    const text = 'x'.repeat(2 * megabyte)
    const request = { json: { messages: [{ role: 'user', content: text }] } }
    const body = JSON.stringify({ hook: 'beforeRequestHook', request, checks })
    expect((await post('/v1/guardrails/invoke', body)).status).to.equal(200)
  })
})
