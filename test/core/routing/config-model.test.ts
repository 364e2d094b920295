/** A saved config named as the model. */
import { expect } from 'chai'
import { chat, json, startGateway, type TestGateway } from '../../support/gateway.ts'

const echo = (model: string) => ({ provider: '@mine', override_params: { model } })

const file = {
  providers: { mine: { provider: 'echo' } },
  configs: {
    prod: echo('real-model'),
    down: {
      strategy: { mode: 'fallback' },
      targets: [
        { ...echo('first'), override_params: { model: 'first', echo: { status: 503 } } },
        echo('second'),
      ],
    },
    half: { strategy: { mode: 'fallback' }, targets: [echo('first'), { provider: '@mine' }] },
    slugged: { retry: { attempts: 1 }, override_params: { model: '@mine/by-slug' } },
  },
}

describe('a saved config as the model', () => {
  let gateway: TestGateway

  before(async () => {
    gateway = await startGateway(file)
  })
  after(() => gateway.stop())

  const ask = (model: string, headers: Record<string, string> = {}) =>
    gateway.post('/v1/chat/completions', { ...chat(), model }, headers)

  const served: [model: string, headers: Record<string, string>, called: string, index: string][] = [
    ['#prod', {}, 'real-model', 'config'],
    ['#prod@1', {}, 'real-model', 'config'],
    ['#down', {}, 'second', 'config.targets[1]'],
    ['#slugged', {}, 'by-slug', 'config'],
    ['#prod', { 'x-gateway-config': 'down' }, 'second', 'config.targets[1]'],
  ]
  for (const [model, headers, called, index] of served)
    it(`routes ${model} ${JSON.stringify(headers)} to ${called}`, async () => {
      const answer = await ask(model, headers)
      expect(answer.status).to.equal(200)
      expect((await json(answer)).model).to.equal(called)
      expect(answer.headers.get('x-gateway-last-used-option-index')).to.equal(index)
    })

  const refused: [
    model: string,
    headers: Record<string, string>,
    status: number,
    code: string,
    says: string,
  ][] = [
    ['#nobody', {}, 404, 'unknown_config', '"nobody"'],
    ['#prod@2', {}, 404, 'unknown_config', '"prod@2"'],
    ['#', {}, 404, 'unknown_config', '""'],
    [`#${'x'.repeat(5000)}`, {}, 404, 'unknown_config', 'xxx'],
    ['#half', {}, 400, 'no_model', 'config.targets[1]'],
    ['#half', { 'x-gateway-config': '{"provider":"@mine"}' }, 400, 'no_model', 'config'],
  ]
  for (const [model, headers, status, code, says] of refused)
    it(`refuses ${model.slice(0, 20)} ${JSON.stringify(headers)} with ${code}`, async () => {
      const answer = await ask(model, headers)
      expect(answer.status).to.equal(status)
      const { error } = (await json(answer)) as unknown as { error: Record<string, string> }
      expect(error).to.include({ code, param: '/model' })
      expect(error.message).to.include(says)
    })

  it('works for a stream, for completions, for embeddings and for messages', async () => {
    const bodies: [path: string, body: object][] = [
      ['/v1/chat/completions', { ...chat(), model: '#prod', stream: true }],
      ['/v1/completions', { model: '#prod', prompt: 'a' }],
      ['/v1/embeddings', { model: '#prod', input: 'a' }],
      ['/v1/messages', { ...chat(), model: '#prod', max_tokens: 5 }],
      ['/v1/responses', { model: '#prod', input: 'a' }],
    ]
    for (const [path, body] of bodies) {
      const answer = await gateway.post(path, body)
      expect(answer.status, path).to.equal(200)
      const text = await answer.text()
      expect(text, path).to.include('real-model')
      expect(text, path).not.to.include('#prod')
    }
  })

  it('is listed among the models, and can be retrieved by its id', async () => {
    const { data } = (await json(await gateway.get('/v1/models?search=%23'))) as unknown as {
      data: { id: string }[]
    }
    expect(data.map(({ id }) => id)).to.have.members(['#prod', '#down', '#slugged'])
    const one = await json(await gateway.get('/v1/models/%23prod'))
    expect(one).to.deep.include({ id: '#prod', object: 'model', owned_by: 'gateway' })
    expect((await gateway.get('/v1/models/%23nobody')).status).to.equal(404)
    const vendor = (await json(
      await gateway.get('/v1/models', { 'anthropic-version': '2023-06-01' }),
    )) as unknown as {
      data: Record<string, string>[]
    }
    expect(vendor.data).to.deep.include({
      type: 'model',
      id: '#prod',
      display_name: 'prod',
      created_at: vendor.data[0]?.created_at,
    })
  })

  it('is not listed when it cannot be called: without a model, without a usable target, or without the scope', async () => {
    expect((await gateway.get('/v1/models/%23half')).status).to.equal(404)
    const made = await gateway.post('/v1/api-keys/workspace/service', {
      name: 'lists only',
      workspace_id: 'default',
      scopes: ['models.list'],
    })
    const own = { 'x-gateway-api-key': String((await json(made)).key) }
    const { data } = (await json(await gateway.get('/v1/models', own))) as unknown as {
      data: { id: string }[]
    }
    expect(data.filter(({ id }) => id.startsWith('#'))).to.deep.equal([])
    expect((await gateway.get('/v1/models/%23prod', own)).status).to.equal(404)
    await gateway.writeConfig({
      ...file,
      providers: { mine: { provider: 'echo', models: [{ slug: 'real-model', enabled: false }] } },
    })
    await gateway.reload()
    const left = (await json(await gateway.get('/v1/models?search=%23'))) as unknown as {
      data: { id: string }[]
    }
    expect(left.data.map(({ id }) => id)).to.have.members(['#down', '#slugged'])
    await gateway.writeConfig(file)
    await gateway.reload()
  })

  it('is not listed for a provider', async () => {
    const { data } = (await json(await gateway.get('/v1/models?provider=mine'))) as unknown as {
      data: { id: string }[]
    }
    expect(data.filter(({ id }) => id.startsWith('#'))).to.deep.equal([])
  })

  it('finds stored configs by slug and by version', async () => {
    const made = await json(
      await gateway.post('/v1/configs', {
        name: 'Stored',
        slug: 'stored',
        workspace_id: 'default',
        config: echo('one'),
      }),
    )
    await fetch(`${gateway.url}/v1/configs/${String(made.id)}`, {
      method: 'PUT',
      headers: { 'x-gateway-api-key': 'test-admin-key-0123456789', 'content-type': 'application/json' },
      body: JSON.stringify({ config: echo('two') }),
    })
    const model = async (name: string) => (await json(await ask(name))).model
    expect(await model('#stored')).to.equal('two')
    expect(await model('#stored@1')).to.equal('one')
    expect(await model(`#${String(made.id)}`)).to.equal('two')
    expect((await ask('#stored@3')).status).to.equal(404)
  })

  it('is refused to a key that allows no config in the request, except its own default config', async () => {
    const created = await json(
      await gateway.post('/v1/api-keys/workspace/service', {
        name: 'bound',
        workspace_id: 'default',
        scopes: ['completions.write', 'models.list'],
        defaults: { config_id: 'prod', allow_config_override: false },
      }),
    )
    const own = { 'x-gateway-api-key': String(created.key) }
    expect((await ask('#prod', own)).status).to.equal(200)
    const answer = await ask('#down', own)
    expect(answer.status).to.equal(400)
    expect((await json(answer)).error).to.include({ code: 'invalid_header', param: '/model' })
    const { data } = (await json(await gateway.get('/v1/models', own))) as unknown as {
      data: { id: string }[]
    }
    expect(data.filter(({ id }) => id.startsWith('#')).map(({ id }) => id)).to.deep.equal(['#prod'])
  })
})
