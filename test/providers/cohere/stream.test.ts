/**
 * Chat events → chat completion chunks.
 * Sources: https://docs.cohere.com/docs/streaming, https://docs.cohere.com/docs/tool-use-streaming
 */
import type { JsonObject, StreamEvent } from '@gateway/contract'
import { cohereDialect } from '@gateway/provider-kit'
import { expect } from 'chai'
import { type ContextOptions, createdAt } from '../fixtures/context.ts'
import { dataEvent, type Run, runStream, translatorOf } from '../fixtures/streams.ts'
import { gatewayErrorOf, upstreamErrorOf } from '../fixtures/thrown.ts'
import { model } from './fixtures/chat.ts'
import {
  ending,
  event,
  messageId,
  start,
  textBlock,
  textStream,
  thinkingBlock,
  toolCall,
  toolStream,
} from './fixtures/streams.ts'

const head = { id: messageId, object: 'chat.completion.chunk', created: createdAt, model }

function chunk(delta: JsonObject, finish_reason: string | null = null): JsonObject {
  return { ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason }] }
}

function run(events: readonly StreamEvent[], options: ContextOptions = {}): Run {
  const request = { model, ...options.request }
  return runStream(translatorOf(cohereDialect, { ...options, request }), events)
}

function deltasOf({ chunks }: Run): unknown[] {
  return chunks.flatMap((each) => (each.choices as JsonObject[]).map((choice) => choice.delta))
}

function argumentsOf(...parts: string[]): string {
  const { chunks } = run([start, ...toolCall(0, { id: 'a', name: 'f' }, ...parts), ending('TOOL_CALL')])
  const calls = chunks.flatMap((each) =>
    (each.choices as { delta: { tool_calls?: JsonObject[] } }[]).flatMap(
      (choice) => choice.delta.tool_calls ?? [],
    ),
  )
  return calls.map((call) => String((call.function as JsonObject).arguments)).join('')
}

describe('Cohere streams', () => {
  it('become chunks: the role, the text as it arrives, the finish reason', () => {
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

  it('number tool calls, with id and name in the first delta, and include the plan', () => {
    const named = (index: number, id: string, name: string) => ({
      tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }],
    })
    const more = (index: number, text: string) => ({
      tool_calls: [{ index, function: { arguments: text } }],
    })
    expect(run(toolStream).chunks).to.deep.equal([
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: 'I will' }),
      chunk({ content: ' look.' }),
      chunk(named(0, 'w_1', 'get_weather')),
      chunk(more(0, '{\n    "')),
      chunk(more(0, 'city":')),
      chunk(more(0, '"Paris"}')),
      chunk(named(1, 't_1', 'get_time')),
      chunk(more(1, '{}')),
      chunk({}, 'tool_calls'),
    ])
  })

  const noArguments: string[][] = [[], [''], ['null'], ['n', 'u', 'll'], [' ', 'null']]
  for (const parts of noArguments) {
    it(`contain an empty object for a call without arguments: ${JSON.stringify(parts)}`, () => {
      expect(argumentsOf(...parts)).to.equal('{}')
    })
  }
  it('delay no other arguments', () => {
    expect(argumentsOf(' ', '{"n":', 'null}')).to.equal(' {"n":null}')
  })

  it('use the legacy function_call for a legacy request', () => {
    const request = { functions: [{ name: 'f' }] }
    const { chunks } = run([start, ...toolCall(0, { id: 'a', name: 'f' }, '{"a":1}'), ending('TOOL_CALL')], {
      request,
    })
    expect(chunks.slice(1)).to.deep.equal([
      chunk({ function_call: { name: 'f', arguments: '' } }),
      chunk({ function_call: { arguments: '{"a":1}' } }),
      chunk({}, 'function_call'),
    ])
  })

  it('end with the usage when it was requested, and contain null usage before', () => {
    const events = [start, ...textBlock(0, 'x'), ending('COMPLETE', { cached_tokens: 64 })]
    const { chunks } = run(events, { includeUsage: true })
    expect(chunks[chunks.length - 1]).to.deep.equal({
      ...head,
      choices: [],
      usage: {
        prompt_tokens: 71,
        completion_tokens: 3,
        total_tokens: 74,
        prompt_tokens_details: { cached_tokens: 64 },
      },
    })
    expect(chunks.slice(0, -1).map((each) => each.usage)).to.deep.equal([null, null, null])
  })

  const thinking = [start, ...thinkingBlock(0, 'First ', 'this.'), ...textBlock(1, 'So'), ending('COMPLETE')]
  it('hide thinking under strict compliance', () => {
    expect(deltasOf(run(thinking))).to.deep.equal([{ role: 'assistant', content: '' }, { content: 'So' }, {}])
  })
  it('show thinking without strict compliance, block by block', () => {
    expect(deltasOf(run(thinking, { strict: false }))).to.deep.equal([
      { role: 'assistant', content: '' },
      { content_blocks: [{ index: 0, type: 'thinking', thinking: 'First ' }] },
      { content_blocks: [{ index: 0, type: 'thinking', thinking: 'this.' }] },
      { content: 'So' },
      {},
    ])
  })

  const citation = {
    start: 0,
    end: 2,
    text: 'it',
    content_index: 1,
    type: 'TEXT_CONTENT' as const,
    sources: [{ type: 'document' as const, id: '1', document: { url: 'https://host/a', title: 'T' } }],
  }
  const cited = [
    start,
    ...textBlock(0, 'So '),
    ...textBlock(1, 'it').slice(0, -1),
    event({ type: 'citation-start', index: 0, delta: { message: { citations: citation } } }),
    event({ type: 'citation-end', index: 0 }),
    ending('COMPLETE'),
  ]
  const annotations = [
    {
      type: 'url_citation',
      url_citation: { start_index: 3, end_index: 5, url: 'https://host/a', title: 'T' },
    },
  ]
  it('annotate the whole text', () => {
    expect(deltasOf(run(cited)).slice(3)).to.deep.equal([{ annotations }, {}])
  })
  it("include the vendor's citations without strict compliance", () => {
    expect(deltasOf(run(cited, { strict: false })).slice(3)).to.deep.equal([
      { annotations, citations: [citation] },
      {},
    ])
  })
  it('drop citations without a URL under strict compliance', () => {
    const plain = { ...citation, sources: [{ type: 'document' as const, id: '1' }] }
    const events = [start, event({ type: 'citation-start', delta: { message: { citations: plain } } })]
    expect(run(events).chunks).to.have.length(1)
  })

  it('contain log probabilities with the text', () => {
    const logprobs = { text: 'x', token_ids: [1], logprobs: [-0.5] }
    const content = { text: 'x' }
    const said = event({ type: 'content-delta', index: 0, delta: { message: { content } }, logprobs })
    expect(run([start, said]).chunks[1]?.choices).to.deep.equal([
      {
        index: 0,
        delta: { content: 'x' },
        logprobs: { content: [{ token: 'x', logprob: -0.5, bytes: [120], top_logprobs: [] }] },
        finish_reason: null,
      },
    ])
  })

  it("include the vendor's finish reason without strict compliance", () => {
    const { chunks } = run([start, ending('MAX_TOKENS')], { strict: false })
    expect(chunks[1]?.choices).to.deep.equal([
      { index: 0, delta: {}, logprobs: null, finish_reason: 'length', provider_finish_reason: 'MAX_TOKENS' },
    ])
  })

  const faults: [string, StreamEvent, { status: number; message: string }][] = [
    [
      'an end that is an error',
      ending('ERROR', { error: 'GPU on fire' }),
      { status: 502, message: 'GPU on fire' },
    ],
    [
      'an end for lack of time',
      ending('TIMEOUT'),
      { status: 504, message: 'The provider timed out while it generated the answer.' },
    ],
    ['an error event', dataEvent({ type: 'error', message: 'no' }), { status: 502, message: 'no' }],
    ['an error body', dataEvent({ id: 'x', message: 'internal' }), { status: 502, message: 'internal' }],
  ]
  for (const [what, last, expected] of faults) {
    it(`are broken off by ${what}`, () => {
      expect(upstreamErrorOf(() => run([start, ...textBlock(0, 'x'), last]))).to.include(expected)
    })
  }

  it('ignore unknown events', () => {
    const unknown = [
      dataEvent({ type: 'constructor' }),
      dataEvent({ type: 'weather-report', message: 'sunny' }),
      dataEvent({ type: 'tool-call-delta', index: 9, delta: {} }),
      dataEvent({ type: 'content-delta' }),
      dataEvent({ type: 'debug', prompt: 'x' }),
    ]
    expect(run([start, ...unknown, ...textBlock(0, 'x'), ending('COMPLETE')]).chunks).to.have.length(3)
  })

  it('are not complete without message-end', () => {
    expect(run(textStream.slice(0, -1)).done).to.equal(false)
  })

  it('are refused when an event is not JSON', () => {
    expect(gatewayErrorOf(() => run([start, dataEvent('{"type":')])).code).to.equal(
      'upstream_invalid_response',
    )
  })
})
