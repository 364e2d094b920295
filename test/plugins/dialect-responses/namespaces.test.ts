/**
 * Namespaces of tools, as sent by Codex for its agents and MCP servers, at a provider that has only chat completions.
 */
import { expect } from 'chai'
import { chatAnswer, chatEvents, type Handler, sendEvents, sendJson } from '../../support/upstream.ts'
import { openResponses } from './scene.ts'

const scene = openResponses()

const schema = { type: 'object', properties: { city: { type: 'string' } } }
const functionOf = (name: string) => ({
  type: 'function',
  name,
  description: `does ${name}`,
  parameters: schema,
})
const weather = {
  type: 'namespace',
  name: 'mcp__weather__',
  description: 'Weather.',
  tools: [functionOf('now')],
}
const agents = { type: 'namespace', name: 'multi_agent_v1', description: '', tools: [functionOf('spawn')] }
const tools = [functionOf('shell'), weather, agents]

const callOf = (name: string) => ({
  index: 0,
  id: 'call_1',
  type: 'function',
  function: { name, arguments: '{"city":"Bonn"}' },
})

const firstItem = ({ output }: { output?: object[] }) => output?.[0]

/** Calls this function. */
const calling =
  (name: string): Handler =>
  ({ json: asked }, response) => {
    if (asked?.stream !== true)
      return sendJson(response, 200, {
        ...chatAnswer(''),
        choices: [
          {
            index: 0,
            finish_reason: 'tool_calls',
            message: { role: 'assistant', content: null, tool_calls: [callOf(name)] },
          },
        ],
      })
    const events = chatEvents('x')
    const delta = { choices: [{ index: 0, delta: { tool_calls: [callOf(name)] }, finish_reason: null }] }
    return sendEvents(response, [`data: ${JSON.stringify(delta)}\n\n`, ...events.slice(2)])
  }

describe('tool namespaces in a response request', () => {
  it('are sent to the provider as functions with flat names and the description of the namespace', async () => {
    const { status, text } = await scene.ask({ input: 'hi', tools })
    expect(status, text).to.equal(200)
    const [asked] = scene.seen()
    expect(asked?.json).to.have.deep.property('tools', [
      { type: 'function', function: { name: 'shell', description: 'does shell', parameters: schema } },
      {
        type: 'function',
        function: { name: 'mcp__weather__now', description: 'Weather.\n\ndoes now', parameters: schema },
      },
      {
        type: 'function',
        function: { name: 'multi_agent_v1__spawn', description: 'does spawn', parameters: schema },
      },
    ])
  })

  it('are repeated in the response as they were sent', async () => {
    const { body } = await scene.ask({ input: 'hi', tools })
    expect(body).to.have.deep.nested.property('tools[1]', weather)
  })

  for (const [flat, name, namespace] of [
    ['mcp__weather__now', 'now', 'mcp__weather__'],
    ['multi_agent_v1__spawn', 'spawn', 'multi_agent_v1'],
  ] as const) {
    it(`return the call of ${flat} with its name and its namespace`, async () => {
      scene.play(calling(flat))
      const { body } = await scene.ask({ input: 'hi', tools })
      expect(body).to.have.nested.property('output[0].type', 'function_call')
      expect(firstItem(body)).to.include({ name, namespace, arguments: '{"city":"Bonn"}' })
    })

    it(`return the streamed call of ${flat} with its name and its namespace`, async () => {
      scene.play(calling(flat))
      const { text } = await scene.ask({ input: 'hi', tools, stream: true })
      const events = text
        .split('\n')
        .filter((line) => line.startsWith('data: {'))
        .map((line) => JSON.parse(line.slice(6)))
      for (const type of ['response.output_item.added', 'response.output_item.done']) {
        const event = events.find((one) => one.type === type)
        expect(event?.item, type).to.include({ type: 'function_call', name, namespace })
      }
      const done = events.find((one) => one.type === 'response.function_call_arguments.done')
      expect(done).to.include({ name })
    })
  }

  it('return a call without a namespace unchanged', async () => {
    scene.play(calling('shell'))
    const { body } = await scene.ask({ input: 'hi', tools })
    expect(firstItem(body)).to.include({ name: 'shell' }).and.not.have.property('namespace')
  })

  it('keep calls and their results from earlier turns together', async () => {
    const call = {
      type: 'function_call',
      call_id: 'c',
      name: 'now',
      namespace: 'mcp__weather__',
      arguments: '{}',
    }
    const result = { type: 'function_call_output', call_id: 'c', output: 'sunny' }
    await scene.ask({ input: [{ role: 'user', content: 'hi' }, call, result], tools })
    const messages = scene.seen()[0]?.json?.messages
    expect(messages).to.have.nested.property('[1].tool_calls[0].function.name', 'mcp__weather__now')
    expect(messages).to.have.nested.property('[2].tool_call_id', 'c')
  })

  it('can be selected with tool_choice, one function or several', async () => {
    const one = { type: 'function', name: 'now', namespace: 'mcp__weather__' }
    await scene.ask({ input: 'hi', tools, tool_choice: one })
    await scene.ask({
      input: 'hi',
      tools,
      tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [one] },
    })
    const [first, second] = scene.seen()
    expect(first?.json).to.have.nested.property('tool_choice.function.name', 'mcp__weather__now')
    expect(second?.json?.tools).to.have.lengthOf(1)
  })

  it('keep functions with names too long for a chat request distinct', async () => {
    const long = {
      ...weather,
      name: `mcp__${'a'.repeat(60)}__`,
      tools: [functionOf('one'), functionOf('two')],
    }
    await scene.ask({ input: 'hi', tools: [long] })
    const sent = (scene.seen()[0]?.json?.tools ?? []) as { function: { name: string } }[]
    const names = sent.map((tool) => tool.function.name)
    expect(new Set(names).size).to.equal(2)
    for (const name of names) expect(name).to.match(/^[a-zA-Z0-9_-]{64}$/)
    scene.play(calling(names[1] ?? ''))
    const { body } = await scene.ask({ input: 'hi', tools: [long] })
    expect(firstItem(body)).to.include({ name: 'two', namespace: long.name })
  })

  it('are refused when two functions get the same flat name', async () => {
    const { status, body } = await scene.ask({
      input: 'hi',
      tools: [functionOf('mcp__weather__now'), weather],
    })
    expect(status).to.equal(400)
    expect(body.error).to.include({ code: 'invalid_body', param: '/tools' })
  })

  it("are refused with the path when they contain a vendor's built-in tool", async () => {
    const search = { ...weather, tools: [{ type: 'file_search' }] }
    const { status, body } = await scene.ask({ input: 'hi', tools: [search] })
    expect(status).to.equal(400)
    expect(body.error).to.include({ code: 'invalid_body', param: '/tools/0/tools/0/type' })
  })
})
