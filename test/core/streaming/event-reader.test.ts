/** The template-based reader returns the same as parsing each event. */

import type { EndpointId, JsonObject } from '@gateway/contract'
import { expect } from 'chai'
import fc from 'fast-check'
import { createEventReader } from '#streaming/event-reader'
import { findFrame } from '#streaming/event-template'
import { parseEvents } from '#streaming/sse-splitter'
import { assertProperty } from '../../support/assert-property.ts'
import { formatOf } from '../../support/endpoints.ts'

interface Seen {
  text: string
  path: string
  ended: readonly string[]
  isLast: boolean
}

/** The result of parsing one event. */
function parsed(endpoint: EndpointId, bytes: Buffer): Seen[] {
  const format = formatOf(endpoint)
  const [event] = parseEvents(bytes)
  if (event === undefined) return []
  if (format.isLast(event)) return [{ text: '', path: '', ended: [], isLast: true }]
  let json: unknown
  try {
    json = JSON.parse(event.data)
  } catch {
    return []
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return []
  const ended = format.ended(json as JsonObject)
  const seen = format
    .deltas(json as JsonObject)
    .map((delta) => ({ ...delta, ended: [] as string[], isLast: false }))
  return ended.length === 0 ? seen : [...seen, { text: '', path: '', ended, isLast: false }]
}

/** The result of the stream reader, split at the event ends that it reports. */
function read(endpoint: EndpointId, reads: readonly Buffer[]): { seen: Seen[]; ends: number[] } {
  const reader = createEventReader(formatOf(endpoint), 20)
  const seen: Seen[] = []
  const ends: number[] = []
  let at = 0
  for (const events of reads.flatMap((bytes) => reader.read(bytes))) {
    const { deltas, cuts, ended, isLast, bytes } = events
    const [delta] = deltas
    for (const [index, { textEnd, byteEnd }] of cuts.entries()) {
      ends.push(at + byteEnd)
      const text = delta?.text.slice(cuts[index - 1]?.textEnd ?? 0, textEnd) ?? ''
      seen.push({ text, path: delta?.path ?? '', ended: [], isLast })
    }
    if (cuts.length === 0) {
      ends.push(at + bytes.length)
      seen.push(...deltas.map((each) => ({ ...each, ended: [], isLast })))
      if (ended.length > 0 || isLast) seen.push({ text: '', path: '', ended, isLast })
    }
    at += bytes.length
  }
  return { seen, ends }
}

const text = fc.oneof(
  fc.constantFrom(
    '',
    'word ',
    'a "b" \\ c',
    '\n',
    'é世😀',
    '\ud83d',
    '\ude00',
    '{"content":"x"}',
    'data: {}',
    '[DONE]',
  ),
  fc.string({ unit: 'binary', maxLength: 8 }),
)
const index = fc.constantFrom(0, 0, 0, 1, 12)

const delta = fc.oneof(
  { weight: 12, arbitrary: text.map((content) => ({ content })) },
  text.map((reasoning) => ({ reasoning })),
  text.map((refusal) => ({ content: 'same', refusal })),
  fc
    .tuple(index, text)
    .map(([place, args]) => ({ tool_calls: [{ index: place, function: { arguments: args } }] })),
  fc.constant({ role: 'assistant', content: '' }),
)
const chatEvent = fc
  .record({
    delta,
    index,
    created: fc.constantFrom(7, 7, 8, 10, 100),
    padding: fc.oneof(fc.constant(undefined), fc.string({ maxLength: 5 })),
    finish: fc.constantFrom(null, null, null, null, 'stop'),
  })
  .map(({ delta: added, index: place, created, padding, finish }) => {
    const choices = [{ index: place, delta: added, finish_reason: finish }]
    return `data: ${JSON.stringify({ id: 'x', created, choices, obfuscation: padding })}\n\n`
  })

const named = (type: string, rest: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`

const streams: [name: string, endpoint: EndpointId, event: fc.Arbitrary<string>][] = [
  ['chat completions', 'chatComplete', chatEvent],
  [
    'chat completions with other lines',
    'chatComplete',
    fc.oneof(
      {
        weight: 6,
        arbitrary: text.map(
          (content) => `data: {"choices":[{"delta":{"content":${JSON.stringify(content)}}}]}\n\n`,
        ),
      },
      text.map(
        (content) => `id: 5\r\ndata: {"choices":[{"delta":{"content":${JSON.stringify(content)}}}]}\r\n\r\n`,
      ),
      fc.constantFrom(
        ': ping\n\n',
        'data: {"choices":[{"delta":{"content":"a\tb"}}]}\n\n',
        'data: 7\n\n',
        'data: [DONE]\n\n',
      ),
    ),
  ],
  [
    'messages',
    'messages',
    fc
      .tuple(index, text, fc.constantFrom('text_delta', 'text_delta', 'signature_delta', 'other'))
      .map(([place, said, type]) =>
        named('content_block_delta', { index: place, delta: { type, text: said } }),
      ),
  ],
  [
    'responses, whose events are counted',
    'createModelResponse',
    fc
      .tuple(fc.nat({ max: 2000 }), index, text, fc.constantFrom('a', 'b'))
      .map(([number, place, said, item]) =>
        named('response.output_text.delta', {
          sequence_number: number,
          item_id: item,
          output_index: place,
          delta: said,
        }),
      ),
  ],
]

/** Some events arrive one by one, others together. */
const readsOf = (event: fc.Arbitrary<string>) =>
  fc.array(fc.array(event, { minLength: 1, maxLength: 6 }), { maxLength: 12 })

describe('the event reader of a stream', () => {
  for (const [name, endpoint, event] of streams)
    it(`finds the same in each event as a full parse: ${name}`, () => {
      const property = fc.property(readsOf(event), (reads) => {
        const events = reads.flat().map((each) => Buffer.from(each))
        const found = read(
          endpoint,
          reads.map((each) => Buffer.from(each.join(''))),
        )
        expect(found.seen).to.deep.equal(events.flatMap((bytes) => parsed(endpoint, bytes)))
        expect(found.ends.at(-1) ?? 0).to.equal(Buffer.concat(events).length)
        expect(found.ends.length).to.equal(events.length)
      })
      assertProperty(property, { numRuns: 400 })
    })

  it('decodes invalid UTF-8 like a parser', () => {
    const chunk = (bytes: number[]) =>
      Buffer.concat([
        Buffer.from('data: {"choices":[{"delta":{"content":"'),
        Buffer.from(bytes),
        Buffer.from('"}}]}\n\n'),
      ])
    const byte = fc.integer({ min: 0x23, max: 0xff }).filter((each) => each !== 0x5c)
    const property = fc.property(
      fc.array(fc.array(byte, { minLength: 1, maxLength: 6 }), { maxLength: 8 }),
      (contents) => {
        const events = contents.map(chunk)
        expect(read('chatComplete', [Buffer.concat(events)]).seen).to.deep.equal(
          events.flatMap((bytes) => parsed('chatComplete', bytes)),
        )
        expect(read('chatComplete', events).seen).to.deep.equal(
          events.flatMap((bytes) => parsed('chatComplete', bytes)),
        )
      },
    )
    assertProperty(property, { numRuns: 300 })
  })

  it('learns the bytes around the text from two events', () => {
    const reader = createEventReader(formatOf('chatComplete'), 20)
    const event = (content: string) =>
      Buffer.from(`data: {"choices":[{"delta":{"content":"${content}"}}]}\n\n`)
    reader.read(event('one'))
    expect(reader.aroundBytes()).to.equal(0)
    reader.read(event('another'))
    expect(reader.aroundBytes()).to.equal(event('').length)
  })

  it('reads no more at once than requested', () => {
    const reader = createEventReader(formatOf('chatComplete'), 20)
    const event = (content: string) =>
      Buffer.from(`data: {"choices":[{"delta":{"content":"${content}"}}]}\n\n`)
    reader.read(Buffer.concat([event('one'), event('another')]))
    const runs = reader.read(Buffer.concat(Array.from({ length: 10 }, () => event('12345678'))))
    expect(runs.map(({ deltas }) => deltas[0]?.text.length)).to.deep.equal([24, 24, 24, 8])
  })

  it('asks the format before it trusts the common parts of two events', () => {
    const sample = (text: string) => ({ bytes: Buffer.from(`data: {"a":"${text}"}\n\n`), path: '/a', text })
    const [first, second] = [sample('one'), sample('two')]
    expect(findFrame(first, second, (bytes) => ({ bytes, path: '/b', text: 'one' }))).to.equal(null)
    expect(findFrame(first, second, () => null)).to.equal(null)
  })
})
