/** Server-sent events: split where reads end, parsed, and read as a stream. */
import { expect } from 'chai'
import fc from 'fast-check'
import { createEventReader } from '#streaming/event-reader'
import { createSplitter, parseEvents, sliceEvents } from '#streaming/sse-splitter'
import { formatOf } from '../../support/endpoints.ts'
import { inReads } from '../arbitraries.ts'
import { defineTarget } from '../target.ts'

const chunk = (delta: unknown) => JSON.stringify({ choices: [{ index: 0, delta }] })
const piece = fc.oneof(
  fc.constantFrom(
    '\n',
    '\r',
    '\r\n',
    '\n\n',
    '\r\n\r\n',
    'data:',
    'data: ',
    'event: ',
    'id: 1',
    ': ping',
    'data',
    ':',
    '\uFEFF',
    ' ',
  ),
  fc.constantFrom(
    '[DONE]',
    'null',
    '[]',
    '{',
    chunk(null),
    chunk({ content: null }),
    '{"choices":[null]}',
    '{"choices":{}}',
  ),
  fc.string({ unit: 'grapheme', maxLength: 5 }).map((content) => `data: ${chunk({ content })}\n\n`),
)
const bytes = fc.oneof(
  { weight: 8, arbitrary: piece.map((text) => Buffer.from(text)) },
  fc.uint8Array({ maxLength: 6 }).map((some) => Buffer.from(some)),
)

export const events = defineTarget({
  name: 'sse',
  input: fc.record({
    stream: fc.array(bytes, { maxLength: 30 }).map(Buffer.concat),
    sizes: fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 6 }),
  }),
  read({ stream, sizes }) {
    const splitter = createSplitter()
    const parts = [...inReads(stream, sizes)].map((read) => splitter.push(read))
    const split = [...parts, splitter.rest()].filter((part) => part !== null)
    const reader = createEventReader(formatOf('chatComplete'), 20)
    return { split, read: split.flatMap((part) => reader.read(part)) }
  },
  mayThrow: () => false,
  check({ split, read }, { stream }) {
    // A byte order mark at the beginning of a stream is no part of its first line.
    const events = stream.indexOf('\uFEFF') === 0 ? stream.subarray(3) : stream
    const whole = parseEvents(events)
    expect(Buffer.concat(split).equals(events), 'bytes of the splitter').to.equal(true)
    expect(Buffer.concat(read.map((each) => each.bytes)).equals(events), 'bytes of the reader').to.equal(true)
    expect(split.flatMap(parseEvents)).to.deep.equal(whole)
    expect(sliceEvents(events).flatMap(parseEvents)).to.deep.equal(whole)
  },
})
