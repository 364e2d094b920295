/** Prompts and partials of the config file, and prompts that targets of a config run. */
import { expect } from 'chai'
import { startGateway } from '../../support/gateway.ts'
import { openManagement } from '../../support/management.ts'

const chatText = (content: string) => JSON.stringify([{ role: 'user', content }])

describe('prompts in the config file', () => {
  const api = openManagement({
    providers: { own: { provider: 'echo' } },
    prompts: {
      greeting: {
        string: chatText('{{>intro}} {{name}}'),
        parameters: { temperature: 0.5, model: 'inner' },
        virtual_key: 'own',
      },
      other: { string: chatText('Other {{name}}'), model: 'm2', name: 'The other' },
      text: { string: 'Say {{word}}', model: 'm3', template_metadata: { template_type: 'completion' } },
    },
    prompt_partials: { intro: { string: 'Dear' } },
  })

  it('are listed, read and run like others, with one version', async () => {
    const { data } = await api.get('/v1/prompts?workspace_id=default')
    expect(data.map(({ slug }) => slug)).to.have.members(['greeting', 'other', 'text'])
    const { body } = await api.get('/v1/prompts/greeting')
    expect(body).to.include({
      source: 'file',
      slug: 'greeting',
      model: 'inner',
      prompt_version: 1,
      published_version: 1,
      owner_id: null,
    })
    expect(body.variables).to.deep.equal(['name'])
    expect((await api.get('/v1/prompts/greeting/versions')).body.total).to.equal(1)
    expect((await api.get('/v1/prompts/greeting/versions/1')).status).to.equal(200)
    expect((await api.get('/v1/prompts/greeting/versions/2')).status).to.equal(404)
    expect((await api.get('/v1/prompts/partials/intro')).body).to.include({ source: 'file', version: 1 })
    for (const suffix of ['', '@1', '@latest', '@published']) {
      const run = await api.post(`/v1/prompts/greeting${suffix}/completions`, { variables: { name: 'Ann' } })
      expect(run.status, run.text).to.equal(200)
      const rendered = await api.post(`/v1/prompts/greeting${suffix}/render`, { variables: { name: 'Ann' } })
      expect(rendered.body.data).to.deep.equal({
        temperature: 0.5,
        model: 'inner',
        messages: [{ role: 'user', content: 'Dear Ann' }],
      })
    }
  })

  it('cannot be changed', async () => {
    const calls: [method: string, path: string, body?: unknown][] = [
      ['PUT', '/v1/prompts/greeting', { name: 'x' }],
      ['DELETE', '/v1/prompts/greeting'],
      ['PUT', '/v1/prompts/greeting/makeDefault', { version: 1 }],
      ['PUT', '/v1/prompts/greeting/versions/1', { labels: ['staging'] }],
      ['DELETE', '/v1/prompts/partials/intro'],
      [
        'POST',
        '/v1/prompts',
        { name: 'x', slug: 'greeting', workspace_id: 'default', string: chatText('x'), model: 'm' },
      ],
    ]
    for (const [method, path, body] of calls) {
      const { status, error } = await api.call(method, path, { body })
      expect([status, error.code], `${method} ${path}`).to.deep.equal([409, 'conflict'])
    }
  })

  const refused: [name: string, file: Record<string, unknown>, fault: RegExp][] = [
    ['no model', { prompts: { p: { string: chatText('x') } } }, /\/prompts\/p\/model is required/],
    [
      'a template fault',
      { prompts: { p: { string: chatText('{{#a}}'), model: 'm' } } },
      /\/prompts\/p\/string .*line 1/,
    ],
    [
      'an unknown partial',
      { prompts: { p: { string: chatText('{{>x}}'), model: 'm' } } },
      /\/prompts\/p\/string .*"x"/,
    ],
    [
      'a cycle',
      { prompt_partials: { a: { string: '{{>b}}' }, b: { string: '{{>a}}' } } },
      /\/prompt_partials\/a\/string .*in itself/,
    ],
  ]
  for (const [name, file, fault] of refused) {
    it(`stop the start with ${name}`, async () => {
      const message = await startGateway(file).then(
        async (gateway) => {
          await gateway.stop()
          return 'it started'
        },
        (error: Error) => error.message,
      )
      expect(message).to.match(fault)
    })
  }

  describe('run by targets of a config', () => {
    const ask = (path: string, config: unknown, body: Record<string, unknown>) =>
      api.post(path, body, { 'x-gateway-config': JSON.stringify(config) })
    const tree = (...targets: unknown[]) => ({ strategy: { mode: 'fallback' }, targets })
    const contentOf = (body: Record<string, unknown>) => JSON.stringify(body)

    it('use the variables of a chat call, which needs neither messages nor a model', async () => {
      const { status, body, text } = await ask(
        '/v1/chat/completions',
        { prompt_id: 'greeting' },
        { variables: { name: 'Ann' } },
      )
      expect(status, text).to.equal(200)
      expect(contentOf(body)).to.include('Dear Ann')
      expect(body.model).to.equal('inner')
    })

    it('replace the prompt that is called, with the same variables', async () => {
      const config = { provider: '@own', prompt_id: 'other@1' }
      const { status, body, text } = await ask('/v1/prompts/greeting/completions', config, {
        variables: { name: 'Ann' },
      })
      expect(status, text).to.equal(200)
      expect(contentOf(body)).to.include('Other Ann')
      const rendered = await ask('/v1/prompts/greeting/render', config, { variables: { name: 'Ann' } })
      expect(contentOf(rendered.body)).to.include('Dear Ann')
    })

    it('fail like a target: a fallback continues', async () => {
      const config = tree({ provider: '@own', prompt_id: 'nobody' }, { provider: '@own', prompt_id: 'other' })
      const { status, body, text } = await ask('/v1/chat/completions', config, { variables: { name: 'Ann' } })
      expect(status, text).to.equal(200)
      expect(contentOf(body)).to.include('Other Ann')
      const only = await ask('/v1/chat/completions', { provider: '@own', prompt_id: 'nobody' }, {})
      expect([only.status, only.error.code]).to.deep.equal([404, 'unknown_prompt'])
      const wrong = await ask('/v1/chat/completions', { provider: '@own', prompt_id: 'text' }, {})
      expect([wrong.status, wrong.error.code]).to.deep.equal([400, 'unsupported_endpoint'])
    })

    it('do not supply members that other targets lack', async () => {
      const config = tree({ provider: '@own' }, { provider: '@own', prompt_id: 'other' })
      const { headers, body } = await ask('/v1/chat/completions', config, { variables: { name: 'Ann' } })
      expect(contentOf(body)).to.include('Other Ann')
      expect(headers.get('x-gateway-last-used-option-index')).to.equal('config.targets[1]')
      const plain = await ask('/v1/chat/completions', { provider: '@own' }, { variables: {} })
      expect([plain.status, plain.error.code]).to.deep.equal([400, 'invalid_body'])
    })

    it('are checked by the guardrails above them, and after their own override_params', async () => {
      const guarded = {
        ...tree({ provider: '@own', prompt_id: 'other', override_params: { model: 'forced' } }),
        input_guardrails: [
          {
            id: 'g',
            deny: true,
            checks: [{ id: 'default.contains', parameters: { operator: 'none', words: ['Bob'] } }],
          },
        ],
      }
      const denied = await ask('/v1/chat/completions', guarded, { variables: { name: 'Bob' } })
      expect(denied.status).to.equal(446)
      const passed = await ask('/v1/chat/completions', guarded, { variables: { name: 'Ann' } })
      expect(passed.status, passed.text).to.equal(200)
      expect(passed.body.model).to.equal('forced')
    })

    it('share the cache above them by their rendered text', async () => {
      const cached = { ...tree({ provider: '@own', prompt_id: 'other' }), cache: { mode: 'simple' } }
      const status = async (name: string) =>
        (await ask('/v1/chat/completions', cached, { variables: { name } })).headers.get(
          'x-gateway-cache-status',
        )
      expect([await status('A'), await status('A'), await status('B')]).to.deep.equal(['MISS', 'HIT', 'MISS'])
    })
  })
})

describe('a config in the config file', () => {
  const api = openManagement({
    providers: { own: { provider: 'echo' } },
    configs: {
      runs: {
        strategy: { mode: 'fallback' },
        targets: [{ provider: '@own', prompt_id: 'kept@latest' }, { provider: '@own' }],
      },
    },
  })

  it('prevents the deletion of the prompt that it runs', async () => {
    const made = await api.post('/v1/prompts', {
      name: 'Kept',
      slug: 'kept',
      string: chatText('x'),
      model: 'm',
      workspace_id: 'default',
    })
    expect(made.status, made.text).to.equal(200)
    const { status, error } = await api.delete('/v1/prompts/kept?workspace_id=default')
    expect([status, error.code]).to.deep.equal([409, 'conflict'])
    expect(error.message).to.include('config runs of the config file')
  })
})
