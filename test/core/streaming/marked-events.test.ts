/** The events of a buffer that are read: those with a mark, and an incomplete one at the end. */
import { expect } from 'chai'
import fc from 'fast-check'
import { eventsWith, sliceEvents } from '#streaming/sse-splitter'
import { assertProperty } from '../../support/assert-property.ts'

const marks = ['[DONE]', '"usage":{', 'event:'].map((text) => Buffer.from(text))
const textOf = (bytes: Buffer): string => bytes.toString('utf8').replace(/^[\r\n]+|[\r\n]+$/g, '')
const hasMark = (bytes: Buffer): boolean => marks.some((mark) => bytes.includes(mark))
const cutOut = (text: string): string[] => {
  const bytes = Buffer.from(text)
  return eventsWith(bytes, marks).map(({ start, end }) => textOf(bytes.subarray(start, end)))
}

describe('events with a mark', () => {
  const rows: [what: string, text: string, expected: string[]][] = [
    ['none', 'data: a\n\ndata: b\n\n', []],
    ['at the beginning', 'data: [DONE]\n\ndata: b\n\n', ['data: [DONE]']],
    ['at the first byte', 'event: x\ndata: 1\n\ndata: b\n\n', ['event: x\ndata: 1']],
    ['in the middle', 'data: a\n\ndata: {"usage":{}}\n\ndata: b\n\n', ['data: {"usage":{}}']],
    ['with CRLF', 'data: a\r\n\r\ndata: [DONE]\r\n\r\ndata: b\r\n\r\n', ['data: [DONE]']],
    ['with CR', 'data: a\r\rdata: [DONE]\r\rdata: b\r\r', ['data: [DONE]']],
    ['two marks in one event', 'event: x\ndata: {"usage":{}}\n\n', ['event: x\ndata: {"usage":{}}']],
    ['an incomplete one at the end', 'data: a\n\ndata: b', ['data: b']],
    ['an incomplete one with a mark', 'data: a\n\ndata: [DONE]', ['data: [DONE]']],
    ['nothing but an incomplete one', 'data: a', ['data: a']],
  ]
  for (const [what, text, expected] of rows)
    it(`are found: ${what}`, () => expect(cutOut(text)).to.deep.equal(expected))

  it('are those that a search of every event finds', () => {
    const line = fc.constantFrom(
      'data: a',
      'data: {"usage":{}}',
      'data: [DONE]',
      'event: x',
      ': note',
      'data: "é"',
    )
    const event = fc.array(line, { minLength: 1, maxLength: 3 })
    assertProperty(
      fc.property(
        fc.array(event, { maxLength: 8 }),
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.boolean(),
        (events, end, isComplete) => {
          const text = events.map((lines) => lines.join(end) + end + end).join('')
          const sent = isComplete ? text : text.replace(/[\r\n]+$/, '')
          const slices = sliceEvents(Buffer.from(sent))
          const expected = slices.filter(
            (slice, index) => hasMark(slice) || (!isComplete && index === slices.length - 1),
          )
          expect(cutOut(sent)).to.deep.equal(expected.map(textOf))
        },
      ),
    )
  })
})
