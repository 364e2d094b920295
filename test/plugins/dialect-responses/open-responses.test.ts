/**
 * Every answer that the gateway builds for `/v1/responses` contains the fields required by Open Responses, for every
 * provider.
 */
import type { JsonObject } from '@gateway/contract'
import { expect } from 'chai'
import { responseFaults, streamFaults } from '../../support/open-responses.ts'
import {
  chatAnswer,
  chatChunk,
  chatEvents,
  type Handler,
  sendEvents,
  sendJson,
} from '../../support/upstream.ts'
import { openResponses, sayBack } from './scene.ts'

const call = (index: number, name: string) => ({
  index,
  id: `call_${index}`,
  type: 'function',
  function: { name, arguments: '{"a":1}' },
})

/** A chat provider with reasoning, which calls two functions if it receives any. */
const thinks: Handler = ({ json: asked }, response) => {
  const tool_calls = asked?.tools === undefined ? undefined : [call(0, 'first'), call(1, 'second')]
  const message = { reasoning_content: 'Let me think.', ...(tool_calls ? { content: null, tool_calls } : {}) }
  if (asked?.stream !== true) {
    const answer = chatAnswer('done') as { choices: { message: JsonObject; finish_reason: string }[] }
    const choice = answer.choices[0]
    if (choice !== undefined) Object.assign(choice.message, message)
    return sendJson(response, 200, answer)
  }
  const deltas: JsonObject[] = [
    { reasoning_content: 'Let me think.' },
    ...(tool_calls === undefined ? [{ content: 'done' }] : tool_calls.map((one) => ({ tool_calls: [one] }))),
  ]
  sendEvents(response, [
    ...deltas.map((delta) => `data: ${JSON.stringify(chatChunk(delta))}\n\n`),
    ...chatEvents().slice(-2),
  ])
}

const anthropicEvents: [string, JsonObject][] = [
  [
    'message_start',
    {
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'claude',
        content: [],
        usage: { input_tokens: 3, output_tokens: 1 },
      },
    },
  ],
  ['content_block_start', { index: 0, content_block: { type: 'thinking', thinking: '', signature: '' } }],
  ['content_block_delta', { index: 0, delta: { type: 'thinking_delta', thinking: 'Let me think.' } }],
  ['content_block_delta', { index: 0, delta: { type: 'signature_delta', signature: 'c2ln' } }],
  ['content_block_stop', { index: 0 }],
  ['content_block_start', { index: 1, content_block: { type: 'text', text: '' } }],
  ['content_block_delta', { index: 1, delta: { type: 'text_delta', text: 'done' } }],
  ['content_block_stop', { index: 1 }],
  ['message_delta', { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 9 } }],
  ['message_stop', {}],
]

/** A provider with its own format and with reasoning. */
const anthropic: Handler = ({ json: asked }, response) => {
  if (asked?.stream === true)
    return sendEvents(
      response,
      anthropicEvents.map(([type, data]) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`),
    )
  sendJson(response, 200, {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude',
    content: [
      { type: 'thinking', thinking: 'Let me think.', signature: 'c2ln' },
      { type: 'text', text: 'done' },
    ],
    stop_reason: 'end_turn',
    stop_sequence: null,
    usage: { input_tokens: 3, output_tokens: 9 },
  })
}

const tools = ['first', 'second'].map((name) => ({ type: 'function', name, parameters: { type: 'object' } }))

const requests: Record<string, JsonObject> = {
  'a plain request': { input: 'hello there' },
  'every parameter': {
    input: [{ role: 'user', content: 'hello there' }],
    instructions: 'Be brief.',
    max_output_tokens: 50,
    max_tool_calls: 3,
    metadata: { a: 'b' },
    parallel_tool_calls: false,
    presence_penalty: 0.5,
    frequency_penalty: -0.5,
    temperature: 0.3,
    top_p: 0.8,
    service_tier: 'auto',
    safety_identifier: 'person-1',
    prompt_cache_key: 'key-1',
    truncation: 'auto',
    store: false,
    text: { format: { type: 'json_schema', name: 's', schema: { type: 'object' } }, verbosity: 'low' },
  },
  tools: { input: 'hello there', tools, tool_choice: 'required' },
}

describe('the answers of /v1/responses', () => {
  const scene = openResponses({
    providers: {
      chats: { provider: 'acme', api_key: 'sk-chats' },
      // The address of the upstream is not known until the scene opens.
      claude: { provider: 'anthropic', api_key: 'sk-claude', custom_host: 'UPSTREAM' },
      echo: { provider: 'echo' },
    },
  })
  const providers: [name: string, model: string, handler: Handler][] = [
    ['a chat provider that returns text', '@chats/m', sayBack],
    ['a chat provider that thinks and calls functions', '@chats/m', thinks],
    ['Anthropic', '@claude/claude', anthropic],
    ['echo', '@echo/echo-1', sayBack],
  ]

  for (const [provider, model, handler] of providers) {
    for (const [name, request] of Object.entries(requests)) {
      it(`have every required field: ${provider}, ${name}`, async () => {
        scene.play(handler)
        const { status, body } = await scene.ask({ ...request, model })
        expect(status).to.equal(200)
        expect(responseFaults(body)).to.deep.equal([])
      })

      it(`stream events with every required field, then [DONE]: ${provider}, ${name}`, async () => {
        scene.play(handler)
        const { status, text } = await scene.ask({ ...request, model, stream: true })
        expect(status).to.equal(200)
        expect(streamFaults(text)).to.deep.equal([])
      })
    }
  }

  it('repeat the parameters of the request', async () => {
    const given = requests['every parameter'] ?? {}
    const { body } = await scene.ask({ ...given, model: '@chats/m' })
    const { input: _, text, ...rest } = given
    expect(body).to.deep.include(rest)
    expect(body.text).to.deep.equal({
      format: { ...(text as { format: JsonObject }).format, description: null, strict: false },
      verbosity: 'low',
    })
  })

  it("contain the format's defaults for parameters that the request omits", async () => {
    const { body } = await scene.ask({ input: 'hello there' })
    expect(body).to.deep.include({
      temperature: 1,
      top_p: 1,
      presence_penalty: 0,
      frequency_penalty: 0,
      max_tool_calls: null,
      service_tier: 'default',
      safety_identifier: null,
      prompt_cache_key: null,
    })
  })

  for (const [name, model, handler] of [
    ['a chat provider', '@chats/m', thinks],
    ['Anthropic', '@claude/claude', anthropic],
  ] as const) {
    it(`contain reasoning under strict compliance, too: ${name}`, async () => {
      scene.play(handler)
      const { body }: { body: JsonObject } = await scene.ask({ input: 'hello there', model })
      expect((body.output as JsonObject[])[0]).to.deep.include({
        type: 'reasoning',
        summary: [{ type: 'summary_text', text: 'Let me think.' }],
      })
      const streamed = await scene.ask({ input: 'hello there', model, stream: true })
      expect(streamed.text).to.contain('response.reasoning_summary_text.done')
    })
  }

  for (const stream of [false, true]) {
    it(`drop calls beyond max_tool_calls${stream ? ', streamed' : ''}`, async () => {
      scene.play(thinks)
      const { text } = await scene.ask({ input: 'hello there', tools, max_tool_calls: 1, stream })
      expect(text).to.contain('"first"').and.contain('call_0')
      expect(text).not.to.contain('call_1')
    })
  }

  it('refuse a previous response that was not stored', async () => {
    const { status, body } = await scene.ask({ input: 'hello', previous_response_id: 'resp_unknown' })
    expect(status).to.equal(404)
    expect(body.error).to.include({
      code: 'previous_response_not_found',
      type: 'not_found_error',
      param: '/previous_response_id',
    })
  })
})
