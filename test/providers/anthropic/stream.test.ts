/**
 * Message events → chat completion chunks.
 * Source: https://platform.claude.com/docs/en/build-with-claude/streaming
 */
import type { JsonObject, StreamEvent } from '@gateway/contract'
import { anthropicDialect } from '@gateway/provider-kit'
import { expect } from 'chai'
import { type ContextOptions, createdAt } from '../fixtures/context.ts'
import { dataEvent, type Run, runStream, translatorOf } from '../fixtures/streams.ts'
import { gatewayErrorOf } from '../fixtures/thrown.ts'
import {
  blockDelta,
  blockStart,
  blockStop,
  ending,
  event,
  start,
  stop,
  textBlock,
  textStream,
  thinkingBlock,
  toolBlock,
  toolStream,
} from './fixtures/streams.ts'

const head = {
  id: 'msg_01',
  object: 'chat.completion.chunk',
  created: createdAt,
  model: 'claude-sonnet-4-5-20250929',
}

function chunk(delta: JsonObject, finish_reason: string | null = null): JsonObject {
  return { ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason }] }
}

function run(events: readonly StreamEvent[], options: ContextOptions = {}): Run {
  return runStream(translatorOf(anthropicDialect, options), events)
}

function deltasOf({ chunks }: Run): unknown[] {
  return chunks.flatMap((each) => (each.choices as JsonObject[]).map((choice) => choice.delta))
}

describe('Anthropic streams', () => {
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

  it('number tool calls, with id and name in the first delta', () => {
    expect(run(toolStream).chunks).to.deep.equal([
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: 'Looking' }),
      chunk({
        tool_calls: [
          { index: 0, id: 'toolu_1', type: 'function', function: { name: 'get_weather', arguments: '' } },
        ],
      }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '"Paris"}' } }] }),
      chunk({
        tool_calls: [
          { index: 1, id: 'toolu_2', type: 'function', function: { name: 'get_time', arguments: '' } },
        ],
      }),
      chunk({ tool_calls: [{ index: 1, function: { arguments: '{}' } }] }),
      chunk({}, 'tool_calls'),
    ])
  })

  it('use the input in the start of a block', () => {
    const block = { type: 'tool_use', id: 'toolu_1', name: 'f', input: { a: 1 } }
    const deltas = deltasOf(run([start, blockStart(0, block), blockStop(0), ending('tool_use'), stop]))
    expect(deltas.slice(1, -1)).to.deep.equal([
      {
        tool_calls: [
          { index: 0, id: 'toolu_1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
        ],
      },
    ])
  })

  it('use the legacy function_call for a legacy request', () => {
    const request = { functions: [{ name: 'f' }] }
    const result = run(
      [start, ...toolBlock(0, { id: 'toolu_1', name: 'f' }, '{"a":1}'), ending('tool_use'), stop],
      {
        request,
      },
    )
    expect(result.chunks.slice(1)).to.deep.equal([
      chunk({ function_call: { name: 'f', arguments: '' } }),
      chunk({ function_call: { arguments: '{"a":1}' } }),
      chunk({}, 'function_call'),
    ])
  })

  it('contain only the first legacy call', () => {
    const calls = [
      ...toolBlock(0, { id: 'toolu_1', name: 'f' }, '{"a":1}'),
      ...toolBlock(1, { id: 'toolu_2', name: 'g' }, '{"b":2}'),
    ]
    const request = { functions: [{ name: 'f' }, { name: 'g' }] }
    const { chunks } = run([start, ...calls, ending('tool_use'), stop], { request })
    expect(chunks.slice(1)).to.deep.equal([
      chunk({ function_call: { name: 'f', arguments: '' } }),
      chunk({ function_call: { arguments: '{"a":1}' } }),
      chunk({}, 'function_call'),
    ])
  })

  const usage = {
    prompt_tokens: 135,
    completion_tokens: 15,
    total_tokens: 150,
    prompt_tokens_details: { cached_tokens: 100 },
  }
  it('end with the usage when it was requested, and contain null usage before', () => {
    const { chunks } = run(textStream, { includeUsage: true })
    expect(chunks[chunks.length - 1]).to.deep.equal({ ...head, choices: [], usage })
    expect(chunks.slice(0, -1).map((each) => each.usage)).to.deep.equal([null, null, null, null])
  })
  it('use the input count of the last event when it has one', () => {
    const totals = event({
      type: 'message_delta',
      delta: { stop_reason: 'end_turn' },
      usage: { input_tokens: 30, cache_read_input_tokens: null, output_tokens: 2 },
    })
    const { chunks } = run([start, totals, stop], { includeUsage: true })
    expect(chunks[chunks.length - 1]?.usage).to.deep.include({ prompt_tokens: 140, completion_tokens: 2 })
  })

  const thinking = [start, ...thinkingBlock, ...textBlock(1, 'So'), ending('end_turn'), stop]
  it('hide thinking under strict compliance', () => {
    expect(deltasOf(run(thinking))).to.deep.equal([{ role: 'assistant', content: '' }, { content: 'So' }, {}])
  })
  it('show thinking without strict compliance, block by block', () => {
    expect(deltasOf(run(thinking, { strict: false }))).to.deep.equal([
      { role: 'assistant', content: '' },
      { content_blocks: [{ index: 0, type: 'thinking', thinking: 'First ' }] },
      { content_blocks: [{ index: 0, type: 'thinking', thinking: 'this.' }] },
      { content_blocks: [{ index: 0, type: 'thinking', thinking: '', signature: 'c2ln' }] },
      { content: 'So' },
      {},
    ])
  })
  it('show redacted thinking and citations without strict compliance', () => {
    const redacted = { type: 'redacted_thinking', data: 'ZGF0YQ' }
    const citation = { type: 'char_location', cited_text: 'So' }
    const events = [
      start,
      blockStart(0, redacted),
      blockStop(0),
      ...textBlock(1, 'So').slice(0, -1),
      blockDelta(1, { type: 'citations_delta', citation }),
      stop,
    ]
    expect(deltasOf(run(events, { strict: false })).slice(1)).to.deep.equal([
      { content_blocks: [{ index: 0, ...redacted }] },
      { content: 'So' },
      { content_blocks: [{ index: 1, type: 'text', citations: [citation] }] },
    ])
    expect(deltasOf(run(events)).slice(1)).to.deep.equal([{ content: 'So' }])
  })

  it("show the input of the vendor's own tools once it is complete, without strict compliance", () => {
    const use = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }
    const pieces = ['{"query":', '"Paris"}'].map((partial_json) =>
      blockDelta(0, { type: 'input_json_delta', partial_json }),
    )
    const events = [start, blockStart(0, use), ...pieces, blockStop(0), ending('pause_turn'), stop]
    expect(deltasOf(run(events, { strict: false })).slice(1)).to.deep.equal([
      { content_blocks: [{ index: 0, ...use, input: { query: 'Paris' } }] },
      {},
    ])
    expect(deltasOf(run(events)).slice(1)).to.deep.equal([{}])
  })

  it("include the vendor's explanation of a refusal", () => {
    const stop_details = { type: 'refusal', category: 'cyber', explanation: 'Not this.' }
    const refused = event({ type: 'message_delta', delta: { stop_reason: 'refusal', stop_details } })
    expect(run([start, refused, stop]).chunks.slice(1)).to.deep.equal([
      chunk({ refusal: 'Not this.' }),
      chunk({}, 'content_filter'),
    ])
  })

  it("include the vendor's stop reason without strict compliance", () => {
    const { chunks } = run([start, ending('refusal'), stop], { strict: false })
    expect(chunks[1]?.choices).to.deep.equal([
      {
        index: 0,
        delta: {},
        logprobs: null,
        finish_reason: 'content_filter',
        provider_finish_reason: 'refusal',
      },
    ])
  })

  it('ignore unknown events, blocks and deltas', () => {
    const unknown = [
      event({ type: 'constructor' }),
      event({ type: 'weather_report' }),
      blockStart(0, { type: 'hologram' }),
      blockDelta(0, { type: 'hologram_delta', light: 1 }),
      blockDelta(0, { type: 'input_json_delta', partial_json: '{}' }),
      blockStop(0),
    ]
    expect(run([start, ...unknown, ...textBlock(1, 'x'), ending('end_turn'), stop]).chunks).to.have.length(3)
  })

  it('are not complete without message_stop', () => {
    expect(run(textStream.slice(0, -1)).done).to.equal(false)
  })

  it('are refused when an event is not JSON', () => {
    const error = gatewayErrorOf(() => run([start, dataEvent('{"type":')]))
    expect(error.code).to.equal('upstream_invalid_response')
  })
})
