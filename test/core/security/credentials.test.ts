/**
 * The credential that a provider receives: the caller's own, or a stored one at its own host; never the gateway key.
 */
import { expect } from 'chai'
import { adminKey, chat } from '../../support/gateway.ts'
import { askRaw } from '../../support/raw-request.ts'
import { openScene, tree } from '../../support/scene.ts'

describe('the credential of a call', () => {
  const scene = openScene((origin) => ({
    server: { header_prefixes: ['x-acme-'] },
    providers: {
      stored: { provider: 'openai', api_key: 'sk-stored', custom_host: `${origin}/stored/v1` },
      open: { provider: 'openai', api_key: 'none', custom_host: `${origin}/open/v1` },
      elsewhere: { provider: 'openai', api_key: 'sk-elsewhere' },
    },
  }))
  const own = { 'x-gateway-api-key': adminKey }
  /** A request with exactly these headers. */
  const send = async (headers: Record<string, string>, body = chat()) => {
    const reply = await askRaw(scene.gateway.url, {
      method: 'POST',
      path: '/v1/chat/completions',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
    return { status: reply.status, error: JSON.parse(reply.text).error ?? {} }
  }
  const direct = () => ({ 'x-gateway-provider': 'openai', 'x-gateway-custom-host': scene.hostOf('a') })
  const sent = (name = 'a') => scene.seen(name).headers.authorization

  describe('in a direct call', () => {
    const cases: [name: string, headers: Record<string, string>, expected: string | undefined][] = [
      ['is the bearer token', { ...own, authorization: 'Bearer sk-own' }, 'Bearer sk-own'],
      ['is x-api-key', { ...own, 'x-api-key': 'sk-bare' }, 'Bearer sk-bare'],
      [
        'is the bearer token rather than x-api-key',
        { ...own, authorization: 'Bearer sk-own', 'x-api-key': 'sk-bare' },
        'Bearer sk-own',
      ],
      ['is missing when the caller sends none', own, undefined],
      ['is never the gateway key', { ...own, authorization: `Bearer ${adminKey}` }, undefined],
      ['is never the gateway key, in x-api-key either', { ...own, 'x-api-key': adminKey }, undefined],
      ['is never a bearer token that opened the gateway', { authorization: `Bearer ${adminKey}` }, undefined],
      ['is never an x-api-key that opened the gateway', { 'x-api-key': adminKey }, undefined],
      [
        'is not x-api-key when the bearer token opened the gateway',
        { authorization: `Bearer ${adminKey}`, 'x-api-key': 'sk-bare' },
        undefined,
      ],
      [
        'is the bearer token where the key has another prefix',
        { 'x-acme-api-key': adminKey, authorization: 'Bearer sk-own' },
        'Bearer sk-own',
      ],
    ]
    for (const [name, headers, expected] of cases) {
      it(name, async () => {
        expect((await send({ ...direct(), ...headers })).status).to.equal(200)
        expect(sent()).to.equal(expected)
        expect(JSON.stringify(scene.seen('a'))).not.to.contain(adminKey)
      })
    }
  })

  it('comes from the config if the config has one, even if the request also contains one', async () => {
    const config = JSON.stringify(scene.leaf('a', { api_key: 'sk-config' }))
    await send({ ...own, authorization: 'Bearer sk-own', 'x-gateway-config': config })
    expect(sent()).to.equal('Bearer sk-config')
  })

  describe('that is stored', () => {
    const ways: [name: string, headers: Record<string, string>, model?: string][] = [
      ['a virtual key', { 'x-gateway-virtual-key': 'stored' }],
      ['a provider slug', { 'x-gateway-provider': '@stored' }],
      ['a model', {}, '@stored/test-model'],
      ['a config', { 'x-gateway-config': '{"provider":"@stored"}' }],
      ['a config’s virtual key', { 'x-gateway-config': '{"virtual_key":"stored"}' }],
      ['a config’s model', { 'x-gateway-config': '{"override_params":{"model":"@stored/test-model"}}' }],
      ['a target', { 'x-gateway-config': JSON.stringify(tree('single', [{ provider: '@stored' }])) }],
    ]
    for (const [name, headers, model = 'test-model'] of ways) {
      it(`is sent to its own host only: by ${name}`, async () => {
        const body = { ...chat(), model }
        expect((await send({ ...own, ...headers, authorization: 'Bearer sk-own' }, body)).status).to.equal(
          200,
        )
        expect(sent('stored')).to.equal('Bearer sk-stored')
        expect(scene.seen('stored').json?.model).to.equal('test-model')

        const refused = await send({ ...own, ...headers, 'x-gateway-custom-host': scene.hostOf('a') }, body)
        expect([refused.status, refused.error.code]).to.deep.equal([400, 'host_not_allowed'])
        expect(refused.error.param).to.equal('header/x-gateway-custom-host')
        expect(scene.calls()).to.deep.equal(['stored'])
      })
    }

    it('is refused with a custom host of the config or of the caller, inherited ones too', async () => {
      const custom_host = scene.hostOf('a')
      for (const config of [
        { provider: '@stored', custom_host },
        { provider: '@elsewhere', custom_host },
        { ...tree('single', [{ provider: '@stored' }]), custom_host },
        tree('fallback', [scene.leaf('a'), { virtual_key: 'stored', custom_host }]),
      ]) {
        const { status, error } = await send({ ...own, 'x-gateway-config': JSON.stringify(config) })
        expect([status, error.code], JSON.stringify(config)).to.deep.equal([400, 'host_not_allowed'])
        expect(error.param).to.match(/^config\/(targets\/1\/)?custom_host$/)
      }
      expect(scene.calls()).to.deep.equal([])
    })

    it('is not replaced by the api_key of a config at its host', async () => {
      const config = JSON.stringify({ provider: '@stored', api_key: 'sk-mine' })
      await send({ ...own, 'x-gateway-config': config })
      expect(sent('stored')).to.equal('Bearer sk-stored')
    })

    it('is not sent when it is not set', async () => {
      await send({ ...own, 'x-gateway-provider': '@open', authorization: 'Bearer sk-own' })
      expect(sent('open')).to.equal(undefined)
    })
  })

  it('does not follow redirects to another host', async () => {
    scene.answers.a = (_request, response) =>
      void response.writeHead(307, { location: `${scene.hostOf('b')}/chat/completions` }).end()
    const config = JSON.stringify(scene.leaf('a'))
    const { status, error } = await send({ ...own, 'x-gateway-config': config })
    expect([status, error.code]).to.deep.equal([502, 'upstream_invalid_response'])
    expect(scene.calls()).to.deep.equal(['a'])
  })
})
