/**
 * Messages → chat → messages, through the vendor's chat dialect: everything that both formats support stays unchanged,
 * in requests, answers and streams.
 */
import type { CallContext, JsonObject } from '@gateway/contract'
import { anthropicDialect } from '@gateway/provider-kit'
import { expect } from 'chai'
import fc from 'fast-check'
import { messagesDialect } from '#dialect-messages/dialect'
import { messagesFormat } from '#dialect-messages/format'
import { createContext } from '../../providers/fixtures/context.ts'
import { assertProperty } from '../../support/assert-property.ts'
import { dialectContext } from './chat-fixtures.ts'
import { unreported, unreportedUsage } from './fixtures.ts'
import { followMessage } from './message-order.ts'

/** The vendor refuses blank texts, so they are not sent. */
const text = fc.string({ unit: 'grapheme', minLength: 1 }).filter((given) => given.trim() !== '')
const id = fc.stringMatching(/^[a-zA-Z0-9_-]{1,20}$/)
const input = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { noNullPrototype: true })
const textBlock = fc.record({ type: fc.constant('text'), text })
const image = fc.oneof(
  fc.constant({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }),
  fc.constant({ type: 'image', source: { type: 'url', url: 'https://x.test/a.png' } }),
)
const pdf = fc.record({
  type: fc.constant('document'),
  source: fc.constant({ type: 'base64', media_type: 'application/pdf', data: 'JVBE' }),
  title: fc.constant('a.pdf'),
})
const thinking = fc.oneof(
  fc.record({ type: fc.constant('thinking'), thinking: text, signature: text }),
  fc.record({ type: fc.constant('redacted_thinking'), data: text }),
)
const use = fc.record({ type: fc.constant('tool_use'), id, name: id, input })
const uses = fc.uniqueArray(use, { selector: (given) => given.id, maxLength: 3 })

/** A user's question. With media, it is a list of parts in both formats. */
const question = fc.oneof(
  textBlock.map((given) => [given]),
  fc.tuple(textBlock, fc.oneof(image, pdf), textBlock),
)
/** A turn with thinking, one text and calls, followed by their results. */
const turn = fc
  .record({
    asked: question,
    thoughts: fc.array(thinking, { maxLength: 2 }),
    said: textBlock,
    calls: uses,
    results: fc.infiniteStream(text),
  })
  .map(({ asked, thoughts, said, calls, results }) => [
    { role: 'user', content: asked },
    { role: 'assistant', content: [...thoughts, said, ...calls] },
    ...(calls.length === 0
      ? []
      : [
          {
            role: 'user',
            content: calls.map((call) => ({
              type: 'tool_result',
              tool_use_id: call.id,
              content: [{ type: 'text', text: results.next().value ?? '' }],
            })),
          },
          { role: 'assistant', content: [{ type: 'text', text: 'so' }] },
        ]),
  ])
const tool = fc.record(
  {
    name: id,
    description: text,
    input_schema: fc.constant({ type: 'object', properties: { a: {} } }),
    strict: fc.constant(true),
  },
  { requiredKeys: ['name', 'input_schema'] },
)
/** Tools, and a choice that names one of them. */
const toolUse = fc
  .uniqueArray(tool, { selector: ({ name }) => name, minLength: 1, maxLength: 3 })
  .chain((tools) =>
    fc.record({
      tools: fc.constant(tools),
      tool_choice: fc.oneof(
        fc.constantFrom({ type: 'auto' }, { type: 'any' }, { type: 'none' }),
        fc.constant({ type: 'any', disable_parallel_tool_use: true }),
        fc.constantFrom(...tools).map(({ name }) => ({ type: 'tool', name })),
      ),
    }),
  )

/** Sampling parameters that the vendor accepts: one of the first two, and none together with thinking. */
const sampling = fc.oneof(
  fc.record(
    { temperature: fc.double({ min: 0, max: 1, noNaN: true }), top_k: fc.nat() },
    { requiredKeys: [] },
  ),
  fc.record({ top_p: fc.constant(0.5), thinking: fc.constant({ type: 'disabled' }) }),
  fc.constant({ thinking: { type: 'enabled', budget_tokens: 2000 } }),
)

const request = fc
  .record(
    {
      system: text,
      turns: fc.array(turn, { maxLength: 2 }),
      last: question,
      max_tokens: fc.integer({ min: 1, max: 9999 }),
      sampling,
      stop_sequences: fc.array(text, { minLength: 1, maxLength: 3 }),
      metadata: fc.record({ user_id: fc.string({ maxLength: 64 }) }),
      stream: fc.boolean(),
      service_tier: fc.constantFrom('auto', 'standard_only'),
      tools: toolUse,
    },
    { requiredKeys: ['turns', 'last', 'max_tokens'] },
  )
  .map(({ turns, last, tools, sampling: sampled, ...rest }) => {
    const messages = [...turns.flat(), { role: 'user', content: last }]
    return JSON.parse(
      JSON.stringify({ model: 'claude-sonnet-4-5', ...rest, ...sampled, ...tools, messages }),
    ) as JsonObject
  })

function contextOf(body: JsonObject): CallContext {
  return { ...createContext({ request: body, strict: false }), includeUsage: true }
}

describe('a Messages request translated to chat and back', () => {
  it('is unchanged', () => {
    assertProperty(
      fc.property(request, (body) => {
        const chat = messagesDialect.request(body, dialectContext(body, { strict: false }))
        expect(anthropicDialect.request(chat, contextOf(chat))).to.deep.equal(body)
      }),
    )
  })
})

const answer = fc
  .record({
    id: id.map((name) => `msg_${name}`),
    thoughts: fc.array(thinking, { maxLength: 2 }),
    said: fc.array(textBlock, { maxLength: 1 }),
    calls: uses,
    stop: fc.constantFrom('end_turn', 'max_tokens', 'stop_sequence', 'pause_turn', 'refusal'),
    usage: fc.record({
      input_tokens: fc.nat(),
      output_tokens: fc.nat(),
      cache_read_input_tokens: fc.nat(),
      cache_creation_input_tokens: fc.nat(),
    }),
  })
  .map(({ id: name, thoughts, said, calls, stop, usage }) => {
    const message = {
      id: name,
      type: 'message',
      role: 'assistant',
      model: 'claude',
      content: [...thoughts, ...said, ...calls],
      stop_reason: calls.length > 0 ? 'tool_use' : stop,
      stop_sequence: null,
      ...unreported,
      usage: { ...usage, ...unreportedUsage },
    }
    return JSON.parse(JSON.stringify(message)) as JsonObject
  })

const asked = { model: 'claude', max_tokens: 9, messages: [] }

describe('a message translated to chat and back', () => {
  it('is unchanged', () => {
    assertProperty(
      fc.property(answer, (body) => {
        const chat = anthropicDialect.answer(body, contextOf(asked))
        expect(messagesDialect.answer(chat, dialectContext(asked))).to.deep.equal(body)
      }),
    )
  })

  it('is unchanged in a stream', () => {
    assertProperty(
      fc.property(answer, (body) => {
        if (typeof anthropicDialect.stream !== 'function') throw new Error('It streams.')
        const upstream = anthropicDialect.stream(contextOf(asked))
        const stream = messagesDialect.stream(dialectContext(asked))
        const chunks = messagesFormat
          .disassemble(body)
          .flatMap((event) => upstream.event({ event: null, data: JSON.stringify(event) }).chunks)
        const events = [
          ...chunks.flatMap((chunk) => stream.chunk(JSON.parse(JSON.stringify(chunk)))),
          ...stream.end(),
        ]
        const { isComplete } = followMessage(events)
        expect(isComplete).to.equal(true)
        expect(messagesFormat.assemble(events)).to.deep.equal(body)
      }),
    )
  })
})
