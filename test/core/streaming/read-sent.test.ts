/** The log reads runs of events as one event, with the same result as from all events. */
import { isObject, type JsonObject, parseJson } from '@gateway/contract'
import type { StreamFormat } from '@gateway/contract/dialect'
import { expect } from 'chai'
import fc from 'fast-check'
import { messagesFormat } from '#dialect-messages/format'
import { compatibleFormat } from '#streaming/compatible-format'
import { readSentEvents } from '#streaming/sent-stream'
import { parseEvents } from '#streaming/sse-splitter'
import { assertProperty } from '../../support/assert-property.ts'

const text = fc.oneof(
  fc.constantFrom(
    '',
    'a',
    'Hello',
    ' wörld',
    '"quoted"',
    'back\\slash',
    'new\nline',
    '😀',
    'assistant',
    'stop',
  ),
  fc.string({ unit: 'binary', maxLength: 8 }),
)

const delta = fc.oneof(
  { weight: 6, arbitrary: fc.record({ content: text }) },
  fc.record({ role: fc.constant('assistant'), content: fc.option(text) }),
  fc.record({ content: fc.constant(null), reasoning_content: text }),
  fc.record({ content: text, reasoning_content: text }),
  fc.record({ content: text, tool_calls: fc.constant([]) }),
  fc.record({
    tool_calls: fc.tuple(fc.record({ index: fc.nat(1), function: fc.record({ arguments: text }) })),
  }),
  fc.constant({}),
)
const choice = fc.record(
  {
    index: fc.nat(1),
    delta,
    finish_reason: fc.constantFrom(null, null, null, 'stop'),
    logprobs: fc.constantFrom(null, { content: [] }),
  },
  { requiredKeys: ['delta'] },
)
const chunk = fc.record({
  id: fc.constant('chatcmpl-1'),
  object: fc.constant('chat.completion.chunk'),
  choices: fc.oneof({ weight: 5, arbitrary: fc.tuple(choice) }, fc.array(choice, { maxLength: 2 })),
  usage: fc.constantFrom(null, null, null, { total_tokens: 3 }),
})
const completion = fc.record({ choices: fc.tuple(fc.record({ index: fc.constant(0), text })) })

const blockDelta = fc.oneof(
  { weight: 5, arbitrary: fc.record({ type: fc.constant('text_delta'), text }) },
  fc.record({ type: fc.constant('thinking_delta'), thinking: text }),
  fc.record({ type: fc.constant('input_json_delta'), partial_json: text }),
  fc.record({ type: fc.constant('citations_delta'), citation: fc.record({ cited_text: text }) }),
)
const messageEvent = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ type: fc.constant('content_block_delta'), index: fc.nat(1), delta: blockDelta }),
  },
  fc.record({
    type: fc.constant('content_block_start'),
    index: fc.nat(1),
    content_block: fc.record({ type: fc.constant('text'), text }),
  }),
  fc.record({ type: fc.constant('message_delta'), delta: fc.record({ stop_reason: text }) }),
)

/** Vendors escape differently, and some break their lines differently. */
const escapings: readonly ((json: string) => string)[] = [
  (json) => json,
  (json) => json.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  (json) => json.replaceAll('/', '\\/'),
]
const framings: readonly ((data: string) => string)[] = [
  (data) => `data: ${data}\n\n`,
  (data) => `event: something\ndata: ${data}\n\n`,
  (data) => `data: ${data}\r\n\r\n`,
  (data) => `: comment\ndata: ${data}\n\n`,
]
const garbage = fc.constantFrom(
  'data: [DONE]\n\n',
  'data: {\n\n',
  '\n\n',
  'data: "a"\n\n',
  'data: {"choices":[{"delta":{"content":"a\tb"}}]}\n\n',
)

const streamOf = (event: fc.Arbitrary<object>) =>
  fc
    .tuple(
      fc.array(fc.oneof({ weight: 9, arbitrary: event }, garbage), { maxLength: 12 }),
      fc.constantFrom(...escapings),
      fc.constantFrom(...framings),
      fc.nat(30),
    )
    .map(([events, escaped, framed, cut]) => {
      const sent = events.map((each) =>
        typeof each === 'string' ? each : framed(escaped(JSON.stringify(each))),
      )
      const bytes = Buffer.from(sent.join(''))
      // The log may keep only the beginning of a stream.
      return cut > 20 ? bytes.subarray(0, -cut) : bytes
    })

const parsed = (bytes: Buffer): JsonObject[] =>
  parseEvents(bytes)
    .map(({ data }) => parseJson(data))
    .filter(isObject)

const formats: { name: string; format: StreamFormat; event: fc.Arbitrary<object> }[] = [
  { name: 'chat completions', format: compatibleFormat, event: chunk },
  { name: 'text completions', format: compatibleFormat, event: completion },
  { name: 'messages', format: messagesFormat, event: messageEvent },
]

describe('the events of a sent stream, as parsed for the log', () => {
  for (const { name, format, event } of formats) {
    it(`form the same answer as all events: ${name}`, () => {
      assertProperty(
        fc.property(streamOf(event), (bytes) => {
          expect(format.assemble(readSentEvents(bytes, format))).to.deep.equal(format.assemble(parsed(bytes)))
        }),
        { numRuns: 500 },
      )
    })
  }

  it('are joined to one event when they differ only in their text', () => {
    const texts = ['one', ' two', ' "three"', '\nfour', ' 😀']
    const sent = texts.map((content) =>
      compatibleFormat.write({ id: '1', choices: [{ index: 0, delta: { content }, finish_reason: null }] }),
    )
    const events = readSentEvents(Buffer.concat([...sent, compatibleFormat.ending]), compatibleFormat)
    expect(events).to.deep.equal([
      { id: '1', choices: [{ index: 0, delta: { content: texts.join('') }, finish_reason: null }] },
    ])
  })
})
