/** The hold-back window of a stream: its end, the text that it shows to checks, and the text that it keeps. */
import { expect } from 'chai'
import fc from 'fast-check'
import { createTextWindow } from '#core/guardrails/streaming/hold-back-window'
import type { TextWindow } from '#core/guardrails/streaming/text-window'
import { createEventReader } from '#streaming/event-reader'
import { assertProperty } from '../../support/assert-property.ts'
import { formatOf } from '../../support/endpoints.ts'
import { chatChunk } from '../../support/upstream.ts'

const format = formatOf('chatComplete')
const size = { windowChars: 40, overlapChars: 10, keepsWhole: false }
const path = '/choices/0/message/content'

/** An event whose bytes are only its text, which makes the output readable. */
function add(window: TextWindow, text: string): void {
  const deltas = [{ path, text }]
  window.add({ bytes: Buffer.from(text), deltas, cuts: [], ended: [], isLast: false })
}

/** The windows of a text that arrives in parts, and the text delivered after each. */
function run(pieces: readonly string[], options: Partial<typeof size> = {}) {
  const window = createTextWindow({ ...size, ...options }, format)
  const seen: { text: string; sent: string }[] = []
  let sent = ''
  for (const piece of pieces) {
    add(window, piece)
    for (let parts = window.next(); parts !== null; parts = window.next()) {
      sent += window.release().toString()
      seen.push({ text: parts.map(({ text }) => text).join('|'), sent })
    }
  }
  return { window, seen, rest: window.rest().map(({ text }) => text) }
}

const ends: [string, string, string | null][] = [
  [
    'a sentence, once half of it is there',
    'One two three four five six. Seven',
    'One two three four five six.',
  ],
  ['a line', 'one two three four five six\nseven', 'one two three four five six\n'],
  ['a sentence of writing without spaces', `${'一'.repeat(24)}。二三`, `${'一'.repeat(24)}。`],
  ['no sentence before half of it is there', 'One two. Three four', null],
  ['no point within a number', 'one two three four five 3.14159 six', null],
  [
    'a word, once it is full',
    'one two three four five six seven eight nine',
    'one two three four five six seven eight ',
  ],
  ['no word before it is full', 'one two three four five six seven', null],
  ['anywhere at one and a half', 'x'.repeat(60), 'x'.repeat(60)],
  ['nowhere before that', 'x'.repeat(59), null],
]

describe('the window of a held-back stream', () => {
  for (const [name, text, expected] of ends)
    it(`ends at ${name}`, () => {
      for (const pieces of [[text], [...text]]) {
        const [first] = run(pieces).seen
        if (pieces.length === 1 || expected === null) expect(first?.text ?? null).to.equal(expected)
        else expect(expected.startsWith(first?.text.trimEnd() ?? '-'), first?.text).to.equal(true)
      }
    })

  it('ends at one and a half times its size at the latest, for any text', () => {
    assertProperty(
      fc.property(fc.array(fc.string({ minLength: 1, maxLength: 8 }), { maxLength: 80 }), (pieces) => {
        const window = createTextWindow(size, format)
        let unseen = 0
        for (const piece of pieces) {
          add(window, piece)
          unseen += piece.length
          for (let parts = window.next(); parts !== null; parts = window.next()) unseen = 0
          expect(unseen).to.be.below(60)
        }
      }),
    )
  })

  it("contains every phrase up to the overlap's length completely before any part of it is delivered", () => {
    const property = fc.property(
      fc.string({ unit: fc.constantFrom(...'ab. \n'), maxLength: 300 }),
      fc.string({ unit: fc.constantFrom(...'ab. \n'), maxLength: 300 }),
      fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 20 }),
      (before, after, lengths) => {
        const phrase = 'XY. ZW! XY'
        const text = before + phrase + after
        const pieces: string[] = []
        for (let at = 0, turn = 0; at < text.length; turn += 1) {
          const length = lengths[turn % lengths.length] ?? 1
          pieces.push(text.slice(at, at + length))
          at += length
        }
        const { seen, rest } = run(pieces)
        const first = seen.findIndex((window) => window.text.includes(phrase))
        const sentBefore = first === -1 ? (seen.at(-1)?.sent ?? '') : (seen[first - 1]?.sent ?? '')
        expect(before.startsWith(sentBefore), JSON.stringify(sentBefore)).to.equal(true)
        if (first === -1) expect(rest.join('')).to.contain(phrase)
      },
    )
    assertProperty(property, { numRuns: 500 })
  })

  it('delivers the same text for several events together as for each alone', () => {
    const word = fc.string({ unit: fc.constantFrom(...'ab. é😀\\"'), minLength: 1, maxLength: 12 })
    const property = fc.property(fc.array(fc.array(word, { maxLength: 12 }), { maxLength: 12 }), (reads) => {
      const together = createTextWindow(size, format)
      const apart = createTextWindow(size, format)
      const reader = createEventReader(format, 1000)
      for (const words of reads) {
        const events = words.map((content) => format.write(chatChunk({ content }) as never))
        for (const read of reader.read(Buffer.concat(events))) together.add(read)
        for (const [index, bytes] of events.entries()) {
          const deltas = [{ path, text: words[index] ?? '' }]
          apart.add({ bytes, deltas, cuts: [], ended: [], isLast: false })
        }
        expect(together.missingChars()).to.equal(apart.missingChars())
        for (let parts = apart.next(); parts !== null; parts = apart.next())
          expect(together.next()).to.deep.equal(parts)
        expect(together.release().toString()).to.equal(apart.release().toString())
      }
      expect(together.rest()).to.deep.equal(apart.rest())
      expect(together.releaseAll().toString()).to.equal(apart.releaseAll().toString())
    })
    assertProperty(property, { numRuns: 300 })
  })

  it('has text to check no earlier than it reports', () => {
    const property = fc.property(
      fc.array(fc.string({ minLength: 1, maxLength: 9 }), { maxLength: 60 }),
      (pieces) => {
        const window = createTextWindow(size, format)
        for (const piece of pieces) {
          const isBelowHalf = window.missingChars() > size.windowChars / 8
          const isEnough = piece.length >= window.missingChars()
          add(window, piece)
          const parts = window.next()
          if (isBelowHalf && !isEnough) expect(parts).to.equal(null)
          while (window.next() !== null) window.release()
        }
      },
    )
    assertProperty(property)
  })

  it('drops text that was checked and delivered', () => {
    const window = createTextWindow(size, format)
    for (let turn = 0; turn < 2000; turn += 1) {
      add(window, 'word '.repeat(4))
      while (window.next() !== null) window.release()
    }
    const [kept] = window.wholeParts()
    expect(kept?.path).to.equal(path)
    expect(kept?.text.length).to.be.below(200)
  })

  it('keeps the whole text when a check needs it', () => {
    const pieces = Array.from({ length: 300 }, (_, number) => `word ${number}. `)
    const { window } = run(pieces, { keepsWhole: true })
    expect(window.wholeParts()[0]?.text).to.equal(pieces.join(''))
  })
})
