/** Thinking, text and calls keep their order, and signatures their position, when an answer is sent back. */
import { asJson, isObject, type JsonObject } from '@gateway/contract'
import { expect } from 'chai'
import { compatibleFormat } from '#streaming/compatible-format'
import { openScene, type Reply } from '../../../support/scene.ts'
import { sendEvents, sendJson } from '../../../support/upstream.ts'

const use = (id: string) => ({ type: 'tool_use', id, name: 'f', input: { a: 1 } })
const thinking = (text: string) => ({ type: 'thinking', thinking: text, signature: `sig ${text}` })
const text = (said: string) => ({ type: 'text', text: said })

const orders: [what: string, blocks: JsonObject[]][] = [
  ['before and after text', [thinking('one'), text('so'), thinking('two'), use('t1')]],
  ['between calls', [thinking('one'), use('t1'), thinking('two'), use('t2')]],
  [
    'between texts',
    [text('a'), thinking('one'), text('b'), text('c'), thinking('two'), text('d'), use('t1')],
  ],
  ['only at the beginning', [thinking('one'), text('so'), use('t1'), use('t2')]],
  ['nowhere', [text('so'), use('t1'), text('then'), use('t2')]],
]

/** The events of a message with these blocks. */
function eventsOf(blocks: readonly JsonObject[]): string[] {
  const events: JsonObject[] = blocks.flatMap((block, index) => {
    const { start, deltas } = openingOf(block)
    return [
      { type: 'content_block_start', index, content_block: start },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]
  })
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], usage: {} }
  return [
    { type: 'message_start', message },
    ...events,
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 3 } },
    { type: 'message_stop' },
  ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
}

function openingOf(block: JsonObject): { start: JsonObject; deltas: JsonObject[] } {
  if (block.type === 'text')
    return { start: { type: 'text', text: '' }, deltas: [{ type: 'text_delta', text: block.text }] }
  if (block.type === 'tool_use')
    return {
      start: { ...block, input: {} },
      deltas: [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input) }],
    }
  return {
    start: { type: 'thinking', thinking: '', signature: '' },
    deltas: [
      { type: 'thinking_delta', thinking: block.thinking },
      { type: 'signature_delta', signature: block.signature },
    ],
  }
}

const dataOf = (reply: Reply): JsonObject[] =>
  reply.text
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => asJson(JSON.parse(line.slice(6))) as JsonObject)

/** The output of a response, streamed or not. */
function outputOf(reply: Reply): JsonObject[] {
  const last = dataOf(reply).find(({ type }) => type === 'response.completed')
  const response = isObject(last?.response) ? last.response : reply.body
  return Array.isArray(response.output) ? response.output.filter(isObject) : []
}

/** Joins consecutive texts into one block, because chat has no boundaries between texts. */
function joined(blocks: unknown): unknown[] {
  const list: JsonObject[] = []
  for (const block of Array.isArray(blocks) ? blocks.filter(isObject) : []) {
    const last = list.at(-1)
    if (last?.type === 'text' && block.type === 'text')
      last.text = `${String(last.text)}${String(block.text)}`
    else list.push({ ...block })
  }
  return list
}

const question = { role: 'user', content: 'hi' }

describe('an answer with interleaved thinking', () => {
  const scene = openScene()
  const config = () => scene.leaf('a', { provider: 'anthropic', strict_compat_compliance: false })
  const answer = (blocks: JsonObject[], stream: boolean) => {
    scene.answers.a = (_request, response) =>
      stream
        ? sendEvents(response, eventsOf(blocks))
        : sendJson(response, 200, {
            id: 'msg_1',
            type: 'message',
            role: 'assistant',
            model: 'm',
            content: blocks,
            stop_reason: 'tool_use',
            usage: { input_tokens: 1, output_tokens: 1 },
          })
  }
  const sentBlocks = () => {
    const { messages } = scene.seen('a').json as { messages: { role: string; content: unknown }[] }
    return joined(messages.find(({ role }) => role === 'assistant')?.content)
  }

  for (const stream of [false, true]) {
    for (const [what, blocks] of orders) {
      const results = blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => String(id))

      it(`${what} is sent back as it was by a chat caller, ${stream ? '' : 'not '}streamed`, async () => {
        answer(blocks, stream)
        const reply = await scene.ask(config(), { body: { model: 'claude-x', messages: [question], stream } })
        const whole = stream ? compatibleFormat.assemble(dataOf(reply)) : reply.body
        const [choice] = (whole as { choices: { message: JsonObject }[] }).choices
        const outputs = results.map((id) => ({ role: 'tool', tool_call_id: id, content: 'x' }))
        const messages = [question, choice?.message, ...outputs]
        await scene.ask(config(), { body: { model: 'claude-x', messages } })
        expect(sentBlocks()).to.deep.equal(joined(blocks))
      })

      it(`${what} is sent back as it was by a Responses caller, ${stream ? '' : 'not '}streamed`, async () => {
        answer(blocks, stream)
        const body = { model: 'claude-x', input: [question], stream }
        const reply = await scene.ask(config(), { path: '/v1/responses', body })
        const output = outputOf(reply)
        const outputs = results.map((id) => ({ type: 'function_call_output', call_id: id, output: 'x' }))
        const input = [question, ...output, ...outputs]
        await scene.ask(config(), { path: '/v1/responses', body: { model: 'claude-x', input } })
        expect(sentBlocks()).to.deep.equal(joined(blocks))
      })
    }
  }
})

describe("a signature of Gemini's", () => {
  const scene = openScene()
  const config = () => scene.leaf('a', { provider: 'google' })
  const tools = { chat: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }] }
  const call = (id: string, signature: string) => ({
    functionCall: { id, name: 'f', args: {} },
    thoughtSignature: signature,
  })
  const parts = [{ text: 'so' }, call('c1', 'sig one'), { functionCall: { id: 'c2', name: 'f', args: {} } }]

  const answer = (stream: boolean, given: object[] = parts) => {
    const body = {
      candidates: [{ index: 0, content: { role: 'model', parts: given }, finishReason: 'STOP' }],
    }
    scene.answers.a = (_request, response) =>
      stream ? sendEvents(response, [`data: ${JSON.stringify(body)}\n\n`]) : sendJson(response, 200, body)
  }
  const sentParts = () => {
    const { contents } = scene.seen('a').json as { contents: { role: string; parts: unknown[] }[] }
    return contents.find(({ role }) => role === 'model')?.parts
  }

  for (const stream of [false, true]) {
    const how = stream ? 'streamed' : 'not streamed'

    it(`comes back with its call on chat completions, ${how}`, async () => {
      answer(stream)
      const asked = { model: 'gemini-3-flash', tools: tools.chat }
      const reply = await scene.ask(config(), { body: { ...asked, messages: [question], stream } })
      const whole = stream ? compatibleFormat.assemble(dataOf(reply)) : reply.body
      const [choice] = (whole as { choices: { message: JsonObject }[] }).choices
      const results = ['c1', 'c2'].map((id) => ({ role: 'tool', tool_call_id: id, content: 'x' }))
      await scene.ask(config(), { body: { ...asked, messages: [question, choice?.message, ...results] } })
      expect(sentParts()).to.deep.equal(parts)
    })

    it(`comes back with its call on messages, ${how}`, async () => {
      answer(stream)
      const asked = {
        model: 'gemini-3-flash',
        max_tokens: 9,
        tools: [{ name: 'f', input_schema: { type: 'object' } }],
      }
      const options = (messages: unknown[], isStream: boolean) => ({
        path: '/v1/messages',
        body: { ...asked, messages, stream: isStream },
      })
      const reply = await scene.ask(config(), options([question], stream))
      const content = stream
        ? dataOf(reply)
            .filter(({ type }) => type === 'content_block_start')
            .map(({ content_block: block }) => block as JsonObject)
            .map((block) => (block.type === 'text' ? { ...block, text: 'so' } : block))
        : (reply.body as { content: JsonObject[] }).content
      const results = ['c1', 'c2'].map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'x' }))
      const messages = [question, { role: 'assistant', content }, { role: 'user', content: results }]
      await scene.ask(config(), options(messages, false))
      expect(sentParts()).to.deep.equal(parts)
    })

    it(`comes back with its call on responses, ${how}`, async () => {
      answer(stream)
      const asked = {
        model: 'gemini-3-flash',
        tools: [{ type: 'function', name: 'f', parameters: { type: 'object' } }],
      }
      const options = (input: unknown[], isStream: boolean) => ({
        path: '/v1/responses',
        body: { ...asked, input, stream: isStream },
      })
      const reply = await scene.ask(config(), options([question], stream))
      const output = outputOf(reply)
      const results = ['c1', 'c2'].map((id) => ({ type: 'function_call_output', call_id: id, output: 'x' }))
      await scene.ask(config(), options([question, ...output, ...results], false))
      expect(sentParts()).to.deep.equal(parts)
    })

    it(`comes back with its text on responses, ${how}`, async () => {
      const said = [{ text: 'so', thoughtSignature: 'sig text' }]
      answer(stream, said)
      const options = (input: unknown[], isStream: boolean) => ({
        path: '/v1/responses',
        body: { model: 'gemini-3-flash', input, stream: isStream },
      })
      const reply = await scene.ask(config(), options([question], stream))
      const output = outputOf(reply)
      await scene.ask(config(), options([question, ...output, question], false))
      expect(sentParts()).to.deep.equal(said)
    })
  }
})
