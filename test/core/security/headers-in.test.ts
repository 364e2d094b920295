/** The request headers that reach a provider: only the gateway's own headers for it, and listed ones. */
import { expect } from 'chai'
import { adminKey, chat } from '../../support/gateway.ts'
import { askRaw } from '../../support/raw-request.ts'
import { openScene, tree } from '../../support/scene.ts'

/** Headers that the gateway itself sends to a provider. */
const ownHeaders = ['accept', 'authorization', 'connection', 'content-length', 'content-type', 'host']

/** Headers that a caller, its browser or a proxy may have added. */
const noise: Record<string, string | string[]> = {
  'x-forwarded-for': '203.0.113.7',
  'x-forwarded-host': 'evil.example',
  'x-forwarded-proto': 'https',
  'x-forwarded-anything': '1',
  forwarded: 'for=203.0.113.7',
  'x-real-ip': '203.0.113.7',
  'cf-connecting-ip': '203.0.113.7',
  'cf-ray': '1',
  via: '1.1 proxy',
  connection: 'close, x-per-connection',
  'x-per-connection': '1',
  'keep-alive': 'timeout=5',
  te: 'trailers',
  trailer: 'x-checksum',
  upgrade: 'h2c',
  'proxy-authorization': 'Basic abc',
  'proxy-connection': 'keep-alive',
  cookie: ['session=1', 'b=2'],
  'user-agent': 'browser/1.0',
  'accept-encoding': 'gzip, br',
  'accept-language': 'de',
  origin: 'https://app.example',
  referer: 'https://app.example/page',
  'x-custom': 'mine',
  'x-list': ['one', 'two'],
  'openai-organization': 'org-mine',
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
}

const gatewayHeaders = {
  'x-gateway-api-key': adminKey,
  'x-gateway-metadata': '{"a":"b"}',
  'x-gateway-trace-id': 'trace-1',
  'x-gateway-cache-namespace': 'n',
  'x-gateway-whatever': '1',
  'x-acme-whatever': '1',
}

describe('the request headers', () => {
  const scene = openScene(() => ({ server: { header_prefixes: ['x-acme-'] } }))
  const send = async (config: unknown, headers: Record<string, string | string[]> = {}) => {
    const reply = await askRaw(scene.gateway.url, {
      method: 'POST',
      path: '/v1/chat/completions',
      headers: {
        ...noise,
        ...gatewayHeaders,
        'content-type': 'application/json; charset=utf-8',
        'x-gateway-config': JSON.stringify(config),
        ...headers,
      },
      body: JSON.stringify(chat()),
    })
    return { ...reply, error: JSON.parse(reply.text).error ?? {} }
  }
  const seenHeaders = (name = 'a') => scene.seen(name).headers

  it('are never forwarded by default', async () => {
    expect((await send(scene.leaf('a'))).status).to.equal(200)
    expect(Object.keys(seenHeaders()).sort()).to.deep.equal(ownHeaders)
    expect(seenHeaders()).to.include({
      authorization: 'Bearer sk-test',
      'content-type': 'application/json',
      host: new URL(scene.upstream.origin).host,
    })
  })

  it('are not forwarded on a stream or a retry, either', async () => {
    scene.answers.a = [500, 200]
    await send(scene.leaf('a', { retry: { attempts: 1 } }))
    expect(scene.calls()).to.deep.equal(['a', 'a'])
    expect(Object.keys(seenHeaders()).sort()).to.deep.equal(ownHeaders)
  })

  it('are forwarded when the config lists them, in any case and with every value', async () => {
    await send(scene.leaf('a', { forward_headers: ['X-Custom', 'x-list', 'x-not-there', 'accept-language'] }))
    expect(Object.keys(seenHeaders()).sort()).to.deep.equal(
      [...ownHeaders, 'accept-language', 'x-custom', 'x-list'].sort(),
    )
    expect(seenHeaders()).to.include({ 'x-custom': 'mine', 'x-list': 'one, two', 'accept-language': 'de' })
  })

  it('are forwarded when the request lists them, which overrides the config', async () => {
    const config = scene.leaf('a', { forward_headers: ['x-custom'] })
    await send(config, { 'x-gateway-forward-headers': ' accept-language , x-list,, ' })
    expect(Object.keys(seenHeaders()).sort()).to.deep.equal(
      [...ownHeaders, 'accept-language', 'x-list'].sort(),
    )
  })

  it('are forwarded only to the target that lists them', async () => {
    scene.answers.a = 500
    const targets = [scene.leaf('a', { forward_headers: ['x-custom'] }), scene.leaf('b')]
    await send(tree('fallback', targets))
    expect(seenHeaders('a')).to.have.property('x-custom', 'mine')
    expect(seenHeaders('b')).not.to.have.property('x-custom')
  })

  it("cannot replace the provider's authentication", async () => {
    await send(
      scene.leaf('a', { compat_organization: 'org-config', forward_headers: ['openai-organization'] }),
    )
    expect(seenHeaders()).to.include({ authorization: 'Bearer sk-test', 'openai-organization': 'org-config' })
  })

  const never = [
    ...[
      'cookie',
      'host',
      'user-agent',
      'accept-encoding',
      'authorization',
      'proxy-authorization',
      'x-api-key',
    ],
    ...['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'proxy-authenticate'],
    ...['x-gateway-api-key', 'X-Gateway-Config', 'x-gateway-anything', 'x-acme-api-key'],
    ...[
      'x-forwarded-for',
      'forwarded',
      'x-real-ip',
      'via',
      'cf-ray',
      'content-length',
      'Cookie',
      'two words',
      '',
    ],
  ]
  for (const name of never) {
    it(`cannot be forwarded: "${name}"`, async () => {
      const inConfig = await send(scene.leaf('a', { forward_headers: ['x-custom', name] }))
      expect(inConfig.status).to.equal(400)
      expect(inConfig.error).to.include({ code: 'invalid_config', param: 'config/forward_headers/1' })
      if (name !== '') {
        const inHeader = await send(scene.leaf('a'), { 'x-gateway-forward-headers': `x-custom, ${name}` })
        expect(inHeader.status).to.equal(400)
        expect(inHeader.error).to.include({
          code: 'invalid_header',
          param: 'header/x-gateway-forward-headers',
        })
      }
      expect(scene.calls()).to.deep.equal([])
    })
  }

  it('are removed before a query reads them, when callers must not set them', async () => {
    const gone = [
      'x-forwarded-for',
      'x-real-ip',
      'cf-ray',
      'via',
      'cookie',
      'authorization',
      'x-gateway-metadata',
    ]
    const conditions = gone.map((name) => ({
      query: { [`headers.${name}`]: { $exists: true } },
      then: 'found',
    }))
    const targets = [scene.leaf('found', { name: 'found' }), scene.leaf('other', { name: 'other' })]
    const strategy = { mode: 'conditional', conditions, default: 'other' }
    expect((await send({ strategy, targets }, { authorization: 'Bearer sk-own' })).status).to.equal(200)
    expect(scene.calls()).to.deep.equal(['other'])
    const known = [{ query: { 'headers.X-Custom': 'mine' }, then: 'found' }]
    await send({ strategy: { ...strategy, conditions: known }, targets })
    expect(scene.calls().at(-1)).to.equal('found')
  })
})
