/**
 * However an answer is split into chunks, the stream contains the response of the whole answer, with its events in the
 * right order.
 */
import type { JsonObject } from '@gateway/contract'
import { expect } from 'chai'
import fc from 'fast-check'
import { ResponseStream } from 'openai/lib/responses/ResponseStream'
import type { Response } from 'openai/resources/responses/responses'
import { writeAnswer } from '#dialect-responses/answer'
import { responsesFormat } from '#dialect-responses/format'
import { responsesStream } from '#dialect-responses/stream'
import { parseEvents } from '#streaming/sse-splitter'
import { assertProperty } from '../../support/assert-property.ts'
import { textParts } from '../../support/endpoints.ts'
import { chatAnswer, chatChunks, createContext, runStream } from './support.ts'

interface Said {
  reasoning: string
  content: string
  refusal: string
  calls: { name: string; arguments: string }[]
  finish: string
}

const text = fc.string({ unit: 'grapheme', maxLength: 12 })
const said: fc.Arbitrary<Said> = fc.record({
  reasoning: text,
  content: text,
  refusal: fc.oneof({ weight: 4, arbitrary: fc.constant('') }, { weight: 1, arbitrary: text }),
  calls: fc.array(fc.record({ name: fc.constantFrom('f', 'g'), arguments: text }), { maxLength: 3 }),
  finish: fc.constantFrom('stop', 'length', 'content_filter', 'tool_calls'),
})

const messageOf = ({ reasoning, content, refusal, calls }: Said): JsonObject => ({
  content,
  ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
  ...(refusal === '' ? {} : { refusal }),
  ...(calls.length === 0
    ? {}
    : {
        tool_calls: calls.map((called, index) => ({ id: `c${index}`, type: 'function', function: called })),
      }),
})

/** The parts of a text, split at these positions. */
function cut(whole: string, places: readonly number[]): string[] {
  const ends = [...new Set(places.map((place) => place % (whole.length + 1)))].sort(
    (left, right) => left - right,
  )
  return [...ends, whole.length].map((end, index) => whole.slice(ends[index - 1] ?? 0, end))
}

/** The chunks of an answer: texts in parts, and calls one after another or interleaved. */
function chunksOf(
  { reasoning, content, refusal, calls, finish }: Said,
  places: number[],
  inTurn: boolean,
): JsonObject[] {
  const pieces = calls.flatMap((called, index) =>
    cut(called.arguments, places).map((piece, part) => ({
      part: inTurn ? part : 0,
      delta: {
        tool_calls: [
          {
            index,
            ...(part === 0 ? { id: `c${index}`, type: 'function' } : {}),
            function: { arguments: piece, ...(part === 0 ? { name: called.name } : {}) },
          },
        ],
      },
    })),
  )
  pieces.sort((left, right) => left.part - right.part)
  return chatChunks(
    [
      { role: 'assistant', content: '' },
      ...cut(reasoning, places).map((piece) => ({ reasoning_content: piece })),
      ...cut(content, places).map((piece) => ({ content: piece })),
      ...cut(refusal, places).map((piece) => ({ refusal: piece })),
      ...pieces.map(({ delta }) => delta),
    ],
    finish,
  )
}

const anyCut = [said, fc.array(fc.nat(30), { maxLength: 5 }), fc.boolean()] as const

const eventsOf = (answer: Said, places: number[], inTurn: boolean) =>
  runStream(responsesStream(createContext()), chunksOf(answer, places, inTurn))

/** The response that the vendor's own client assembles from these events. */
function gather(events: readonly JsonObject[]): Promise<Response> {
  const lines = events.map((event) => `${JSON.stringify(event)}\n`).join('')
  const body = new Blob([lines]).stream()
  return ResponseStream.fromReadableStream(body as never).finalResponse()
}

describe('a streamed response, however its chunks are split', () => {
  it('equals the response of the whole answer', () => {
    assertProperty(
      fc.property(...anyCut, (answer, places, inTurn) => {
        const events = eventsOf(answer, places, inTurn)
        const whole = writeAnswer(chatAnswer(messageOf(answer), answer.finish), createContext())
        expect(events[events.length - 1]?.response).to.deep.equal(whole)
      }),
    )
  })

  it("is assembled into the same response by the vendor's client, even without the last event", async () => {
    await assertProperty(
      fc.asyncProperty(...anyCut, async (answer, places, inTurn) => {
        const events = eventsOf(answer, places, inTurn)
        const whole = await gather(events)
        const { output } = await gather(events.slice(0, -1))
        expect(output).to.deep.equal(whole.output)
      }),
      { numRuns: 50 },
    )
  })

  it('has its events in an order that the format allows', () => {
    assertProperty(
      fc.property(...anyCut, (answer, places, inTurn) => {
        checkOrder(eventsOf(answer, places, inTurn))
      }),
    )
  })

  it('shows the checks all texts of the whole response', () => {
    assertProperty(
      fc.property(...anyCut, (answer, places, inTurn) => {
        const events = eventsOf(answer, places, inTurn)
        const texts = new Map<string, string>()
        for (const { path, text: piece } of events.flatMap(responsesFormat.deltas))
          texts.set(path, (texts.get(path) ?? '') + piece)
        const whole = responsesFormat.assemble(events)
        const parts = textParts('createModelResponse', 'after', whole)
        const expected = parts.map(({ path, text: all }) => [path, all]).filter(([, all]) => all !== '')
        expect([...texts].sort()).to.deep.equal(expected.sort())
      }),
    )
  })

  it('can be replayed as the events of its response', () => {
    assertProperty(
      fc.property(...anyCut, (answer, places, inTurn) => {
        const whole = responsesFormat.assemble(eventsOf(answer, places, inTurn))
        const again = responsesFormat.disassemble(whole)
        checkOrder(again)
        expect(responsesFormat.assemble(again)).to.deep.equal(whole)
        expect(responsesFormat.assemble(again.slice(0, -1))).to.have.deep.property('output', whole.output)
      }),
    )
  })

  it('can be parsed from its own bytes', () => {
    assertProperty(
      fc.property(...anyCut, (answer, places, inTurn) => {
        const events = eventsOf(answer, places, inTurn)
        const read = parseEvents(Buffer.concat(events.map(responsesFormat.write)))
        expect(read.map(({ data }) => JSON.parse(data))).to.deep.equal(events)
        expect(read.map(({ event }) => event)).to.deep.equal(events.map(({ type }) => type))
        expect(read.map(responsesFormat.isLast)).to.deep.equal(
          events.map((_, index) => index === events.length - 1),
        )
      }),
    )
  })
})

/** Checks the order of events for each item and each of its parts. */
function checkOrder(events: readonly JsonObject[]): void {
  expect(events.map((event) => event.sequence_number)).to.deep.equal(events.map((_, index) => index))
  expect(events[0]?.type).to.equal('response.created')
  expect(events[1]?.type).to.equal('response.in_progress')
  const states = new Map<string, string>()
  const step = (key: string, from: string | undefined, to: string) => {
    expect(states.get(key), `${key} ${to}`).to.equal(from)
    states.set(key, to)
  }
  let added = 0
  for (const event of events.slice(2, -1)) {
    const type = String(event.type).replace('response.', '')
    const item = `item ${event.output_index}`
    const part = `${item} part ${event.content_index ?? event.summary_index ?? 0}`
    if (type === 'output_item.added') {
      expect(event.output_index).to.equal(added)
      added += 1
      step(item, undefined, 'open')
    } else if (type === 'output_item.done') {
      step(item, 'open', 'done')
    } else {
      expect(states.get(item)).to.equal('open')
      if (type.endsWith('part.added')) step(part, undefined, 'open')
      else if (type.endsWith('part.done')) step(part, 'told', 'done')
      else if (type === 'function_call_arguments.done') step(part, undefined, 'told')
      else if (type.endsWith('.done')) step(part, 'open', 'told')
      else if (type !== 'function_call_arguments.delta') expect(states.get(part)).to.equal('open')
    }
  }
  const items = [...states].filter(([key]) => !key.includes('part'))
  expect(items.map(([, state]) => state)).to.deep.equal(items.map(() => 'done'))
}
