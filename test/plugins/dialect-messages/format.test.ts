/**
 * The stream format of messages: events and message are converted in both directions, and the texts of the events are
 * those of the message.
 */
import type { Json, JsonObject } from '@gateway/contract'
import { expect } from 'chai'
import fc from 'fast-check'
import { messagesFormat } from '#dialect-messages/format'
import { parseEvents } from '#streaming/sse-splitter'
import { assertProperty } from '../../support/assert-property.ts'
import { textParts } from '../../support/endpoints.ts'
import { followMessage } from './message-order.ts'

const text = fc.string({ unit: 'grapheme' })
const input = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>, {
  noNullPrototype: true,
})
const block = fc.oneof(
  fc.record({ type: fc.constant('text'), text }),
  fc.record({
    type: fc.constant('text'),
    text,
    citations: fc.array(fc.record({ type: fc.constant('char_location'), cited_text: text }), {
      minLength: 1,
      maxLength: 2,
    }),
  }),
  fc.record({ type: fc.constant('thinking'), thinking: text, signature: text }),
  fc.record({ type: fc.constant('redacted_thinking'), data: text }),
  fc.record({ type: fc.constant('tool_use'), id: text, name: text, input }),
)
const message = fc
  .record({
    id: text,
    type: fc.constant('message'),
    role: fc.constant('assistant'),
    model: text,
    content: fc.array(block, { maxLength: 5 }),
    stop_reason: fc.constantFrom('end_turn', 'tool_use', 'max_tokens'),
    stop_sequence: fc.constantFrom(null, 'END'),
    stop_details: fc.constant(null),
    container: fc.constant(null),
    usage: fc.record({ input_tokens: fc.nat(), output_tokens: fc.nat() }),
  })
  .map((given) => JSON.parse(JSON.stringify(given)) as JsonObject)

const { assemble, disassemble, deltas, write } = messagesFormat

/** Splits text into single characters, as a provider could send it. */
function cutFine(events: JsonObject[]): JsonObject[] {
  return events.flatMap((event) => {
    const delta = event.delta as JsonObject | undefined
    const key = ['text', 'thinking', 'partial_json'].find((name) => typeof delta?.[name] === 'string')
    if (event.type !== 'content_block_delta' || key === undefined) return [event]
    return [...String(delta?.[key])].map((piece) => ({ ...event, delta: { ...delta, [key]: piece } }))
  })
}

describe('the stream format of messages', () => {
  it('splits a message into ordered events, and joins them into the same message', () => {
    assertProperty(
      fc.property(message, (body) => {
        const events = disassemble(body)
        expect(followMessage(events).isComplete).to.equal(true)
        expect(assemble(events)).to.deep.equal(body)
        expect(assemble(cutFine(events))).to.deep.equal(body)
      }),
    )
  })

  it('writes named events that it can parse again', () => {
    assertProperty(
      fc.property(message, (body) => {
        const events = disassemble(body)
        const read = parseEvents(Buffer.concat(events.map(write)))
        expect(read.map(({ event }) => event)).to.deep.equal(events.map(({ type }) => type))
        expect(read.map(({ data }) => JSON.parse(data) as unknown)).to.deep.equal(
          JSON.parse(JSON.stringify(events)),
        )
        expect(read.map(messagesFormat.isLast)).to.deep.equal(
          events.map((_, index) => index === events.length - 1),
        )
      }),
    )
  })

  it('finds the texts of the message by their path', () => {
    assertProperty(
      fc.property(message, (body) => {
        const grown = new Map<string, string>()
        for (const event of cutFine(disassemble(body)))
          for (const { path, text: added } of deltas(event)) grown.set(path, (grown.get(path) ?? '') + added)
        const whole = textParts('messages', 'after', body).filter((part) => part.text !== '')
        const isCited = (path: string) => path.includes('/citations')
        const plain = whole.filter(({ path }) => !isCited(path))
        expect([...grown].filter(([path]) => !isCited(path)).sort()).to.deep.equal(
          plain.map((part): [string, string] => [part.path, part.text]).sort(),
        )
        // The citations of a block grow into one text.
        for (const { path, text: cited } of whole.filter((part) => isCited(part.path)))
          expect(
            grown
              .get(path.replace(/\/citations\/.*/, '/citations'))
              ?.split('\n')
              .join(),
          ).to.contain(cited.split('\n').join())
      }),
    )
  })

  it('shows checks an input that is not valid JSON', () => {
    const events = [
      {
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'tool_use', id: 't', name: 'n', input: {} },
      },
      { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"bad' } },
    ]
    const [part] = textParts('messages', 'after', assemble(events))
    expect(part).to.deep.equal({ role: 'assistant', text: '{"bad', path: '/content/0/input' })
  })

  it('ignores unexpected events', () => {
    const odd = [
      {},
      { type: 5 },
      { type: 'message_start', message: 3 },
      { type: 'content_block_delta', delta: null },
      { type: 'message_delta', usage: 'x' },
    ]
    for (const event of odd as JsonObject[]) {
      expect(deltas(event)).to.deep.equal([])
      expect(messagesFormat.usageOf(event, null)).to.equal(null)
    }
    expect(assemble(odd as JsonObject[]).content).to.deep.equal([])
  })

  const openings: [event: object, isOpening: boolean][] = [
    [{ type: 'message_start', message: {} }, true],
    [{ type: 'ping' }, true],
    [{ type: 'content_block_start', content_block: { type: 'text', text: '' } }, true],
    [{ type: 'content_block_start', content_block: { type: 'thinking', thinking: '' } }, true],
    [{ type: 'content_block_start', content_block: { type: 'text', text: 'a' } }, false],
    [{ type: 'content_block_start', content_block: { type: 'tool_use', name: 'n', input: {} } }, false],
    [{ type: 'content_block_delta', delta: { type: 'text_delta', text: 'a' } }, false],
    [{ type: 'message_stop' }, false],
  ]
  for (const [event, isOpening] of openings) {
    it(`${isOpening ? 'treats as an opening' : 'treats as content'}: ${JSON.stringify(event)}`, () => {
      expect(messagesFormat.isOpening(event as JsonObject)).to.equal(isOpening)
    })
  }

  const faults: [data: object, status: number, code: string][] = [
    [{ type: 'error', error: { type: 'overloaded_error', message: 'm' } }, 529, 'upstream_error'],
    [
      { type: 'error', error: { type: 'rate_limit_error', message: 'm', details: { error_code: 'c' } } },
      429,
      'c',
    ],
    [{ type: 'error', error: { type: 'of_tomorrow', message: 'm' } }, 502, 'upstream_error'],
  ]
  for (const [data, status, code] of faults) {
    it(`fails with ${status} for ${JSON.stringify(data)}`, () => {
      for (const event of ['error', null]) {
        const fault = messagesFormat.readError({ event, data: JSON.stringify(data) })
        expect(fault?.upstream).to.include({ status, code, message: 'm' })
      }
    })
  }
  it('does not fail for text that mentions errors', () => {
    const event = { type: 'content_block_delta', delta: { type: 'text_delta', text: '"error"' } }
    expect(messagesFormat.readError({ event: 'content_block_delta', data: JSON.stringify(event) })).to.equal(
      null,
    )
  })
})
