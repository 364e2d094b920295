/**
 * Events of a chat → chunks. Sources: https://developers.cloudflare.com/workers-ai/features/prompting/,
 * https://github.com/cloudflare/ai (the vendor's reading of its own events)
 */
import type { JsonObject } from '@gateway/contract'
import { expect } from 'chai'
import fc from 'fast-check'
import { assertProperty } from '../../support/assert-property.ts'
import type { ContextOptions } from '../fixtures/context.ts'
import { dataEvent, type Run, runStream, translatorOf } from '../fixtures/streams.ts'
import { upstreamErrorOf } from '../fixtures/thrown.ts'
import { dialectOf, llama, weather } from './fixtures.ts'

const run = (events: readonly (JsonObject | string)[], options: ContextOptions = {}): Run =>
  runStream(
    translatorOf(dialectOf('chatComplete'), { ...options, request: { model: llama, ...options.request } }),
    events.map(dataEvent),
  )

interface Collected {
  roles: number
  content: string
  calls: { id: unknown; name: unknown; arguments: string }[]
  finish: unknown[]
}

/** Collects the chunks of one choice like a client. */
function collect({ chunks }: Run, index = 0): Collected {
  const collected: Collected = { roles: 0, content: '', calls: [], finish: [] }
  for (const choice of chunks.flatMap((chunk) => chunk.choices as JsonObject[])) {
    if (choice.index !== index) continue
    const delta = choice.delta as JsonObject
    if (delta.role === 'assistant') collected.roles += 1
    if (typeof delta.content === 'string') collected.content += delta.content
    for (const part of (delta.tool_calls ?? []) as { index: number; id?: string; function: JsonObject }[]) {
      const open = collected.calls[part.index]
      const args = String(part.function.arguments)
      if (open === undefined)
        collected.calls[part.index] = { id: part.id, name: part.function.name, arguments: args }
      else open.arguments += args
    }
    if (choice.finish_reason !== null) collected.finish.push(choice.finish_reason)
  }
  return collected
}

const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }
const piece = (call: JsonObject): JsonObject => ({ response: '', tool_calls: [call] })

describe('Workers AI chat streams', () => {
  it('contain the text, the role once, and one finish reason', () => {
    const events = [
      { response: 'Hel', p: 'ab' },
      { response: 'lo', p: 'c' },
      { response: '', usage },
      '[DONE]',
    ]
    const streamed = run(events)
    expect(streamed.done).to.equal(true)
    expect(collect(streamed)).to.deep.equal({ roles: 1, content: 'Hello', calls: [], finish: ['stop'] })
    expect(new Set(streamed.chunks.map(({ id }) => id)).size).to.equal(1)
  })

  it('contain the usage only when it was requested', () => {
    const events = [{ response: 'x' }, { response: '', usage }, '[DONE]']
    expect(run(events, { includeUsage: true }).chunks.at(-1)).to.deep.include({ choices: [], usage })
    expect(run(events).chunks.every(({ choices }) => (choices as JsonObject[]).length === 1)).to.equal(true)
  })

  it('have finish_reason length at the token limit', () => {
    const events = [{ response: 'x' }, { response: '', usage }, '[DONE]']
    expect(collect(run(events, { request: { max_tokens: 2 } })).finish).to.deep.equal(['length'])
  })

  it('join calls sent in parts, and skip the empty part at the end', () => {
    const end = { id: null, type: null, index: 0, function: { name: null, arguments: '' } }
    const events = [
      piece({ id: 'a', type: 'function', index: 0, function: { name: 'f' } }),
      piece({ index: 0, function: { arguments: '{"x"' } }),
      piece({ index: 0, function: { arguments: ':1}' } }),
      piece(end),
      piece({ id: 'b', type: 'function', index: 1, function: { name: 'g', arguments: '' } }),
      '[DONE]',
    ]
    expect(collect(run(events))).to.deep.equal({
      roles: 1,
      content: '',
      calls: [
        { id: 'a', name: 'f', arguments: '{"x":1}' },
        { id: 'b', name: 'g', arguments: '{}' },
      ],
      finish: ['tool_calls'],
    })
  })

  it('distinguish complete calls without ids and numbers', () => {
    const tool_calls = [
      { name: 'f', arguments: { x: 1 } },
      { name: 'f', arguments: { x: 2 } },
    ]
    expect(collect(run([{ tool_calls }, '[DONE]'])).calls).to.deep.equal([
      { id: 'call_2', name: 'f', arguments: '{"x":1}' },
      { id: 'call_3', name: 'f', arguments: '{"x":2}' },
    ])
  })

  it('contain function_call for the legacy functions', () => {
    const request = { functions: [weather.function as JsonObject] }
    const { chunks } = run([{ tool_calls: [{ name: 'f', arguments: {} }] }, '[DONE]'], { request })
    const choices = chunks.flatMap((chunk) => chunk.choices as JsonObject[])
    expect(choices.map(({ delta }) => delta)).to.deep.include({
      function_call: { name: 'f', arguments: '{}' },
    })
    expect(choices.at(-1)).to.include({ finish_reason: 'function_call' })
  })

  it('in the compatible format keep id, model, choices, reasoning and finish reasons', () => {
    const chunk = (index: number, delta: JsonObject, finish_reason: string | null = null): JsonObject => ({
      id: 'chatcmpl-x',
      object: 'chat.completion.chunk',
      model: 'kimi',
      choices: [{ index, delta, finish_reason }],
    })
    const streamed = run([
      chunk(0, { role: 'assistant', content: '' }),
      chunk(0, { reasoning_content: 'R' }),
      chunk(1, { role: 'assistant', content: 'B' }),
      chunk(0, { content: 'A' }),
      chunk(0, {}, 'length'),
      chunk(1, {}, 'stop'),
      { ...chunk(0, {}), choices: [], usage },
      '[DONE]',
    ])
    expect(collect(streamed))
      .to.include({ roles: 1, content: 'A' })
      .and.deep.include({ finish: ['length'] })
    expect(collect(streamed, 1))
      .to.include({ roles: 1, content: 'B' })
      .and.deep.include({ finish: ['stop'] })
    expect(streamed.chunks.every(({ id, model }) => id === 'chatcmpl-x' && model === 'kimi')).to.equal(true)
    const deltas = streamed.chunks.flatMap(({ choices }) =>
      (choices as JsonObject[]).map(({ delta }) => delta),
    )
    expect(deltas).to.deep.include({ reasoning_content: 'R' })
  })

  it('are not complete when they close before their end', () => {
    expect(run([{ response: 'x' }])).to.have.property('done', false)
  })

  it('break off with an error', () => {
    const failure = { errors: [{ code: 3040, message: 'Capacity exceeded' }], success: false, result: null }
    expect(upstreamErrorOf(() => run([{ response: 'x' }, failure]))).to.include({
      message: 'Capacity exceeded',
      code: '3040',
    })
    expect(upstreamErrorOf(() => run([{ error: { message: 'No' } }]))).to.include({ message: 'No' })
  })

  it('contain the same text for every split', () => {
    assertProperty(
      fc.property(fc.array(fc.string()), (texts) => {
        const streamed = run([...texts.map((response) => ({ response })), '[DONE]'])
        expect(collect(streamed)).to.deep.equal({
          roles: 1,
          content: texts.join(''),
          calls: [],
          finish: ['stop'],
        })
      }),
    )
  })

  it('ignore unexpected events without an exception', () => {
    const odd: JsonObject[] = [
      { tool_calls: [null, 1, {}, { function: null }] },
      { choices: [{}, { delta: null }] },
      { choices: [null] },
      { response: null },
      { usage: 3 },
      {},
    ]
    expect(run([...odd, '[DONE]'])).to.have.property('done', true)
  })
})
