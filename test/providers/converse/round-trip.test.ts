/**
 * Conversations are unchanged after a translation to the vendor and back: text, tool calls, ids and results; answers
 * can be sent back, and a stream equals the whole answer.
 */
import type { JsonObject, StreamEvent } from '@gateway/contract'
import { awsEventStream, converseDialect } from '@gateway/provider-kit'
import { expect } from 'chai'
import fc from 'fast-check'
import { assertProperty } from '../../support/assert-property.ts'
import { frame, piecesOf } from '../fixtures/aws-frames.ts'
import { runStream, translatorOf } from '../fixtures/streams.ts'
import {
  answerWith,
  chatOf,
  choiceOf,
  claude,
  messagesOf,
  user,
  type WireBlock,
  weather,
} from './fixtures/chat.ts'
import { metadata, start, stop, text as textEvents, toolUse } from './fixtures/streams.ts'

/** The API refuses blank texts, so a model never returns one. */
const text = fc.string({ unit: 'grapheme', minLength: 1 }).filter((said) => said.trim() !== '')
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

/** The vendor's blocks with this content. */
function blocksOf(said: string, given: readonly Call[]): WireBlock[] {
  const uses = given.map(({ id, name: called, input: args }) => ({
    toolUse: { toolUseId: id, name: called, input: JSON.parse(JSON.stringify(args)) },
  }))
  return [{ text: said }, ...uses]
}

const assistantOf = (chat: JsonObject): JsonObject => choiceOf(chat).message as JsonObject

function cut(whole: string, length: number): string[] {
  const count = Math.ceil(whole.length / length)
  return Array.from({ length: count }, (_, index) => whole.slice(index * length, (index + 1) * length))
}

/** The events of such a stream, with texts split at this length. */
function eventsOf(said: string, given: readonly Call[], length: number): StreamEvent[] {
  const uses = given.flatMap(({ id, name: called, input: args }, index) =>
    toolUse(index + 1, { id, name: called }, ...cut(JSON.stringify(args), length)),
  )
  return [start, ...textEvents(0, ...cut(said, length)), ...uses, stop('end_turn'), metadata()]
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
  const found = collected.map(({ id, name: called, arguments: args }) => ({
    id: String(id),
    type: 'function',
    function: { name: String(called), arguments: args },
  }))
  return { content, calls: found }
}

describe('Converse round trips', () => {
  it('keep the text and the tool calls of an answer', () => {
    assertProperty(
      fc.property(text, calls, (said, given) => {
        const message = assistantOf(chatOf(answerWith(blocksOf(said, given))))
        expect(message.content).to.equal(said)
        expect(message.tool_calls ?? []).to.deep.equal(toolCalls(given))
      }),
    )
  })

  it('send an answer back as the vendor returned it', () => {
    assertProperty(
      fc.property(text, calls, (said, given) => {
        const content = blocksOf(said, given)
        const answer = assistantOf(chatOf(answerWith(content)))
        const sent = messagesOf([user, answer, user], { tools: [weather] })
        expect(sent?.[1]).to.deep.equal({ role: 'assistant', content })
      }),
    )
  })

  it('send reasoning back as the vendor returned it, without strict compliance', () => {
    const content: WireBlock[] = [
      { reasoningContent: { reasoningText: { text: 'Hm', signature: 'c2ln' } } },
      { reasoningContent: { redactedContent: 'ZGF0YQ==' } },
      { text: 'Looking' },
      { toolUse: { toolUseId: 't', name: 'get_weather', input: {} } },
    ]
    const message = assistantOf(chatOf(answerWith(content), { strict: false }))
    const sent = messagesOf([user, message], { tools: [weather] }, { strict: false })
    expect(sent?.[1]).to.deep.equal({ role: 'assistant', content })
  })

  it('keep each result with its call', () => {
    const answered = fc.array(fc.tuple(call, fc.string({ unit: 'grapheme' })), { minLength: 1, maxLength: 3 })
    assertProperty(
      fc.property(answered, (pairs) => {
        const sent = messagesOf(
          [
            user,
            { role: 'assistant', tool_calls: toolCalls(pairs.map(([each]) => each)) },
            ...pairs.map(([{ id }, content]) => ({ role: 'tool', tool_call_id: id, content })),
          ],
          { tools: [weather] },
        )
        expect(sent).to.have.length(3)
        expect(sent?.[2]?.content).to.deep.equal(
          pairs.map(([{ id }, content]) => ({
            toolResult: { toolUseId: id, content: [{ text: content }] },
          })),
        )
      }),
    )
  })

  it('give the same text in a stream, for every split', async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 400 }), { maxLength: 20 })
    await assertProperty(
      fc.asyncProperty(
        text,
        calls,
        fc.integer({ min: 1, max: 7 }),
        sizes,
        async (said, given, length, cuts) => {
          const events = eventsOf(said, given, length)
          const bytes = Buffer.concat(events.map(({ event, data }) => frame(event ?? '', data)))
          async function* pieces() {
            yield* piecesOf(bytes, cuts)
          }
          const read: StreamEvent[] = []
          for await (const event of awsEventStream(pieces())) read.push(event)
          const { chunks, done } = runStream(
            translatorOf(converseDialect, { request: { model: claude } }),
            read,
          )
          expect(done).to.equal(true)
          expect(collect(chunks)).to.deep.equal({ content: said, calls: toolCalls(given) })
        },
      ),
    )
  })
})
