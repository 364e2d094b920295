/**
 * Streams of all formats → chunks; how models tell calls apart; framing.
 * Sources: https://docs.oracle.com/iaas/api/#/EN/generative-ai-inference/20231130/datatypes/StreamOptions,
 * https://github.com/oracle/langchain-oracle (the vendor's reading of its own events)
 */
import type { JsonObject, StreamEvent } from '@gateway/contract'
import { expect } from 'chai'
import fc from 'fast-check'
import { assertProperty } from '../../support/assert-property.ts'
import type { ContextOptions } from '../fixtures/context.ts'
import { dataEvent, type Run, runStream, translatorOf } from '../fixtures/streams.ts'
import { upstreamErrorOf } from '../fixtures/thrown.ts'
import { cohere, dialect, generic, vision, weather } from './fixtures.ts'

const run = (events: readonly (JsonObject | string)[], options: ContextOptions = {}): Run =>
  runStream(
    translatorOf(dialect, { ...options, request: { model: generic, ...options.request } }),
    events.map(dataEvent),
  )

const text = (value: string, more: JsonObject = {}): JsonObject => ({
  index: 0,
  message: { role: 'ASSISTANT', content: [{ type: 'TEXT', text: value }] },
  pad: 'aaaa',
  ...more,
})
const calling = (...toolCalls: JsonObject[]): JsonObject => ({
  index: 0,
  message: { role: 'ASSISTANT', toolCalls },
})
const end = (finishReason = 'stop'): JsonObject => ({
  message: { role: 'ASSISTANT' },
  finishReason,
  pad: 'a',
})
const usage: JsonObject = { usage: { promptTokens: 3, completionTokens: 2, totalTokens: 5 } }

interface Collected {
  content: string
  calls: { id: unknown; name: unknown; arguments: string }[]
  finish: unknown
}

/** Collects the chunks of one choice like a client. */
function collect({ chunks }: Run, index = 0): Collected {
  const collected: Collected = { content: '', calls: [], finish: null }
  for (const choice of chunks.flatMap((chunk) => chunk.choices as JsonObject[])) {
    if (choice.index !== index) continue
    const delta = choice.delta as JsonObject
    if (typeof delta.content === 'string') collected.content += delta.content
    for (const part of (delta.tool_calls ?? []) as { index: number; id?: string; function: JsonObject }[]) {
      const open = collected.calls[part.index]
      const args = String(part.function.arguments)
      if (open === undefined)
        collected.calls[part.index] = { id: part.id, name: part.function.name, arguments: args }
      else open.arguments += args
    }
    collected.finish = choice.finish_reason ?? collected.finish
  }
  return collected
}

describe('Oracle streams', () => {
  it('contain text as it arrives, and the usage when it was requested', () => {
    const { chunks, done } = run([text('Hel'), text('lo'), end(), usage, '[DONE]'], { includeUsage: true })
    expect(done).to.equal(true)
    const deltas = chunks.slice(0, -1).map((chunk) => (chunk.choices as JsonObject[])[0]?.delta)
    expect(deltas).to.deep.equal([
      { role: 'assistant', content: '' },
      { content: 'Hel' },
      { content: 'lo' },
      {},
    ])
    expect(chunks.at(-1)).to.deep.include({
      choices: [],
      usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
    })
    expect(new Set(chunks.map(({ id }) => id)).size).to.equal(1)
  })

  it('hide the usage unless it was requested', () => {
    expect(
      run([text('x'), end(), usage, '[DONE]']).chunks.every((chunk) => chunk.usage === undefined),
    ).to.equal(true)
  })

  it('are complete only when they close after the finish reason', () => {
    expect(run([text('x'), end(), usage], { includeUsage: true })).to.have.property('done', true)
    expect(run([text('x'), end(), usage], { includeUsage: true }).chunks.at(-1)).to.have.nested.property(
      'usage.total_tokens',
      5,
    )
    expect(run([text('x')]).done).to.equal(false)
    expect(run([]).done).to.equal(false)
    expect(run([text('x'), end()], { request: { n: 2 } }).done).to.equal(false)
  })

  it('contain every choice', () => {
    const other = (value: string, more: JsonObject = {}) => text(value, { index: 1, ...more })
    const streamed = run([text('A'), other('B'), other('b', { finishReason: 'length' }), end()], {
      request: { n: 2 },
    })
    expect(streamed.done).to.equal(true)
    expect(collect(streamed, 0)).to.deep.equal({ content: 'A', calls: [], finish: 'stop' })
    expect(collect(streamed, 1)).to.deep.equal({ content: 'Bb', calls: [], finish: 'length' })
  })

  const calls: [string, JsonObject[], { id: string; name: string; arguments: string }[]][] = [
    [
      'begun with id and name and gone on without',
      [
        calling({ id: 'a', name: 'f', arguments: '' }),
        calling({ arguments: '{"x"' }),
        calling({ arguments: ':1}' }),
        calling({ id: 'b', name: 'f', arguments: '{}' }),
      ],
      [
        { id: 'a', name: 'f', arguments: '{"x":1}' },
        { id: 'b', name: 'f', arguments: '{}' },
      ],
    ],
    [
      'sent whole, each in a separate event',
      [
        calling({ id: 'a', name: 'f', arguments: '{"x":1}' }),
        calling({ id: 'b', name: 'f', arguments: '{"x":2}' }),
      ],
      [
        { id: 'a', name: 'f', arguments: '{"x":1}' },
        { id: 'b', name: 'f', arguments: '{"x":2}' },
      ],
    ],
    [
      'given whole in one event, without ids',
      [calling({ name: 'f', arguments: '{"x":1}' }, { name: 'f', arguments: '{"x":2}' })],
      [
        { id: 'call_2', name: 'f', arguments: '{"x":1}' },
        { id: 'call_3', name: 'f', arguments: '{"x":2}' },
      ],
    ],
    [
      'repeated with their ids in every event',
      [calling({ id: 'a', name: 'f', arguments: '{"x"' }), calling({ id: 'a', name: 'f', arguments: ':1}' })],
      [{ id: 'a', name: 'f', arguments: '{"x":1}' }],
    ],
    ['without arguments', [calling({ id: 'a', name: 'f' })], [{ id: 'a', name: 'f', arguments: '{}' }]],
  ]
  for (const [how, events, collected] of calls) {
    it(`distinguish calls that are ${how}`, () => {
      const streamed = collect(run([...events, end('tool_calls'), '[DONE]']))
      expect(streamed).to.deep.equal({ content: '', calls: collected, finish: 'tool_calls' })
    })
  }

  it('use finish_reason tool_calls for an end with calls, for any reason of the model', () => {
    const streamed = run([calling({ id: 'a', name: 'f', arguments: '{}' }), end('stop'), '[DONE]'], {
      strict: false,
    })
    expect(streamed.chunks.at(-1)).to.have.nested.property('choices[0]').that.includes({
      finish_reason: 'tool_calls',
      provider_finish_reason: 'stop',
    })
  })

  it('contain the legacy function_call for a legacy request', () => {
    const request = { functions: [weather.function as JsonObject] }
    const { chunks } = run([calling({ id: 'a', name: 'f', arguments: '{}' }), end(), '[DONE]'], { request })
    const [call] = (chunks[1]?.choices ?? []) as JsonObject[]
    expect(call?.delta).to.deep.equal({ function_call: { name: 'f', arguments: '{}' } })
  })

  it('show thinking only without strict compliance', () => {
    const events = [{ index: 0, message: { reasoningContent: 'Hm' } }, text('x'), end(), '[DONE]']
    expect(JSON.stringify(run(events).chunks)).to.not.contain('Hm')
    const deltas = run(events, { strict: false }).chunks.map(
      (chunk) => (chunk.choices as JsonObject[])[0]?.delta,
    )
    expect(deltas).to.deep.include({ content_blocks: [{ index: 0, type: 'thinking', thinking: 'Hm' }] })
  })

  const repeated: [string, string, JsonObject[]][] = [
    [
      'older',
      cohere,
      [
        { apiFormat: 'COHERE', text: 'Hel' },
        { apiFormat: 'COHERE', text: 'lo' },
        { apiFormat: 'COHERE', toolCalls: [{ name: 'f', parameters: { x: 1 } }] },
        {
          apiFormat: 'COHERE',
          text: 'Hello',
          toolCalls: [{ name: 'f', parameters: { x: 1 } }],
          finishReason: 'COMPLETE',
          chatHistory: [],
        },
      ],
    ],
    [
      'newer',
      vision,
      [
        { apiFormat: 'COHEREV2', message: { role: 'ASSISTANT', content: [{ type: 'TEXT', text: 'Hel' }] } },
        { apiFormat: 'COHEREV2', message: { role: 'ASSISTANT', content: [{ type: 'TEXT', text: 'lo' }] } },
        { message: { toolCalls: [{ type: 'FUNCTION', function: { name: 'f', arguments: '{"x":1}' } }] } },
        {
          apiFormat: 'COHEREV2',
          finishReason: 'TOOL_CALL',
          message: {
            content: [{ type: 'TEXT', text: 'Hello' }],
            toolCalls: [{ type: 'FUNCTION', function: { name: 'f', arguments: '{"x":1}' } }],
          },
        },
      ],
    ],
  ]
  for (const [format, model, events] of repeated) {
    it(`in Cohere's ${format} format do not repeat the answer at the end`, () => {
      const streamed = collect(run([...events, '[DONE]'], { request: { model } }))
      expect(streamed).to.deep.equal({
        content: 'Hello',
        calls: [{ id: 'call_2', name: 'f', arguments: '{"x":1}' }],
        finish: 'tool_calls',
      })
    })
    it(`in Cohere's ${format} format contain an answer that arrives in one event`, () => {
      const streamed = run(events.slice(-1), { request: { model } })
      expect(streamed.done).to.equal(true)
      expect(collect(streamed)).to.deep.include({ content: 'Hello', finish: 'tool_calls' })
    })
  }

  const failures: [string, JsonObject, JsonObject][] = [
    [
      'code and message',
      { code: '429', message: 'Slow down' },
      { status: 429, message: 'Slow down', code: '429' },
    ],
    [
      'a code in words',
      { code: 'InternalServerError', message: 'Oh' },
      { status: 502, code: 'InternalServerError' },
    ],
    ['an error object', { error: { message: 'Oh', code: 'x' } }, { status: 502, message: 'Oh', code: 'x' }],
    ['a failed ending', { finishReason: 'ERROR', errorMessage: 'Broke' }, { status: 502, message: 'Broke' }],
  ]
  for (const [what, event, error] of failures) {
    it(`end with the provider's error for ${what}`, () => {
      expect(upstreamErrorOf(() => run([text('x'), event]))).to.include(error)
    })
  }
})

describe('Oracle framing', () => {
  const wire = 'data: {"a":1}\ndata:{"b":"ü"}\n\n: ping\nevent: message\r\ndata: {"c":3}\r\n\r\ndata: [DONE]'
  const framed = async (bytes: AsyncIterable<Buffer>) => {
    const events: StreamEvent[] = []
    if (dialect.framing !== undefined) for await (const event of dialect.framing(bytes)) events.push(event)
    return events.map(({ data }) => data)
  }

  it('has one event per line, for every split of the bytes', async () => {
    const whole = Buffer.from(wire)
    await assertProperty(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: whole.length })), async (cuts) => {
        const at = [0, ...cuts.sort((left, right) => left - right), whole.length]
        async function* pieces() {
          for (const [index, from] of at.slice(0, -1).entries()) yield whole.subarray(from, at[index + 1])
        }
        expect(await framed(pieces())).to.deep.equal(['{"a":1}', '{"b":"ü"}', '{"c":3}', '[DONE]'])
      }),
      { numRuns: 50 },
    )
  })
})
