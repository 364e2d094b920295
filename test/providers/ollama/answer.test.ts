/** Native chat answers and streams → the compatible ones. Source: https://docs.ollama.com/api/chat */
import type { JsonObject } from '@gateway/contract'
import { ollamaDialect } from '@gateway/provider-kit'
import { expect } from 'chai'
import { type ContextOptions, createContext, createdAt } from '../fixtures/context.ts'
import { runStream, translatorOf } from '../fixtures/streams.ts'
import { gatewayErrorOf, upstreamErrorOf } from '../fixtures/thrown.ts'
import { answerOf, callOf, eventOf, lineOf, messageOf, metrics, model } from './fixtures.ts'

const usage = { prompt_tokens: 26, completion_tokens: 298, total_tokens: 324 }
const durations = { total_duration: 900, load_duration: 100, prompt_eval_duration: 200, eval_duration: 600 }

describe('Ollama answers', () => {
  it('are chat completions', () => {
    expect(answerOf({ content: 'Hello' })).to.deep.equal({
      id: 'chatcmpl-1',
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
      ],
      usage,
    })
  })

  it("include durations and the vendor's finish reason without strict compliance", () => {
    const answer = answerOf({ content: 'x' }, { done_reason: 'length' }, { strict: false })
    expect(answer).to.deep.include(durations)
    expect(answer.choices).to.deep.equal([
      {
        index: 0,
        message: { role: 'assistant', content: 'x', refusal: null },
        logprobs: null,
        finish_reason: 'length',
        provider_finish_reason: 'length',
      },
    ])
  })

  const calls = [
    { id: 'call_a', function: { name: 'f', arguments: { city: 'Paris' } } },
    { function: { name: 'g', arguments: {} } },
  ]
  it('contain tool calls with arguments as text, and an id if the call has none', () => {
    const answer = answerOf({ tool_calls: calls })
    expect(messageOf(answer)).to.deep.equal({
      role: 'assistant',
      content: null,
      refusal: null,
      tool_calls: [callOf('call_a', 'f', '{"city":"Paris"}'), callOf('call_1', 'g', '{}')],
    })
    expect((answer.choices as JsonObject[])[0]).to.include({ finish_reason: 'tool_calls' })
  })

  it('show thinking without strict compliance only', () => {
    const said = { content: 'So.', thinking: 'Hm.' }
    expect(messageOf(answerOf(said))).to.deep.equal({ role: 'assistant', content: 'So.', refusal: null })
    expect(messageOf(answerOf(said, {}, { strict: false })).content_blocks).to.deep.equal([
      { type: 'thinking', thinking: 'Hm.' },
      { type: 'text', text: 'So.' },
    ])
  })

  it('contain log probabilities', () => {
    const logprobs = [{ token: 'é', logprob: -0.5, top_logprobs: [{ token: 'e', logprob: -1 }] }]
    const answer = answerOf({ content: 'é' }, { logprobs })
    expect((answer.choices as JsonObject[])[0]?.logprobs).to.deep.equal({
      content: [
        {
          token: 'é',
          logprob: -0.5,
          bytes: [195, 169],
          top_logprobs: [{ token: 'e', logprob: -1, bytes: [101] }],
        },
      ],
    })
  })

  it('are refused without a message', () => {
    const error = gatewayErrorOf(() => ollamaDialect.answer({ done: true }, createContext()))
    expect(error.code).to.equal('upstream_invalid_response')
  })

  it('return errors of the API', () => {
    expect(ollamaDialect.error?.(404, { error: 'model "x" not found' }, {})).to.include({
      status: 404,
      message: 'model "x" not found',
    })
  })
})

describe('Ollama streams', () => {
  const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: createdAt, model }
  const chunk = (delta: JsonObject, members: JsonObject = {}): JsonObject => ({
    ...head,
    choices: [{ index: 0, delta, logprobs: null, finish_reason: null, ...members }],
  })
  const run = (lines: JsonObject[], options: ContextOptions = {}) => {
    const request = { model, ...options.request }
    return runStream(translatorOf(ollamaDialect, { ...options, request }), lines.map(eventOf))
  }
  const last = lineOf({}, metrics)

  it('become chunks: the role, the text as it arrives, the finish reason', () => {
    expect(run([lineOf({ content: 'Hel' }), lineOf({ content: 'lo' }), last])).to.deep.equal({
      chunks: [
        chunk({ role: 'assistant', content: '' }),
        chunk({ content: 'Hel' }),
        chunk({ content: 'lo' }),
        chunk({}, { finish_reason: 'stop' }),
      ],
      done: true,
    })
  })

  it('number complete tool calls over all lines', () => {
    const call = (name: string) => ({ tool_calls: [{ function: { name, arguments: { a: 1 } } }] })
    const named = (index: number, name: string) => ({
      tool_calls: [{ index, ...callOf(`call_${index + 2}`, name, '{"a":1}') }],
    })
    expect(run([lineOf(call('f')), lineOf(call('g')), last]).chunks.slice(1)).to.deep.equal([
      chunk(named(0, 'f')),
      chunk(named(1, 'g')),
      chunk({}, { finish_reason: 'tool_calls' }),
    ])
  })

  it('end with the usage when it was requested', () => {
    const { chunks } = run([lineOf({ content: 'x' }), last], { includeUsage: true })
    expect(chunks[chunks.length - 1]).to.deep.equal({ ...head, choices: [], usage })
  })

  it('show thinking and durations without strict compliance only', () => {
    const lines = [lineOf({ thinking: 'Hm.' }), last]
    expect(run(lines).chunks).to.have.length(2)
    expect(run(lines, { strict: false }).chunks.slice(1)).to.deep.equal([
      chunk({ content_blocks: [{ index: 0, type: 'thinking', thinking: 'Hm.' }] }),
      { ...chunk({}, { finish_reason: 'stop', provider_finish_reason: 'stop' }), ...durations },
    ])
  })

  for (const error of ['GPU on fire', { message: 'GPU on fire' }]) {
    it(`are broken off by the error ${JSON.stringify(error)}`, () => {
      const fault = upstreamErrorOf(() => run([lineOf({ content: 'x' }), { error }]))
      expect(fault).to.include({ status: 502, message: 'GPU on fire' })
    })
  }

  it('are not complete without the line with done', () => {
    expect(run([lineOf({ content: 'x' })]).done).to.equal(false)
  })

  it('are refused when a line is not JSON', () => {
    const translator = translatorOf(ollamaDialect)
    const error = gatewayErrorOf(() => translator.event({ event: null, data: '{"model"' }))
    expect(error.code).to.equal('upstream_invalid_response')
  })
})
