/** An answer can be sent back unchanged, and a stream equals the whole answer, for every split of its bytes. */
import type { JsonObject } from '@gateway/contract'
import { jsonLines, ollamaDialect } from '@gateway/provider-kit'
import { expect } from 'chai'
import fc from 'fast-check'
import { assertProperty } from '../../support/assert-property.ts'
import { createContext } from '../fixtures/context.ts'
import { translatorOf } from '../fixtures/streams.ts'
import { answerOf, lineOf, messageOf, messagesOf, metrics, requestOf } from './fixtures.ts'

const text = fc.string({ unit: 'grapheme', minLength: 1 })
const name = fc.stringMatching(/^[a-zA-Z0-9_-]{1,20}$/)
const input = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { noNullPrototype: true })
const call = fc.record({ id: name, function: fc.record({ name, arguments: input }) })
const calls = fc.uniqueArray(call, { selector: ({ id }) => id, minLength: 1, maxLength: 3 })

const plain = (value: unknown): JsonObject => JSON.parse(JSON.stringify(value)) as JsonObject

async function* pieces(bytes: Buffer, length: number) {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length)
}

async function textOf(lines: JsonObject[], length: number): Promise<{ text: string; done: boolean }> {
  const bytes = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''), 'utf8')
  const translator = translatorOf(ollamaDialect)
  let said = ''
  let done = false
  for await (const event of jsonLines(pieces(bytes, length))) {
    const translated = translator.event(event)
    done ||= translated.done
    for (const chunk of translated.chunks)
      for (const { delta } of chunk.choices as { delta: JsonObject }[]) said += String(delta.content ?? '')
  }
  return { text: said, done }
}

describe('Ollama round trips', () => {
  it('send an answer with calls back as the vendor returned it', () => {
    assertProperty(
      fc.property(text, calls, (content, given) => {
        const tool_calls = plain({ given }).given as JsonObject[]
        const message = messageOf(answerOf({ content, tool_calls }))
        expect(messagesOf([message])).to.deep.equal([{ role: 'assistant', content, tool_calls }])
      }),
    )
  })

  it('give the same text in a stream, for every split of its bytes', async () => {
    await assertProperty(
      fc.asyncProperty(
        fc.array(text, { maxLength: 4 }),
        fc.integer({ min: 1, max: 50 }),
        async (said, length) => {
          const lines = [...said.map((content) => lineOf({ content })), lineOf({}, metrics)]
          expect(await textOf(lines, length)).to.deep.equal({ text: said.join(''), done: true })
        },
      ),
    )
  })

  it('do not change their input', () => {
    const request: JsonObject = {
      model: 'm',
      options: { num_ctx: 1 },
      temperature: 1,
      messages: [{ role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } }],
    }
    const answer = lineOf({ content: 'x', tool_calls: [{ function: { name: 'f', arguments: {} } }] }, metrics)
    const before = structuredClone({ request, answer })
    requestOf(request)
    ollamaDialect.answer(answer, createContext({ strict: false }))
    expect({ request, answer }).to.deep.equal(before)
  })
})
