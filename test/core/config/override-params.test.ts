/** `override_params`: applied to the caller's body, merged downwards, the nearer node wins. */
import { expect } from 'chai'
import { chat } from '../../support/gateway.ts'
import { openScene, tree } from '../../support/scene.ts'

describe('override_params', () => {
  const scene = openScene()
  type Params = Record<string, unknown> | null
  const params = (value: Params) => (value === null ? {} : { override_params: value })
  const config = (top: Params, middle: Params, leaf: Params) => ({
    ...tree('single', [{ ...tree('single', [scene.leaf('a', params(leaf))]), ...params(middle) }]),
    ...params(top),
  })

  interface Row {
    what: string
    layers: [Params, Params, Params]
    body?: Record<string, unknown>
    sent: Record<string, unknown>
    absent?: string[]
  }
  const rows: Row[] = [
    { what: 'beat the body', layers: [null, null, { seed: 1 }], body: { seed: 9 }, sent: { seed: 1 } },
    {
      what: 'add to the body',
      layers: [null, null, { seed: 1 }],
      body: { user: 'u' },
      sent: { seed: 1, user: 'u' },
    },
    { what: 'come from above', layers: [{ seed: 1 }, null, null], sent: { seed: 1 } },
    {
      what: 'are merged from all nodes',
      layers: [{ seed: 1 }, { user: 'u' }, { temperature: 0.5 }],
      sent: { seed: 1, user: 'u', temperature: 0.5 },
    },
    { what: 'let the nearer win', layers: [{ seed: 1 }, { seed: 2 }, { seed: 3 }], sent: { seed: 3 } },
    {
      what: 'replace a value whole',
      layers: [
        { response_format: { type: 'json_object', a: 1 } },
        null,
        { response_format: { type: 'text' } },
      ],
      sent: { response_format: { type: 'text' } },
    },
    { what: 'replace the model', layers: [{ model: 'other' }, null, null], sent: { model: 'other' } },
    {
      what: 'drop parameters set to null',
      layers: [null, null, { seed: null }],
      body: { seed: 9 },
      sent: {},
      absent: ['seed'],
    },
    {
      what: 'drop parameters of the node above',
      layers: [{ seed: 1 }, null, { seed: null }],
      sent: {},
      absent: ['seed'],
    },
    {
      what: 'set parameters dropped by the node above',
      layers: [{ seed: null }, null, { seed: 2 }],
      sent: { seed: 2 },
    },
    {
      what: 'can be parameters outside the specification',
      layers: [null, null, { top_k: 5 }],
      sent: { top_k: 5 },
    },
  ]
  for (const { what, layers, body, sent, absent = [] } of rows) {
    it(what, async () => {
      const { status } = await scene.ask(config(...layers), { body: chat('hi', body) })
      expect(status).to.equal(200)
      const { json } = scene.seen('a')
      expect(json).to.deep.include({ ...sent, messages: [{ role: 'user', content: 'hi' }] })
      if (absent.length > 0) expect(json).not.to.have.any.keys(...absent)
    })
  }

  it('of one target do not reach the next target', async () => {
    scene.answers = { a: 500 }
    await scene.ask(tree('fallback', [scene.leaf('a', params({ seed: 1 })), scene.leaf('b')]))
    expect(scene.seen('a').json).to.include({ seed: 1 })
    expect(scene.seen('b').json).not.to.have.any.keys('seed')
  })

  for (const [what, provider, name] of [
    ['itself', 'openai', 'reasoning'],
    ['itself', 'groq', 'reasoning'],
    ['derived from another', 'groq', 'reasoning_effort'],
    ['derived from another', 'groq', 'response_format'],
  ] as const)
    it(`set to null remove ${name} (${what}) from a response request to ${provider}`, async () => {
      const body = {
        model: 'm',
        input: 'hi',
        reasoning: { effort: 'high' },
        text: { format: { type: 'json_object' } },
      }
      const target = scene.leaf('a', { provider, override_params: { [name]: null } })
      await scene.ask(target, { path: '/v1/responses', body })
      expect(scene.seen('a').path).to.match(provider === 'groq' ? /completions$/ : /responses$/)
      const left = name === 'reasoning' ? ['reasoning', 'reasoning_effort'] : [name]
      expect(scene.seen('a').json).not.to.have.any.keys(...left)
    })

  const refused: [what: string, value: Record<string, unknown>, param: string][] = [
    ['a value out of its range', { temperature: 3 }, '/temperature'],
    ['a value of another type', { max_tokens: 'many' }, '/max_tokens'],
    ['a model that is dropped', { model: null }, '/model'],
    ['messages that are dropped', { messages: null }, '/messages'],
    ['parameters that do not go together', { stream_options: { include_usage: true } }, '/stream_options'],
  ]
  for (const [what, value, param] of refused) {
    it(`are refused when they produce ${what}`, async () => {
      const { status, error } = await scene.ask(config(null, value, null))
      expect({ status, code: error.code, param: error.param }).to.deep.equal({
        status: 400,
        code: 'invalid_body',
        param,
      })
      expect(scene.calls()).to.deep.equal([])
    })
  }

  it('that are invalid for one target let a fallback continue with the next', async () => {
    const broken = scene.leaf('a', params({ temperature: 3 }))
    const reply = await scene.ask(tree('fallback', [broken, scene.leaf('b')]))
    expect(reply).to.include({ status: 200, index: 'config.targets[1]' })
    expect(scene.calls()).to.deep.equal(['b'])
  })

  it('cannot repair an invalid body', async () => {
    const body = chat('hi', { temperature: 3 })
    const { error } = await scene.ask(config(null, null, { temperature: 1 }), { body })
    expect(error).to.include({ code: 'invalid_body', param: '/temperature' })
  })

  it('can turn on streaming', async () => {
    const reply = await scene.ask(config(null, null, { stream: true }))
    expect(reply.headers.get('content-type')).to.contain('text/event-stream')
    expect(reply.text).to.contain('[DONE]')
  })

  it('do not change the prototype of any object', async () => {
    const text = `{"provider":"openai","api_key":"k","custom_host":"${scene.hostOf('a')}","override_params":{"__proto__":{"seed":1}}}`
    const { status } = await scene.ask(null, { headers: { 'x-gateway-config': text } })
    expect(status).to.be.lessThan(500)
    expect(({} as { seed?: number }).seed).to.equal(undefined)
  })
})
