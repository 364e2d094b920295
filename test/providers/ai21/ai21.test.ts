/**
 * Jamba chats. Sources: https://docs.ai21.com/reference/jamba-1-6-api-ref,
 * https://docs.ai21.com/reference/jamba-api-response
 */
import type { JsonObject } from '@gateway/contract'
import ai21 from '@gateway/provider-ai21'
import { expect } from 'chai'
import { createContext, createdAt } from '../fixtures/context.ts'
import { dataEvent, runStream, translatorOf } from '../fixtures/streams.ts'
import { gatewayErrorOf, upstreamErrorOf } from '../fixtures/thrown.ts'

const model = 'jamba-large'
const messages = [{ role: 'user', content: 'Hi' }]

function dialect() {
  const endpoint = ai21.endpoints.chatComplete
  if (endpoint?.kind !== 'http') throw new Error('AI21 does not chat.')
  return endpoint.dialect
}

function requestOf(body: JsonObject): JsonObject {
  const request = { model, messages, ...body }
  return dialect().request(request, createContext({ settings: { provider: 'ai21' }, request }))
}

const call = (args: string) => ({ id: 'a', type: 'function', function: { name: 'f', arguments: args } })
const tool = { type: 'function', function: { name: 'f', parameters: { type: 'object' } } }

describe('AI21 chat', () => {
  const requests: [string, JsonObject, JsonObject][] = [
    [
      'sampling',
      { temperature: 1.5, top_p: 0.5, max_completion_tokens: 9, stop: 'END', n: 2 },
      { temperature: 1.5, top_p: 0.5, max_tokens: 9, stop: ['END'], n: 2 },
    ],
    ['JSON mode', { response_format: { type: 'json_object' } }, { response_format: { type: 'json_object' } }],
    ['documents', { documents: [{ content: 'c' }] }, { documents: [{ content: 'c' }] }],
    ['tools', { tools: [tool], tool_choice: 'auto' }, { tools: [tool] }],
    ['no tools when none may be called', { tools: [tool], tool_choice: 'none' }, {}],
    [
      'functions of before',
      { functions: [{ name: 'f', parameters: { type: 'object' } }] },
      { tools: [tool] },
    ],
    [
      'nothing that the vendor has no word for',
      {
        seed: 1,
        user: 'u',
        logit_bias: {},
        frequency_penalty: 1,
        stream_options: {},
        parallel_tool_calls: true,
      },
      {},
    ],
  ]
  for (const [what, body, expected] of requests) {
    it(`sends ${what}`, () => expect(requestOf(body)).to.deep.equal({ model, messages, ...expected }))
  }

  it('sends content as text, calls and results', () => {
    const given = [
      {
        role: 'developer',
        content: [
          { type: 'text', text: 'Be ' },
          { type: 'text', text: 'brief.' },
        ],
      },
      { role: 'assistant', content: null, tool_calls: [call('{}')] },
      { role: 'tool', tool_call_id: 'a', content: 'one' },
    ]
    expect(requestOf({ messages: given }).messages).to.deep.equal([
      { role: 'system', content: 'Be brief.' },
      { role: 'assistant', content: '', tool_calls: [call('{}')] },
      { role: 'tool', content: 'one', tool_call_id: 'a' },
    ])
  })

  const refused: [string, JsonObject, string][] = [
    ['a forced call', { tools: [tool], tool_choice: 'required' }, '/tool_choice'],
    ['a schema', { response_format: { type: 'json_schema', json_schema: {} } }, '/response_format/type'],
    [
      'images',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://h/a' } }] }] },
      '/messages/0/content/0/type',
    ],
  ]
  for (const [what, body, param] of refused) {
    it(`refuses ${what}`, () => {
      expect(gatewayErrorOf(() => requestOf(body))).to.include({ code: 'invalid_body', param })
    })
  }

  it('fills in members that the vendor omits, and returns arguments as text', () => {
    const answer = {
      id: 'chat-1',
      choices: [
        { index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' },
        {
          index: 1,
          message: {
            role: 'assistant',
            content: '',
            tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: { x: 1 } } }],
          },
          finish_reason: 'stop',
        },
      ],
      usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
    }
    expect(dialect().answer(answer, createContext({ request: { model } }))).to.deep.equal({
      id: 'chat-1',
      object: 'chat.completion',
      created: createdAt,
      model,
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: 'Hello', refusal: null },
          logprobs: null,
          finish_reason: 'stop',
        },
        {
          index: 1,
          message: { role: 'assistant', content: null, refusal: null, tool_calls: [call('{"x":1}')] },
          logprobs: null,
          finish_reason: 'tool_calls',
        },
      ],
      usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
    })
  })

  it('is refused without choices', () => {
    expect(gatewayErrorOf(() => dialect().answer({}, createContext())).code).to.equal(
      'upstream_invalid_response',
    )
  })

  const part = (delta: JsonObject, finish_reason: string | null = null, usage: JsonObject | null = null) =>
    dataEvent({ id: 'chat-1', choices: [{ index: 0, delta, finish_reason }], usage })
  const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }
  const events = [
    part({ role: 'assistant' }),
    part({ content: 'Hel' }),
    part({ content: 'lo' }),
    part({ content: '' }, 'length', usage),
    dataEvent('[DONE]'),
  ]
  const head = { id: 'chat-1', object: 'chat.completion.chunk', created: createdAt, model }
  const chunk = (delta: JsonObject, finish_reason: string | null = null): JsonObject => ({
    ...head,
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
    usage: null,
  })
  const translator = (includeUsage = true) => translatorOf(dialect(), { request: { model }, includeUsage })

  it('streams, with the usage at the end', () => {
    expect(runStream(translator(), events)).to.deep.equal({
      chunks: [
        chunk({ role: 'assistant', content: '' }),
        chunk({ content: 'Hel' }),
        chunk({ content: 'lo' }),
        chunk({}, 'length'),
        { ...head, choices: [], usage },
      ],
      done: true,
    })
  })
  it('streams without usage unless it was requested', () => {
    expect(runStream(translator(false), events).chunks).to.have.length(4)
  })
  it('is not complete without [DONE]', () => {
    expect(runStream(translator(), events.slice(0, -1)).done).to.equal(false)
  })
  it('is broken off by an error event', () => {
    const error = upstreamErrorOf(() => runStream(translator(), [dataEvent({ error: { message: 'no' } })]))
    expect(error).to.include({ status: 502, message: 'no' })
  })
})
