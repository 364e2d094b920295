/**
 * Conversations are unchanged after a translation to the vendor and back: text, tool calls, ids, signatures and
 * results; answers can be sent back, and a stream equals the whole answer.
 */
import type { JsonObject } from '@gateway/contract'
import { expect } from 'chai'
import fc from 'fast-check'
import type { Part } from '#kit/dialect/gemini/types'
import { assertProperty } from '../../support/assert-property.ts'
import { contentsOf, messageOf, requestOf } from './fixtures/chat.ts'
import { deltasOf, run, says } from './fixtures/streams.ts'

const model = 'gemini-3.8-flash'
const text = fc.string({ unit: 'grapheme', minLength: 1 })
const name = fc.stringMatching(/^[a-zA-Z_][a-zA-Z0-9_-]{0,20}$/)
const args = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { noNullPrototype: true })
const call = fc.record({ id: name, name, args, signature: fc.option(fc.base64String({ minLength: 4 })) })
const calls = fc.uniqueArray(call, { selector: ({ id }) => id, minLength: 1, maxLength: 3 })
type Call = { id: string; name: string; args: Record<string, unknown>; signature: string | null }

/** The vendor's answer with this content; the first call of a step is always signed. */
function partsOf(said: string, given: readonly Call[]): Part[] {
  const called = given.map(({ id, name: called, args: values, signature }, at) => {
    const thoughtSignature = signature ?? (at === 0 ? 'c2ln' : undefined)
    return {
      functionCall: { id, name: called, args: values },
      ...(thoughtSignature === undefined ? {} : { thoughtSignature }),
    }
  })
  return JSON.parse(JSON.stringify([{ text: said }, ...called])) as Part[]
}

describe('Gemini round trips', () => {
  it('send an answer back as the vendor returned it, even under strict compliance', () => {
    assertProperty(
      fc.property(text, calls, fc.boolean(), (said, given, strict) => {
        const parts = partsOf(said, given)
        expect(contentsOf([messageOf(parts, { strict })], { model })).to.deep.equal([
          { role: 'model', parts },
        ])
      }),
    )
  })

  it('send the signatures of a text and an image back, without strict compliance', () => {
    const parts: Part[] = [
      { text: 'See' },
      { inlineData: { mimeType: 'image/png', data: 'AAAA' }, thoughtSignature: 'c2ln' },
    ]
    expect(contentsOf([messageOf(parts, { strict: false })], { model })[0]?.parts).to.deep.equal(parts)
  })

  it('keep each result with its call', () => {
    const answered = fc.array(fc.tuple(call, text), { minLength: 1, maxLength: 3 })
    assertProperty(
      fc.property(answered, (pairs) => {
        const distinct = pairs.map(
          ([each, result], at) => [{ ...each, id: `${at}${each.id}` }, result] as const,
        )
        const contents = contentsOf([
          messageOf(
            partsOf(
              'x',
              distinct.map(([each]) => each),
            ),
          ),
          ...distinct.map(([{ id }, content]) => ({ role: 'tool', tool_call_id: id, content })),
        ])
        expect(contents).to.have.length(2)
        expect(contents[1]?.parts).to.deep.equal(
          distinct.map(([{ id, name: called }, output]) => ({
            functionResponse: { id, name: called, response: { output } },
          })),
        )
      }),
    )
  })

  it('give the same text in a stream, for every split', () => {
    assertProperty(
      fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), calls, (pieces, given) => {
        const [, ...called] = partsOf('x', given)
        const events = [
          ...pieces.map((piece) => says([{ text: piece }])),
          ...called.map((part) => says([part])),
          says([], { finishReason: 'STOP' }),
        ]
        const deltas = deltasOf(run(events)) as JsonObject[]
        const whole = messageOf([{ text: pieces.join('') }, ...called])
        expect(deltas.map(({ content }) => content ?? '').join('')).to.equal(whole.content)
        const streamed = deltas.flatMap((delta) => (delta.tool_calls ?? []) as JsonObject[])
        expect(streamed.map(({ index: _, ...each }) => each)).to.deep.equal(whole.tool_calls)
      }),
    )
  })

  it('do not change their input', () => {
    const body = {
      model,
      messages: [
        { role: 'user', content: 'a' },
        { role: 'user', content: [{ type: 'text', text: 'b' }] },
        {
          role: 'assistant',
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
      ],
    }
    const before = structuredClone(body)
    requestOf(body)
    expect(body).to.deep.equal(before)
  })
})
