/**
 * Reka chats. Sources: https://docs.reka.ai/chat/overview, https://docs.reka.ai/function-calling,
 * https://github.com/reka-ai/reka-sdk-python
 */
import type { Dialect, JsonObject } from '@gateway/contract'
import reka from '@gateway/provider-reka-ai'
import { expect } from 'chai'
import { createContext, createdAt } from '../fixtures/context.ts'
import { dataEvent, runStream, translatorOf } from '../fixtures/streams.ts'
import { gatewayErrorOf, upstreamErrorOf } from '../fixtures/thrown.ts'

const model = 'reka-flash'
const messages = [{ role: 'user', content: 'Hi' }]

function dialect(): Dialect {
  const declared = reka.endpoints.chatComplete
  const endpoint =
    declared?.kind === 'choice' ? declared.choose({ model }, { provider: 'reka-ai' }) : declared
  if (endpoint?.kind !== 'http') throw new Error('Reka does not chat.')
  return endpoint.dialect
}

function requestOf(body: JsonObject): JsonObject {
  const request = { model, messages, ...body }
  return dialect().request(request, createContext({ settings: { provider: 'reka-ai' }, request }))
}

const call = (id: string, args: string) => ({
  id,
  type: 'function',
  function: { name: 'f', arguments: args },
})
const parameters = { type: 'object', properties: {} }
const tool = (name: string) => ({ type: 'function', function: { name, description: 'd', parameters } })
const own = (name: string) => ({ name, description: 'd', parameters })

describe('Reka chat', () => {
  const requests: [string, JsonObject, JsonObject][] = [
    [
      'sampling',
      {
        temperature: 0.5,
        top_p: 0.9,
        top_k: 4,
        seed: 7,
        stop: 'END',
        max_tokens: 9,
        use_search_engine: true,
      },
      {
        temperature: 0.5,
        top_p: 0.9,
        top_k: 4,
        seed: 7,
        stop: ['END'],
        max_tokens: 9,
        use_search_engine: true,
      },
    ],
    ['tools', { tools: [tool('f')] }, { tools: [own('f')], tool_choice: 'auto' }],
    [
      'a forced call',
      { tools: [tool('f'), tool('g')], tool_choice: { type: 'function', function: { name: 'g' } } },
      { tools: [own('g')], tool_choice: 'tool' },
    ],
    ['no call', { tools: [tool('f')], tool_choice: 'none' }, { tools: [own('f')], tool_choice: 'none' }],
    ['nothing that the vendor has no word for', { user: 'u', logprobs: true, logit_bias: {} }, {}],
  ]
  for (const [what, body, expected] of requests) {
    it(`sends ${what}`, () => expect(requestOf(body)).to.deep.equal({ model, messages, ...expected }))
  }

  it('sends one system message, parts, calls, and results together', () => {
    const given = [
      { role: 'system', content: 'One.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'See' },
          { type: 'image_url', image_url: { url: 'https://host/a.png' } },
          { type: 'input_audio', input_audio: { format: 'wav', data: 'aGk=' } },
          { type: 'video_url', video_url: 'https://host/v.mp4' },
        ],
      },
      { role: 'developer', content: 'Two.' },
      { role: 'assistant', content: null, tool_calls: [call('a', '{"x":1}'), call('b', '')] },
      { role: 'tool', tool_call_id: 'a', content: 'one' },
      { role: 'tool', tool_call_id: 'b', content: 'two' },
    ]
    expect(requestOf({ messages: given }).messages).to.deep.equal([
      { role: 'system', content: 'One.\n\nTwo.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'See' },
          { type: 'image_url', image_url: 'https://host/a.png' },
          { type: 'audio_url', audio_url: 'data:audio/wav;base64,aGk=' },
          { type: 'video_url', video_url: 'https://host/v.mp4' },
        ],
      },
      {
        role: 'assistant',
        tool_calls: [
          { id: 'a', name: 'f', parameters: { x: 1 } },
          { id: 'b', name: 'f', parameters: {} },
        ],
      },
      {
        role: 'tool_output',
        content: [
          { tool_call_id: 'a', output: 'one' },
          { tool_call_id: 'b', output: 'two' },
        ],
      },
    ])
  })

  const refused: [string, JsonObject, string][] = [
    ['several choices', { n: 2 }, '/n'],
    ['JSON mode', { response_format: { type: 'json_object' } }, '/response_format/type'],
    [
      'files',
      { messages: [{ role: 'user', content: [{ type: 'file', file: {} }] }] },
      '/messages/0/content/0/type',
    ],
    [
      'arguments that are no object',
      { messages: [{ role: 'assistant', tool_calls: [call('a', '1')] }] },
      '/messages/0/tool_calls/0/function/arguments',
    ],
  ]
  for (const [what, body, param] of refused) {
    it(`refuses ${what}`, () => {
      expect(gatewayErrorOf(() => requestOf(body))).to.include({ code: 'invalid_body', param })
    })
  }

  const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }
  const answerOf = (response: JsonObject): JsonObject => {
    const body = { id: 'r-1', model, responses: [response], usage: { input_tokens: 3, output_tokens: 2 } }
    return dialect().answer(body, createContext({ request: { model } }))
  }

  it('returns text', () => {
    const message = { role: 'assistant', content: 'Hello' }
    expect(answerOf({ finish_reason: 'context', message })).to.deep.equal({
      id: 'r-1',
      object: 'chat.completion',
      created: createdAt,
      model,
      choices: [
        { index: 0, message: { ...message, refusal: null }, logprobs: null, finish_reason: 'length' },
      ],
      usage,
    })
  })

  it('returns calls', () => {
    const tool_calls = [{ id: 'a', name: 'f', parameters: { x: 1 } }]
    const answer = answerOf({
      finish_reason: 'stop',
      message: { role: 'assistant', content: '', tool_calls },
    })
    expect(answer.choices).to.deep.equal([
      {
        index: 0,
        message: { role: 'assistant', content: null, refusal: null, tool_calls: [call('a', '{"x":1}')] },
        logprobs: null,
        finish_reason: 'tool_calls',
      },
    ])
  })

  it('is refused without responses', () => {
    expect(gatewayErrorOf(() => dialect().answer({ responses: [] }, createContext())).code).to.equal(
      'upstream_invalid_response',
    )
  })

  const said = (chunk: JsonObject, finish_reason: string | null = null) =>
    dataEvent({
      id: 'r-1',
      model,
      responses: [{ chunk: { role: 'assistant', ...chunk }, finish_reason }],
      usage: { input_tokens: 3, output_tokens: 2 },
    })
  const run = (events: ReturnType<typeof said>[], includeUsage = false) =>
    runStream(translatorOf(dialect(), { request: { model }, includeUsage }), events)
  const deltas = (events: ReturnType<typeof said>[]) =>
    run(events).chunks.flatMap((chunk) =>
      (chunk.choices as { delta: JsonObject }[]).map(({ delta }) => delta),
    )

  it('streams the difference between cumulative chunks', () => {
    const events = [said({ content: 'Hel' }), said({ content: 'Hello' }), said({ content: 'Hello' }, 'stop')]
    expect(deltas(events)).to.deep.equal([
      { role: 'assistant', content: '' },
      { content: 'Hel' },
      { content: 'lo' },
      {},
    ])
    expect(run(events).done).to.equal(true)
  })

  it('streams incremental chunks', () => {
    expect(deltas([said({ content: 'Hel' }), said({ content: 'lo' }, 'stop')]).slice(1)).to.deep.equal([
      { content: 'Hel' },
      { content: 'lo' },
      {},
    ])
  })

  it('streams each call once, and the usage', () => {
    const tool_calls = [{ id: 'a', name: 'f', parameters: {} }]
    const { chunks } = run([said({ tool_calls }), said({ tool_calls }, 'tool_calls')], true)
    expect(chunks.slice(1).map(({ choices }) => choices)).to.deep.equal([
      [
        {
          index: 0,
          delta: { tool_calls: [{ index: 0, ...call('a', '{}') }] },
          logprobs: null,
          finish_reason: null,
        },
      ],
      [{ index: 0, delta: {}, logprobs: null, finish_reason: 'tool_calls' }],
      [],
    ])
    expect(chunks[chunks.length - 1]?.usage).to.deep.equal(usage)
  })

  it('is not complete without a finish reason', () => {
    expect(run([said({ content: 'x' })]).done).to.equal(false)
  })

  it('is broken off by an error', () => {
    const fault = upstreamErrorOf(() => run([dataEvent({ error: 'no' })]))
    expect(fault).to.include({ status: 502, message: 'no' })
  })
})
