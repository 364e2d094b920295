/**
 * Streams, event by event.
 * Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStreamOutput.html
 */
import type { JsonObject, StreamEvent } from '@gateway/contract'
import { converseDialect } from '@gateway/provider-kit'
import { expect } from 'chai'
import fc from 'fast-check'
import { assertProperty } from '../../support/assert-property.ts'
import { type ContextOptions, createdAt } from '../fixtures/context.ts'
import { type Run, runStream, translatorOf } from '../fixtures/streams.ts'
import { gatewayErrorOf, upstreamErrorOf } from '../fixtures/thrown.ts'
import { claude, nova } from './fixtures/chat.ts'
import {
  event,
  metadata,
  reasoning,
  start,
  stop,
  text,
  textStream,
  toolStream,
  toolUse,
} from './fixtures/streams.ts'

function run(events: readonly StreamEvent[], options: ContextOptions = {}): Run {
  const request = { model: claude, ...options.request }
  return runStream(translatorOf(converseDialect, { ...options, request }), events)
}

const choicesOf = ({ chunks }: Run): JsonObject[] => chunks.flatMap(({ choices }) => choices as JsonObject[])
const deltasOf = (given: Run): unknown[] => choicesOf(given).map(({ delta }) => delta)
const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: createdAt, model: claude }

describe('Converse streams', () => {
  it('become chunks, from the role to the finish reason', () => {
    const chunk = (delta: JsonObject, finish_reason: string | null = null) => ({
      ...head,
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
    })
    expect(run(textStream)).to.deep.equal({
      chunks: [
        chunk({ role: 'assistant', content: '' }),
        chunk({ content: 'Hel' }),
        chunk({ content: 'lo' }),
        chunk({}, 'stop'),
      ],
      done: true,
    })
  })

  it('end with the usage only when it was requested', () => {
    const { chunks } = run(textStream, { includeUsage: true })
    expect(chunks.slice(0, -1).every(({ usage }) => usage === null)).to.equal(true)
    expect(chunks.at(-1)).to.deep.equal({
      ...head,
      choices: [],
      usage: {
        prompt_tokens: 135,
        completion_tokens: 15,
        total_tokens: 150,
        prompt_tokens_details: { cached_tokens: 100 },
      },
    })
    expect(run(textStream).chunks.some((chunk) => 'usage' in chunk)).to.equal(false)
  })

  it('include the service tier with the usage, and trace and metrics without strict compliance', () => {
    const trace = { promptRouter: { invokedModelId: 'm' } }
    const events = [...textStream.slice(0, -1), metadata({ trace, serviceTier: { type: 'flex' } })]
    const last = run(events, { includeUsage: true, strict: false }).chunks.at(-1)
    expect(last).to.deep.include({ service_tier: 'flex', trace, metrics: { latencyMs: 300 } })
    const strict = run(events, { includeUsage: true }).chunks.at(-1)
    expect(strict).to.include({ service_tier: 'flex' }).and.not.have.any.keys('trace', 'metrics')
  })

  it('number tool calls, also those with complete arguments', () => {
    expect(deltasOf(run(toolStream)).slice(2, -1)).to.deep.equal([
      {
        tool_calls: [
          { index: 0, id: 'tooluse_1', type: 'function', function: { name: 'get_weather', arguments: '' } },
        ],
      },
      { tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '"Paris"}' } }] },
      {
        tool_calls: [
          { index: 1, id: 'tooluse_2', type: 'function', function: { name: 'get_time', arguments: '' } },
        ],
      },
      { tool_calls: [{ index: 1, function: { arguments: '{}' } }] },
    ])
    expect(choicesOf(run(toolStream)).at(-1)).to.include({ finish_reason: 'tool_calls' })
  })

  it('use the legacy function_call for a legacy request', () => {
    const events = [start, ...toolUse(0, { id: 't', name: 'f' }, '{}'), stop('tool_use'), metadata()]
    const result = run(events, { request: { functions: [{ name: 'f' }] } })
    expect(deltasOf(result).slice(1, -1)).to.deep.equal([
      { function_call: { name: 'f', arguments: '' } },
      { function_call: { arguments: '{}' } },
    ])
    expect(choicesOf(result).at(-1)).to.include({ finish_reason: 'function_call' })
  })

  it('made by the schema tool are the requested text', () => {
    const schema = { type: 'object', properties: { a: {} } }
    const request = {
      model: nova,
      response_format: { type: 'json_schema', json_schema: { name: 'x', schema } },
    }
    const events = [
      start,
      ...toolUse(0, { id: 't', name: 'json_output' }, '{"a":', '1}'),
      stop('tool_use'),
      metadata(),
    ]
    const result = run(events, { request })
    expect(deltasOf(result).slice(1)).to.deep.equal([{ content: '{"a":' }, { content: '1}' }, {}])
    expect(choicesOf(result).at(-1)).to.include({ finish_reason: 'stop' })
  })

  it('include reasoning in content_blocks only without strict compliance', () => {
    const redacted = event('contentBlockDelta', {
      contentBlockIndex: 1,
      delta: { reasoningContent: { redactedContent: 'ZGF0YQ==' } },
    })
    const events = [start, ...reasoning, redacted, ...text(2, 'Hi'), stop('end_turn'), metadata()]
    const thinking = { index: 0, type: 'thinking' }
    expect(deltasOf(run(events, { strict: false })).slice(1, -1)).to.deep.equal([
      { content_blocks: [{ ...thinking, thinking: 'First ' }] },
      { content_blocks: [{ ...thinking, thinking: 'this.' }] },
      { content_blocks: [{ ...thinking, signature: 'c2ln' }] },
      { content_blocks: [{ index: 1, type: 'redacted_thinking', data: 'ZGF0YQ==' }] },
      { content: 'Hi' },
    ])
    expect(deltasOf(run(events)).slice(1, -1)).to.deep.equal([{ content: 'Hi' }])
  })

  it('include web citations as annotations with their position', () => {
    const citation = { title: 'Sky', location: { web: { url: 'https://a.example/', domain: 'a.example' } } }
    const cited = event('contentBlockDelta', { contentBlockIndex: 1, delta: { citation } })
    const [blue, end] = text(1, 'blue')
    const events = [start, ...text(0, 'It is '), ...(blue === undefined ? [] : [blue]), cited]
    const result = run([...events, ...(end === undefined ? [] : [end]), stop('end_turn'), metadata()])
    expect(deltasOf(result).slice(1, -1)).to.deep.equal([
      { content: 'It is ' },
      { content: 'blue' },
      {
        annotations: [
          {
            type: 'url_citation',
            url_citation: { url: 'https://a.example/', title: 'Sky', start_index: 6, end_index: 10 },
          },
        ],
      },
    ])
  })

  it("include the vendor's stop reason and the model's own fields without strict compliance", () => {
    const last = event('messageStop', {
      stopReason: 'guardrail_intervened',
      additionalModelResponseFields: { a: 1 },
    })
    const loose = run([start, last, metadata()], { strict: false })
    expect(loose.chunks.at(-1)).to.deep.include({ additionalModelResponseFields: { a: 1 } })
    expect(choicesOf(loose).at(-1)).to.include({
      finish_reason: 'content_filter',
      provider_finish_reason: 'guardrail_intervened',
    })
    expect(run([start, last, metadata()]).chunks.at(-1)).not.to.have.property('additionalModelResponseFields')
  })

  it('are complete with the end of the message, even without usage', () => {
    expect(run(textStream.slice(0, -1)).done).to.equal(true)
  })

  it('are not complete without the end of the message', () => {
    for (let length = 0; length < textStream.length - 2; length += 1) {
      expect(run(textStream.slice(0, length)).done, `after ${length} events`).to.equal(false)
    }
  })

  it('ignore unknown events, blocks and deltas', () => {
    const odd: StreamEvent[] = [
      { event: 'eventOfTomorrow', data: '{"a":1}' },
      { event: 'constructor', data: '{}' },
      { event: 'contentBlockStart', data: '{"start":{"image":{"format":"png"}},"contentBlockIndex":9}' },
      { event: 'contentBlockDelta', data: '{"delta":{"hologram":{}},"contentBlockIndex":9}' },
      { event: 'contentBlockDelta', data: '{"delta":null}' },
      { event: 'contentBlockDelta', data: '{"delta":{"toolUse":{"input":"x"}},"contentBlockIndex":7}' },
    ]
    const [first, ...rest] = textStream
    expect(run([...(first === undefined ? [] : [first]), ...odd, ...rest])).to.deep.equal(run(textStream))
  })

  it('with events of any form are parsed or refused, without an exception', () => {
    const name = fc.constantFrom(
      'messageStart',
      'contentBlockStart',
      'contentBlockDelta',
      'contentBlockStop',
      'messageStop',
      'metadata',
    )
    const member = fc.constantFrom(
      'delta',
      'start',
      'contentBlockIndex',
      'toolUse',
      'text',
      'usage',
      'stopReason',
    )
    const inner = fc.dictionary(member, fc.jsonValue({ maxDepth: 2 }), { noNullPrototype: true })
    const data = fc.dictionary(member, fc.oneof(inner, fc.jsonValue({ maxDepth: 2 })), {
      noNullPrototype: true,
    })
    const drawn = fc.array(fc.tuple(name, data), { maxLength: 12 })
    assertProperty(
      fc.property(drawn, fc.boolean(), (pairs, strict) => {
        const given = pairs.map(([kind, payload]) => ({ event: kind, data: JSON.stringify(payload) }))
        expect(run(given, { strict, includeUsage: true }).chunks).to.be.an('array')
      }),
    )
  })

  it('fail with the exception in an event', () => {
    const exception = { event: 'exception', data: '{"type":"throttlingException","message":"Slow down"}' }
    expect(upstreamErrorOf(() => run([start, ...text(0, 'Hel'), exception]))).to.deep.equal({
      status: 429,
      message: 'Slow down',
      type: 'ThrottlingException',
      param: null,
      code: 'ThrottlingException',
    })
  })

  it('are refused when an event cannot be parsed', () => {
    const error = gatewayErrorOf(() => run([{ event: 'messageStop', data: 'no JSON' }]))
    expect(error.code).to.equal('upstream_invalid_response')
  })
})
