/**
 * Tools, choices and parameters that are newer than the gateway's schemas, at providers that support them and at
 * others.
 */
import { expect } from 'chai'
import { message } from '../../plugins/dialect-messages/fixtures.ts'
import { chat } from '../../support/gateway.ts'
import { openScene } from '../../support/scene.ts'
import { sendJson } from '../../support/upstream.ts'

const explain = { 'x-gateway-explain': 'true' }
const weather = { type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }
const advisor = { type: 'openrouter:advisor' }

const claude = (_request: unknown, response: Parameters<typeof sendJson>[0]) =>
  sendJson(response, 200, message('ok'))

describe('a body with members newer than the schemas', () => {
  const scene = openScene()
  const sent = () => scene.seen('a').json

  it('reaches a provider of the same format unchanged', async () => {
    const tools = [weather, advisor, { type: 'custom', custom: { name: 'patch' } }]
    const tool_choice = { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [weather] } }
    const reply = await scene.ask(scene.leaf('a'), { body: chat('x', { tools, tool_choice }) })
    expect(reply.status, reply.text).to.equal(200)
    expect(sent()).to.deep.include({ tools, tool_choice })
  })

  it('keeps a call of a newer type in the conversation', async () => {
    const call = { id: 'c', type: 'custom', custom: { name: 'patch', input: 'x' } }
    const messages = [
      { role: 'user', content: 'x' },
      { role: 'assistant', tool_calls: [call] },
    ]
    const reply = await scene.ask(scene.leaf('a'), { body: { model: 'm', messages } })
    expect(reply.status, reply.text).to.equal(200)
    expect(sent()).to.deep.include({ messages })
  })

  it('gets the type function where a tool has a function but no type', async () => {
    const bare = { function: weather.function }
    const call = { id: 'c', function: { name: 'weather', arguments: '{}' } }
    const messages = [
      { role: 'user', content: 'x' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c', content: 'sunny' },
    ]
    const tool_choice = { function: { name: 'weather' } }
    const reply = await scene.ask(scene.leaf('a'), {
      body: { model: 'm', messages, tools: [bare, weather], tool_choice },
    })
    expect(reply.status, reply.text).to.equal(200)
    expect(sent()).to.deep.include({
      tools: [weather, weather],
      tool_choice: { type: 'function', function: { name: 'weather' } },
    })
    expect(sent()).to.have.nested.property('messages[1].tool_calls[0].type', 'function')
  })

  it('reaches another format without the tools that it lacks, and the decision trace names them', async () => {
    scene.answers.a = claude
    const reply = await scene.ask(scene.leaf('a', { provider: 'anthropic' }), {
      body: chat('x', { tools: [weather, advisor], tool_choice: 'any' }),
      headers: explain,
    })
    expect(reply.status, reply.text).to.equal(200)
    expect(sent()).to.have.nested.property('tools[0].name', 'weather')
    expect(sent()).to.have.nested.property('tools.length', 1)
    expect(sent()).to.deep.include({ tool_choice: { type: 'any' } })
    const decisions = reply.body.decisions as { step: string }[]
    expect(decisions.find(({ step }) => step === 'translate')).to.deep.include({ left_out: ['/tools/1'] })
  })

  it('reaches another format without the input items that are not known', async () => {
    scene.answers.a = claude
    const reply = await scene.ask(scene.leaf('a', { provider: 'anthropic' }), {
      path: '/v1/responses',
      body: {
        model: 'm',
        input: [
          { type: 'newer_item', role: 'robot' },
          { role: 'user', content: 'x' },
          { type: 'newer_mark' },
        ],
      },
      headers: explain,
    })
    expect(reply.status, reply.text).to.equal(200)
    expect(sent()).to.have.nested.property('messages.length', 1)
    const decisions = reply.body.decisions as { step: string }[]
    expect(decisions.find(({ step }) => step === 'translate')).to.deep.include({
      left_out: ['/input/0', '/input/2'],
    })
  })

  const calling = (_request: unknown, response: Parameters<typeof sendJson>[0]) =>
    sendJson(response, 200, {
      ...message(''),
      content: [{ type: 'tool_use', id: 'toolu_1', name: 'newer', input: { x: 1 } }],
      stop_reason: 'tool_use',
    })

  it('has tools of unknown types with a name and a schema as functions at another format', async () => {
    scene.answers.a = calling
    const schema = { type: 'object', properties: { x: { type: 'integer' } } }
    const responded = await scene.ask(scene.leaf('a', { provider: 'anthropic' }), {
      path: '/v1/responses',
      body: {
        ...{ model: 'm', input: 'x', tools: [{ type: 'newer_tool', name: 'newer', parameters: schema }] },
        tool_choice: { type: 'newer_tool', name: 'newer' },
      },
    })
    expect(responded.status, responded.text).to.equal(200)
    expect(sent()).to.have.deep.nested.property('tools[0].input_schema.properties', schema.properties)
    expect(sent()).to.deep.include({ tool_choice: { type: 'tool', name: 'newer' } })
    expect(responded.body).to.have.nested.property('output[0].type', 'function_call')
    expect(responded.body).to.have.nested.property('output[0].name', 'newer')
    scene.answers.a = 200
    const tool = { type: 'newer_20270101', name: 'newer', input_schema: schema }
    const written = await scene.ask(scene.leaf('a'), {
      path: '/v1/messages',
      body: { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'x' }], tools: [tool] },
    })
    expect(written.status, written.text).to.equal(200)
    expect(sent()).to.have.nested.property('tools[0].function.name', 'newer')
  })

  const refused: [what: string, body: object, param: string][] = [
    ['with such a tool alone', { tools: [advisor] }, '/tools/0/type'],
    ['that forces such a tool', { tools: [weather, advisor], tool_choice: advisor }, '/tool_choice'],
  ]
  for (const [what, body, param] of refused) {
    it(`is refused at another format ${what}`, async () => {
      const reply = await scene.ask(scene.leaf('a', { provider: 'anthropic' }), {
        body: chat('x', body as Record<string, unknown>),
      })
      expect([reply.status, reply.error.code, reply.error.param]).to.deep.equal([400, 'invalid_body', param])
      expect(scene.calls()).to.deep.equal([])
    })
  }

  for (const provider of ['z-ai', 'zhipu', 'deepseek', 'moonshot']) {
    it(`sends thinking to ${provider}, which defines it, as the caller wrote it`, async () => {
      const thinking = { type: 'enabled', clear_thinking: false }
      for (const strict_compat_compliance of [true, false]) {
        await scene.ask(scene.leaf('a', { provider, strict_compat_compliance }), {
          body: chat('x', { thinking }),
        })
        expect(sent()).to.deep.include({ thinking })
      }
      await scene.ask(scene.leaf('a', { provider }), {
        body: chat('x', { thinking: { clear_thinking: true } }),
      })
      expect(sent()).to.deep.include({ thinking: { clear_thinking: true } })
    })
  }

  it('has items, tools and choices of newer types at a provider with the Responses API', async () => {
    const body = {
      model: 'm',
      input: [
        { role: 'user', content: 'x' },
        { type: 'additional_tools', role: 'developer', tools: [{ type: 'function', name: 'f' }] },
        { type: 'newer_item', role: 'robot' },
      ],
      tools: [{ type: 'newer_tool' }],
      tool_choice: { type: 'newer_choice' },
      client_metadata: { installation_id: 'i' },
    }
    scene.answers.a = (_request, response) =>
      sendJson(response, 200, { id: 'resp_1', object: 'response', status: 'completed', output: [] })
    const reply = await scene.ask(scene.leaf('a'), { path: '/v1/responses', body })
    expect(reply.status, reply.text).to.equal(200)
    expect(sent()).to.deep.equal(body)
  })

  it('has tools, choices and blocks of newer types at a provider with the Messages API', async () => {
    scene.answers.a = claude
    const body = {
      model: 'm',
      max_tokens: 9,
      system: [{ type: 'newer_block' }],
      messages: [{ role: 'user', content: [{ type: 'newer_part' }] }],
      tools: [{ type: 'newer_tool_20270101', name: 'newer' }],
      tool_choice: { type: 'newer_choice' },
    }
    const reply = await scene.ask(scene.leaf('a', { provider: 'anthropic' }), { path: '/v1/messages', body })
    expect(reply.status, reply.text).to.equal(200)
    expect(sent()).to.deep.equal(body)
  })
})
