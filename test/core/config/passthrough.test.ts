/** `passthrough`: a target that leaves provider and credential to the request. */
import { expect } from 'chai'
import { chat } from '../../support/gateway.ts'
import { openScene, tree } from '../../support/scene.ts'

describe('passthrough', () => {
  const scene = openScene((origin) => ({
    providers: { stored: { provider: 'openai', api_key: 'sk-stored', custom_host: `${origin}/stored/v1` } },
  }))
  const ask = (config: unknown, headers: Record<string, string> = {}, model = 'm') =>
    scene.ask(config, { headers, body: chat('hi', { model }) })

  const sources: Record<string, [headers: () => Record<string, string>, model: string, called: string]> = {
    'x-gateway-virtual-key': [() => ({ 'x-gateway-virtual-key': 'stored' }), 'm', 'stored'],
    'x-gateway-provider with a slug': [() => ({ 'x-gateway-provider': '@stored' }), 'm', 'stored'],
    'x-gateway-provider with its own credential': [
      () => ({
        'x-gateway-provider': 'openai',
        'x-gateway-custom-host': scene.hostOf('own'),
        authorization: 'Bearer sk-own',
      }),
      'm',
      'own',
    ],
    'the model': [() => ({}), '@stored/m', 'stored'],
  }
  for (const [what, [headers, model, called]] of Object.entries(sources)) {
    it(`takes provider and credential from ${what}`, async () => {
      const reply = await ask({ passthrough: true }, headers(), model)
      expect(reply).to.include({ status: 200, index: 'config' })
      expect(scene.calls()).to.deep.equal([called])
      expect(scene.seen(called).headers.authorization).to.equal(`Bearer sk-${called}`)
      expect(scene.seen(called).json?.model).to.equal('m')
    })
  }

  it('is answered with no_provider when the request specifies no provider', async () => {
    const { status, error } = await ask({ passthrough: true })
    expect({ status, code: error.code }).to.deep.equal({ status: 400, code: 'no_provider' })
  })

  it('takes them from the request even when the node names a provider', async () => {
    const config = { passthrough: true, provider: 'openai', api_key: 'sk-config' }
    await ask(config, { 'x-gateway-virtual-key': 'stored' })
    expect(scene.seen('stored').headers.authorization).to.equal('Bearer sk-stored')
  })

  it('can be one target of several', async () => {
    scene.answers = { stored: 500 }
    const config = tree('fallback', [{ passthrough: true }, scene.leaf('a')])
    const reply = await ask(config, { 'x-gateway-virtual-key': 'stored' })
    expect(reply).to.include({ status: 200, index: 'config.targets[1]' })
    expect(scene.calls()).to.deep.equal(['stored', 'a'])
  })

  it('lets a fallback continue when the request specifies no provider', async () => {
    const reply = await ask(tree('fallback', [{ passthrough: true }, scene.leaf('a')]))
    expect(reply).to.include({ status: 200, index: 'config.targets[1]' })
  })

  it('can be combined with keys that do not choose the target', async () => {
    const hook = { id: 'h', checks: [{ id: 'default.wordCount', parameters: {} }] }
    const config = {
      passthrough: true,
      retry: { attempts: 1 },
      request_timeout: 60_000,
      forward_headers: ['x-team'],
      before_request_hooks: [hook],
      after_request_hooks: [hook],
    }
    const reply = await ask(config, { 'x-gateway-virtual-key': 'stored', 'x-team': 'red' })
    expect(reply.status).to.equal(200)
    expect(scene.seen('stored').headers['x-team']).to.equal('red')
    expect(reply.body).to.have.nested.property('hook_results.after_request_hooks[0].id', 'h')
  })

  describe('cannot be combined with', () => {
    const excluded: Record<string, unknown> = {
      targets: [{ provider: 'echo' }],
      strategy: { mode: 'single' },
      override_params: { seed: 1 },
      input_guardrails: [],
      output_guardrails: [],
    }
    for (const [key, value] of Object.entries(excluded)) {
      it(key, async () => {
        const { status, error } = await ask({ passthrough: true, [key]: value })
        expect(status).to.equal(400)
        const details = error.details as { param: string; code: string }[]
        expect(details.map(({ param }) => param)).to.include(`config/${key}`)
        expect(error.code).to.equal('invalid_config')
      })
    }

    it('several of these keys, and names each of them', async () => {
      const { error } = await ask({ passthrough: true, ...excluded })
      const params = (error.details as { param: string }[]).map(({ param }) => param)
      expect(params).to.have.members(Object.keys(excluded).map((key) => `config/${key}`))
    })
  })

  it('is off with the value false', async () => {
    const config = { passthrough: false, ...tree('single', [scene.leaf('a', { passthrough: false })]) }
    expect((await ask(config, { 'x-gateway-virtual-key': 'stored' })).index).to.equal('config.targets[0]')
    expect(scene.calls()).to.deep.equal(['a'])
  })
})
