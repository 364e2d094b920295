/** The logged part of a stream is the same for streams of any length and any split. */
import { createHash } from 'node:crypto'
import { expect } from 'chai'
import fc from 'fast-check'
import { compatibleFormat } from '#streaming/compatible-format'
import { keepSentEvents, keepSentMedia, readSentEvents } from '#streaming/sent-stream'
import { assertProperty } from '../../support/assert-property.ts'

const event = (content: string) =>
  `data: ${JSON.stringify({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta: { content }, finish_reason: null }],
  })}\n\n`

describe('the kept part of a sent stream', () => {
  it('is the body of its events, also of those that were deflated', async () => {
    await assertProperty(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', maxLength: 20 }), { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 500, max: 100_000 }),
        (words, times, pieceBytes) => {
          const bytes = Buffer.from(words.map(event).join('').repeat(times))
          const sent = keepSentEvents(compatibleFormat, 1_000_000_000)
          for (let at = 0; at < bytes.length; at += pieceBytes) sent.add(bytes.subarray(at, at + pieceBytes))
          const whole = compatibleFormat.assemble(readSentEvents(bytes, compatibleFormat))
          expect(sent.read()).to.deep.equal(whole)
          expect(sent.read()).to.deep.equal(whole)
        },
      ),
      { numRuns: 30 },
    )
  })

  it('ends at its limit', () => {
    const one = event('word')
    const sent = keepSentEvents(compatibleFormat, one.length * 3)
    for (let count = 0; count < 10; count += 1) sent.add(Buffer.from(one))
    expect(JSON.stringify(sent.read())).to.contain('"wordwordword"')
  })

  it('is the mark of its bytes when it has no events', () => {
    const sent = keepSentMedia(5)
    for (const piece of ['abc', 'def', 'ghi']) sent.add(Buffer.from(piece))
    const hash = createHash('sha256').update('abcde').digest('hex')
    expect(sent.read()).to.equal(`[media ${hash} 5]`)
    expect(sent.read()).to.equal(`[media ${hash} 5]`)
  })
})
