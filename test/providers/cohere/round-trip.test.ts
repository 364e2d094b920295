/**
 * Conversations are unchanged after a translation to the vendor and back: answers can be sent back, and a stream equals
 * the whole answer.
 */
import type { JsonObject, StreamEvent } from '@gateway/contract'
import { cohereDialect } from '@gateway/provider-kit'
import { expect } from 'chai'
import fc from 'fast-check'
import { assertProperty } from '../../support/assert-property.ts'
import { createContext } from '../fixtures/context.ts'
import { runStream, translatorOf } from '../fixtures/streams.ts'
import { answerOf, messageOf, messagesOf, requestOf } from './fixtures/chat.ts'
import { ending, plan, start, textBlock, toolCall } from './fixtures/streams.ts'

const text = fc.string({ unit: 'grapheme', minLength: 1 })
const name = fc.stringMatching(/^[a-zA-Z0-9_-]{1,20}$/)
const input = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { noNullPrototype: true })
const call = fc.record({ id: name, name, arguments: input.map((value) => JSON.stringify(value)) })
const calls = fc.uniqueArray(call, { selector: ({ id }) => id, minLength: 1, maxLength: 3 })
type Call = { id: string; name: string; arguments: string }

const toolCalls = (given: readonly Call[]) =>
  given.map(({ id, ...called }) => ({ id, type: 'function' as const, function: called }))

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
  const whole = collected.map(({ id, ...called }) => ({ id, type: 'function', function: called }))
  return { content, calls: whole as JsonObject[] }
}

function runOf(events: StreamEvent[]) {
  const { chunks, done } = runStream(translatorOf(cohereDialect), events)
  return { done, ...collect(chunks) }
}

describe('Cohere round trips', () => {
  it('send an answer with calls back as the vendor returned it', () => {
    assertProperty(
      fc.property(text, calls, (tool_plan, given) => {
        const message = { role: 'assistant' as const, tool_plan, tool_calls: toolCalls(given) }
        expect(messagesOf([messageOf(answerOf({ finish_reason: 'TOOL_CALL', message }))])).to.deep.equal([
          message,
        ])
      }),
    )
  })

  it('send text and thinking back as the vendor returned them, without strict compliance', () => {
    assertProperty(
      fc.property(text, text, (thinking, said) => {
        const content = [
          { type: 'thinking' as const, thinking },
          { type: 'text' as const, text: said },
        ]
        const message = { role: 'assistant' as const, content }
        const answer = messageOf(answerOf({ message }, { strict: false }))
        expect(messagesOf([answer], { strict: false })).to.deep.equal([message])
        expect(messagesOf([answer])).to.deep.equal([{ role: 'assistant', content: said }])
      }),
    )
  })

  it('give the same text in a stream, for every split', () => {
    assertProperty(
      fc.property(text, fc.integer({ min: 1, max: 7 }), (said, length) => {
        const events = [start, ...textBlock(0, ...piecesOf(said, length)), ending('COMPLETE')]
        expect(runOf(events)).to.deep.equal({ done: true, content: said, calls: [] })
      }),
    )
  })

  it('give the same calls in a stream, for every split', () => {
    assertProperty(
      fc.property(text, calls, fc.integer({ min: 1, max: 7 }), (said, given, length) => {
        const called = given.flatMap(({ id, name: named, arguments: args }, index) =>
          toolCall(index, { id, name: named }, ...piecesOf(args, length)),
        )
        const events = [start, ...plan(...piecesOf(said, length)), ...called, ending('TOOL_CALL')]
        expect(runOf(events)).to.deep.equal({ done: true, content: said, calls: toolCalls(given) })
      }),
    )
  })

  it('do not change their input', () => {
    const request: JsonObject = {
      model: 'm',
      messages: [{ role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } }],
      functions: [{ name: 'f' }],
    }
    const answer: JsonObject = { message: { content: [{ type: 'text', text: 'x' }], citations: [] } }
    const before = structuredClone({ request, answer })
    requestOf(request)
    cohereDialect.answer(answer, createContext({ strict: false }))
    expect({ request, answer }).to.deep.equal(before)
  })
})
