/** The caller's headers that are sent to a provider: only those that `forward_headers` lists. */
import { request } from 'node:http'
import { expect } from 'chai'
import { chat } from '../../support/gateway.ts'
import { openScene, tree } from '../../support/scene.ts'

const given = {
  'x-team': 'red',
  'x-other': 'one',
  'user-agent': 'my-client/1',
  cookie: 'session=secret',
  'accept-encoding': 'br',
  'accept-language': 'de',
  'x-forwarded-for': '10.0.0.1',
  'x-forwarded-host': 'inner',
  forwarded: 'for=10.0.0.1',
  'x-real-ip': '10.0.0.1',
  'cf-connecting-ip': '10.0.0.1',
  via: '1.1 proxy',
}

describe('forward_headers', () => {
  const scene = openScene()
  const names = ['x-team', 'x-other', 'accept-language']
  const passed = async (config: unknown, headers: Record<string, string> = {}) => {
    expect((await scene.ask(config, { headers: { ...given, ...headers } })).status).to.equal(200)
    const sent = scene.seen('a').headers
    return names.filter((name) => sent[name] !== undefined)
  }

  it("when absent, forwards none of the caller's headers", async () => {
    expect(await passed(scene.leaf('a'))).to.deep.equal([])
    const sent = scene.seen('a').headers
    for (const [name, value] of Object.entries(given)) expect(sent[name], name).not.to.equal(value)
  })

  const rows: [what: string, config: string[] | null, header: string | null, passed: string[]][] = [
    ['of the config', ['x-team'], null, ['x-team']],
    ['of the config, in any case', ['X-TEAM', 'Accept-Language'], null, ['x-team', 'accept-language']],
    ['of the request', null, 'x-team, X-Other', ['x-team', 'x-other']],
    ['of the request before that of the config', ['x-team'], 'x-other', ['x-other']],
    ['that is empty', [], null, []],
    ['of the request that is empty: that of the config', ['x-team'], ' ', ['x-team']],
    ['that lists a header that the caller did not send', ['x-absent', 'x-team'], null, ['x-team']],
  ]
  for (const [what, config, header, expected] of rows) {
    it(what, async () => {
      const leaf = scene.leaf('a', config === null ? {} : { forward_headers: config })
      expect(
        await passed(leaf, header === null ? {} : { 'x-gateway-forward-headers': header }),
      ).to.deep.equal(expected)
    })
  }

  it('forwards the values unchanged', async () => {
    await passed(scene.leaf('a', { forward_headers: ['x-team'] }), { 'x-team': 'röd, "grün"; q=1' })
    expect(scene.seen('a').headers['x-team']).to.equal('röd, "grün"; q=1')
  })

  it('applies to its own target only', async () => {
    scene.answers = { a: 500 }
    const config = tree('fallback', [
      scene.leaf('a', { forward_headers: ['x-team'] }),
      scene.leaf('b', { forward_headers: ['x-other'] }),
    ])
    expect(await passed(config)).to.deep.equal(['x-team'])
    expect(scene.seen('b').headers['x-other']).to.equal('one')
    expect(scene.seen('b').headers['x-team']).to.equal(undefined)
  })

  it('applies to every target when it comes with the request', async () => {
    scene.answers = { a: 500 }
    await scene.ask(tree('fallback', [scene.leaf('a', { forward_headers: ['x-team'] }), scene.leaf('b')]), {
      headers: { ...given, 'x-gateway-forward-headers': 'x-other' },
    })
    for (const name of ['a', 'b']) {
      expect(scene.seen(name).headers['x-other']).to.equal('one')
      expect(scene.seen(name).headers['x-team']).to.equal(undefined)
    }
  })

  it("does not replace the provider's own headers", async () => {
    const leaf = scene.leaf('a', { forward_headers: ['openai-organization'], compat_organization: 'org' })
    await passed(leaf, { 'openai-organization': 'forged' })
    expect(scene.seen('a').headers['openai-organization']).to.equal('org')
  })

  describe('cannot name', () => {
    const forbidden = [
      'cookie',
      'Host',
      'user-agent',
      'accept-encoding',
      'authorization',
      'proxy-authorization',
      'connection',
      'keep-alive',
      'proxy-authenticate',
      'te',
      'trailer',
      'transfer-encoding',
      'upgrade',
      'x-gateway-api-key',
      'X-Gateway-Config',
      'not a name',
      'x-team:',
    ]
    for (const name of forbidden) {
      it(name, async () => {
        const inConfig = await scene.ask(scene.leaf('a', { forward_headers: ['x-team', name] }))
        expect(inConfig.status).to.equal(400)
        expect(inConfig.error).to.include({ code: 'invalid_config', param: 'config/forward_headers/1' })
        const headers = { 'x-gateway-forward-headers': `x-team, ${name}` }
        const inHeader = await scene.ask(scene.leaf('a'), { headers })
        expect(inHeader.status).to.equal(400)
        expect(inHeader.error).to.include({
          code: 'invalid_header',
          param: 'header/x-gateway-forward-headers',
        })
        expect(scene.calls()).to.deep.equal([])
      })
    }
  })

  it('does not forward the headers that Connection names', async () => {
    const config = JSON.stringify(scene.leaf('a', { forward_headers: ['x-team', 'x-other'] }))
    // fetch sets `connection` itself, so the request is made by hand.
    const status = await new Promise((resolve, reject) => {
      const call = request(`${scene.gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-gateway-api-key': 'test-admin-key-0123456789',
          'x-gateway-config': config,
          'x-team': 'red',
          'x-other': 'one',
          connection: 'close, X-Team',
        },
      })
      call.on('error', reject)
      call.on('response', (response) => {
        response.resume()
        response.on('end', () => resolve(response.statusCode))
      })
      call.end(JSON.stringify(chat()))
    })
    expect(status).to.equal(200)
    expect(scene.seen('a').headers['x-other']).to.equal('one')
    expect(scene.seen('a').headers['x-team']).to.equal(undefined)
  })
})
