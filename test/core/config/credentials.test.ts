/** The credential that a request uses, and the ways to specify each kind of credential. */
import { expect } from 'chai'
import { chat } from '../../support/gateway.ts'
import { openScene } from '../../support/scene.ts'

const gatewayKey = 'test-admin-key-0123456789'

describe('the credential of a request', () => {
  const scene = openScene((origin) => ({
    providers: Object.fromEntries(
      ['one', 'two', 'three'].map((slug) => [
        slug,
        { provider: 'openai', api_key: `sk-${slug}`, custom_host: `${origin}/${slug}/v1` },
      ]),
    ),
  }))

  interface Named {
    config?: unknown
    virtualKey?: string
    provider?: string
    model?: string
  }
  const ask = ({ config = null, virtualKey, provider, model = 'plain' }: Named, more = {}) =>
    scene.ask(config, {
      body: chat('hi', { model }),
      headers: {
        ...(virtualKey === undefined ? {} : { 'x-gateway-virtual-key': virtualKey }),
        ...(provider === undefined ? {} : { 'x-gateway-provider': provider }),
        ...more,
      },
    })

  describe('is taken from', () => {
    const rest = { virtualKey: 'two', provider: '@three', model: '@three/m' }
    const rows: [what: string, named: Named, called: string, model: string][] = [
      ['x-gateway-config before all others', { config: { provider: '@one' }, ...rest }, 'one', 'm'],
      ['x-gateway-virtual-key before provider and model', rest, 'two', 'm'],
      ['x-gateway-provider before the model', { provider: '@two', model: '@three/m' }, 'two', 'm'],
      ['a model written @slug/model', { model: '@three/m' }, 'three', 'm'],
      ['a model with more slashes', { model: '@three/org/m:free' }, 'three', 'org/m:free'],
      [
        'the headers where the config names none',
        { config: { retry: { attempts: 0 } }, ...rest },
        'two',
        'm',
      ],
      [
        'the model where the config names none',
        { config: { retry: { attempts: 0 } }, model: '@one/m' },
        'one',
        'm',
      ],
      [
        'provider before virtual_key and model, in a target',
        { config: { provider: '@one', virtual_key: 'two', override_params: { model: '@three/m' } } },
        'one',
        'm',
      ],
      [
        'virtual_key before the name of a provider, in a target',
        { config: { provider: 'openai', virtual_key: 'two' } },
        'two',
        'plain',
      ],
      [
        'virtual_key before the model, in a target',
        { config: { virtual_key: 'two', override_params: { model: '@three/m' } } },
        'two',
        'm',
      ],
      [
        'the model of override_params, before the headers',
        { config: { override_params: { model: '@three/m' } }, virtualKey: 'two' },
        'three',
        'm',
      ],
      [
        'the model of override_params above a target, before the headers',
        {
          config: {
            strategy: { mode: 'single' },
            targets: [{ retry: { attempts: 0 } }],
            override_params: { model: '@three/m' },
          },
          virtualKey: 'two',
        },
        'three',
        'm',
      ],
      [
        'the target rather than the model of the body',
        { config: { virtual_key: 'one' }, model: '@two/m' },
        'one',
        'm',
      ],
    ]
    for (const [what, named, called, model] of rows) {
      it(what, async () => {
        const { status } = await ask(named)
        expect(status).to.equal(200)
        expect(scene.calls()).to.deep.equal([called])
        expect(scene.seen(called).headers.authorization).to.equal(`Bearer sk-${called}`)
        expect(scene.seen(called).json?.model).to.equal(model)
      })
    }
  })

  it('does not treat a model that merely looks like a slug as one', async () => {
    await ask({ config: scene.leaf('a'), model: '@cf/meta/llama' })
    expect(scene.seen('a').json?.model).to.equal('@cf/meta/llama')
  })

  describe('is refused with 404 when it is not stored:', () => {
    const rows: [what: string, named: Named, param: string][] = [
      ['provider in a config', { config: { provider: '@nobody' } }, 'config/provider'],
      ['virtual_key in a config', { config: { virtual_key: 'nobody' } }, 'config/virtual_key'],
      [
        'a model in a config',
        { config: { override_params: { model: '@nobody/m' } } },
        'config/override_params/model',
      ],
      [
        'virtual_key beside a stored provider',
        { config: { provider: '@one', virtual_key: 'nobody' } },
        'config/virtual_key',
      ],
      [
        'virtual_key beside the name of a provider',
        { config: { provider: 'openai', virtual_key: 'nobody' } },
        'config/virtual_key',
      ],
      [
        'in a target',
        { config: { strategy: { mode: 'single' }, targets: [{ provider: '@nobody' }] } },
        'config/targets/0/provider',
      ],
      ['x-gateway-virtual-key', { virtualKey: 'nobody' }, 'header/x-gateway-virtual-key'],
      ['x-gateway-provider', { provider: '@nobody' }, 'header/x-gateway-provider'],
      ['the model of the body', { model: '@nobody/m' }, '/model'],
    ]
    for (const [what, named, param] of rows) {
      it(what, async () => {
        const { status, error } = await ask(named)
        expect({ status, code: error.code, param: error.param }).to.deep.equal({
          status: 404,
          code: 'unknown_virtual_key',
          param,
        })
        expect(error.type).to.equal('not_found_error')
      })
    }
  })

  describe('is refused with 400 for an unknown provider:', () => {
    const rows: [what: string, named: Named, param: string][] = [
      ['in a config', { config: { provider: 'nonesuch', api_key: 'k' } }, 'config/provider'],
      ['in a header', { provider: 'nonesuch' }, 'header/x-gateway-provider'],
      ['that is written like an object member', { provider: 'constructor' }, 'header/x-gateway-provider'],
    ]
    for (const [what, named, param] of rows) {
      it(what, async () => {
        const { status, error } = await ask(named)
        expect({ status, code: error.code, param: error.param }).to.deep.equal({
          status: 400,
          code: 'unknown_provider',
          param,
        })
      })
    }
  })

  it('is missing (no_provider) when nothing specifies a provider', async () => {
    for (const config of [null, { retry: { attempts: 1 } }]) {
      const { status, error } = await ask({ config })
      expect({ status, code: error.code }).to.deep.equal({ status: 400, code: 'no_provider' })
    }
  })

  describe('is sent by the caller', () => {
    const direct = (headers: Record<string, string>, provider = 'openai') =>
      ask({ provider }, { 'x-gateway-custom-host': scene.hostOf('a'), ...headers })
    const sent = () => scene.seen('a').headers

    it('in Authorization, next to the gateway key in x-gateway-api-key', async () => {
      expect((await direct({ authorization: 'Bearer sk-own' })).status).to.equal(200)
      expect(sent().authorization).to.equal('Bearer sk-own')
    })

    it('in x-api-key', async () => {
      await direct({ 'x-api-key': 'sk-own' })
      expect(sent().authorization).to.equal('Bearer sk-own')
    })

    it("in the provider's own header", async () => {
      await direct({ authorization: 'Bearer sk-own' }, 'anthropic')
      expect(sent()['x-api-key']).to.equal('sk-own')
      expect(sent().authorization).to.equal(undefined)
    })

    it('with the headers of the credential keys', async () => {
      await direct({
        authorization: 'Bearer sk-own',
        'x-gateway-compat-organization': 'org',
        'x-gateway-compat-project': 'proj',
      })
      expect(sent()).to.include({ 'openai-organization': 'org', 'openai-project': 'proj' })
    })

    it('unless it is the gateway key', async () => {
      await direct({ authorization: `Bearer ${gatewayKey}` })
      expect(sent().authorization).to.equal(undefined)
    })

    it('unless Authorization contains only the gateway key', async () => {
      const response = await fetch(`${scene.gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${gatewayKey}`,
          'x-gateway-provider': 'openai',
          'x-gateway-custom-host': scene.hostOf('a'),
        },
        body: JSON.stringify(chat()),
      })
      expect(response.status).to.equal(200)
      expect(JSON.stringify(sent())).not.to.contain(gatewayKey)
    })

    it('unless a config or a stored credential provides another one', async () => {
      const own = { authorization: 'Bearer sk-own', 'x-api-key': 'sk-own' }
      await ask({ config: scene.leaf('a', { api_key: 'sk-config' }) }, own)
      expect(sent().authorization).to.equal('Bearer sk-config')
      await ask({ virtualKey: 'one' }, own)
      expect(scene.seen('one').headers.authorization).to.equal('Bearer sk-one')
      expect(scene.seen('one').headers['x-api-key']).to.equal(undefined)
    })

    it('and is required if the provider needs one', async () => {
      const { status, error } = await ask({ provider: 'openai' })
      expect({ status, code: error.code, param: error.param }).to.deep.equal({
        status: 400,
        code: 'no_provider',
        param: 'header/x-gateway-provider',
      })
    })
  })
})
