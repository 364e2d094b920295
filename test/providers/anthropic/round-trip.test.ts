/**
 * Conversations are unchanged after a translation to the vendor and back: text, tool calls, ids and results; answers
 * can be sent back, and a stream equals the whole answer.
 */
import type { JsonObject, StreamEvent } from '@gateway/contract'
import { anthropicDialect } from '@gateway/provider-kit'
import { expect } from 'chai'
import fc from 'fast-check'
import { assertProperty } from '../../support/assert-property.ts'
import { createContext } from '../fixtures/context.ts'
import { runStream, translatorOf } from '../fixtures/streams.ts'
import { answerOf, messagesOf, requestOf, user } from './fixtures/chat.ts'
import { blockDelta, blockStart, blockStop, ending, event, stop, textBlock } from './fixtures/streams.ts'

const text = fc.string({ unit: 'grapheme', minLength: 1 })
/** The vendor takes no blank texts. */
const spoken = text.filter((said) => said.trim() !== '')
const name = fc.stringMatching(/^[a-zA-Z0-9_-]{1,20}$/)
const input = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { noNullPrototype: true })
const call = fc.record({ id: name, name, input })
const calls = fc.uniqueArray(call, { selector: ({ id }) => id, maxLength: 3 })
type Call = { id: string; name: string; input: Record<string, unknown> }

const toolCalls = (given: readonly Call[]): JsonObject[] =>
  given.map(({ id, name: called, input: args }) => ({
    id,
    type: 'function',
    function: { name: called, arguments: JSON.stringify(args) },
  }))

/** The vendor's answer with this content. */
function messageOf(said: string, given: readonly Call[]): JsonObject {
  const uses = given.map(({ id, name: called, input: args }) => ({
    type: 'tool_use',
    id,
    name: called,
    input: args,
  }))
  const message = {
    id: 'msg_1',
    model: 'm',
    content: [{ type: 'text', text: said }, ...uses],
    stop_reason: 'end_turn',
  }
  return JSON.parse(JSON.stringify(message)) as JsonObject
}

function assistantOf(answer: JsonObject): JsonObject {
  const [choice] = answer.choices as JsonObject[]
  return choice?.message as JsonObject
}

/** The events of such a stream, with texts split at this length. */
function eventsOf(message: JsonObject, pieceLength: number): StreamEvent[] {
  const blocks = (message.content as JsonObject[]).flatMap((block, index) => {
    if (block.type === 'text') return textBlock(index, ...piecesOf(String(block.text), pieceLength))
    const pieces = piecesOf(JSON.stringify(block.input), pieceLength)
    return [
      blockStart(index, { ...block, input: {} }),
      ...pieces.map((partial_json) => blockDelta(index, { type: 'input_json_delta', partial_json })),
      blockStop(index),
    ]
  })
  return [event({ type: 'message_start', message }), ...blocks, ending('end_turn'), stop]
}

function piecesOf(whole: string, length: number): string[] {
  const count = Math.ceil(whole.length / length)
  return Array.from({ length: count }, (_, index) => whole.slice(index * length, (index + 1) * length))
}

/** The assistant message that a client builds from chunks. */
function collect(chunks: readonly JsonObject[]): { content: string; calls: JsonObject[] } {
  let content = ''
  const collected: { id: unknown; name: unknown; arguments: string }[] = []
  for (const { delta } of chunks.flatMap((chunk) => chunk.choices as { delta: JsonObject }[])) {
    content += typeof delta.content === 'string' ? delta.content : ''
    for (const part of (delta.tool_calls ?? []) as { index: number; id?: string; function: JsonObject }[]) {
      const open = collected[part.index]
      const args = String(part.function.arguments)
      if (open === undefined)
        collected[part.index] = { id: part.id, name: part.function.name, arguments: args }
      else open.arguments += args
    }
  }
  return {
    content,
    calls: collected.map(({ id, name: called, arguments: args }) => ({
      id: String(id),
      type: 'function',
      function: { name: String(called), arguments: args },
    })),
  }
}

describe('Anthropic round trips', () => {
  it('keep the text and the tool calls of an answer', () => {
    assertProperty(
      fc.property(text, calls, (said, given) => {
        const message = assistantOf(answerOf(messageOf(said, given)))
        expect(message.content).to.equal(said)
        expect(message.tool_calls ?? []).to.deep.equal(toolCalls(given))
      }),
    )
  })

  it('send an answer back as the vendor returned it', () => {
    assertProperty(
      fc.property(spoken, calls, (said, given) => {
        const message = messageOf(said, given)
        expect(messagesOf([assistantOf(answerOf(message)), user])).to.deep.equal([
          { role: 'assistant', content: message.content },
          { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
        ])
      }),
    )
  })

  it('send thinking back as the vendor returned it, without strict compliance', () => {
    const content = [
      { type: 'thinking', thinking: 'Hm', signature: 'c2ln' },
      { type: 'redacted_thinking', data: 'ZGF0YQ' },
      { type: 'text', text: 'Looking' },
      { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} },
    ]
    const message = assistantOf(
      answerOf({ id: 'msg_1', content, stop_reason: 'tool_use' }, { strict: false }),
    )
    expect(messagesOf([message], { strict: false })).to.deep.equal([{ role: 'assistant', content }])
    expect(messagesOf([message], { strict: true })).to.deep.equal([
      { role: 'assistant', content: content.slice(2) },
    ])
  })

  it('send back thinking that the vendor streams with its text omitted', () => {
    const streamed = [
      blockStart(0, { type: 'thinking', thinking: '', signature: '' }),
      blockDelta(0, { type: 'signature_delta', signature: 'c2ln' }),
      blockStop(0),
    ]
    const { chunks } = runStream(translatorOf(anthropicDialect, { strict: false }), streamed)
    const content_blocks = chunks.flatMap((chunk) =>
      (chunk.choices as { delta: JsonObject }[]).flatMap(({ delta }) => delta.content_blocks as JsonObject[]),
    )
    const message = { role: 'assistant', content: 'Said', content_blocks }
    expect(messagesOf([message], { strict: false })).to.deep.equal([
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: '', signature: 'c2ln' },
          { type: 'text', text: 'Said' },
        ],
      },
    ])
  })

  it('send a refusal back as text', () => {
    const message = { role: 'assistant', content: null, refusal: 'Not this.' }
    expect(messagesOf([user, message, user])).to.deep.equal([
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Not this.' }] },
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
    ])
  })

  it('use the text in content_blocks when a message has no content', () => {
    const content_blocks = [{ type: 'text', text: 'Said' }]
    expect(messagesOf([{ role: 'assistant', content_blocks }])).to.deep.equal([
      { role: 'assistant', content: content_blocks },
    ])
  })

  it('keep each result with its call', () => {
    const answered = fc.array(fc.tuple(call, spoken), { minLength: 1, maxLength: 3 })
    assertProperty(
      fc.property(answered, (pairs) => {
        const messages = messagesOf([
          { role: 'assistant', tool_calls: toolCalls(pairs.map(([each]) => each)) },
          ...pairs.map(([{ id }, content]) => ({ role: 'tool', tool_call_id: id, content })),
        ]) as { content: JsonObject[] }[]
        expect(messages).to.have.length(2)
        expect(messages[1]?.content).to.deep.equal(
          pairs.map(([{ id }, content]) => ({
            type: 'tool_result',
            tool_use_id: id,
            content: [{ type: 'text', text: content }],
          })),
        )
      }),
    )
  })

  it('give the same text in a stream, for every split', () => {
    assertProperty(
      fc.property(text, calls, fc.integer({ min: 1, max: 7 }), (said, given, pieceLength) => {
        const events = eventsOf(messageOf(said, given), pieceLength)
        const { chunks, done } = runStream(translatorOf(anthropicDialect), events)
        expect(done).to.equal(true)
        expect(collect(chunks)).to.deep.equal({ content: said, calls: toolCalls(given) })
      }),
    )
  })

  it('do not change their input', () => {
    const request = {
      model: 'm',
      messages: [
        { role: 'user', content: 'a' },
        { role: 'user', content: 'b' },
      ],
    }
    const message = messageOf('x', [{ id: 'a', name: 'f', input: {} }])
    const before = structuredClone({ request, message })
    requestOf(request)
    anthropicDialect.answer(message, createContext({ strict: false }))
    expect({ request, message }).to.deep.equal(before)
  })
})
