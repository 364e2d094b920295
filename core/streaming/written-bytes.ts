/**
 * Measures the text that the model wrote, in events as they are sent. It is on the per-chunk hot path: most events equal the
 * one before around their text, and are measured by comparing bytes. Any other event is parsed.
 */
import { isObject, parseJson } from '@gateway/contract'
import type { Delta, WrittenText } from '@gateway/contract/dialect'
import { boundariesIn, endOfEvent, parseEvents } from './sse-splitter.ts'

/** The bytes around the only text of an event. */
interface Surroundings {
  /** The offset of the text. */
  start: number
  /** The bytes before the text, and those after it. */
  before: Buffer
  after: Buffer
  /** The size of the event after its text. */
  restBytes: number
}

/** The number of bytes around a text that are compared. */
const comparedBytes = 24
/** The bytes after the text may differ in padding, but must not contain another text. */
const paddingBytes = 32

/** Returns the function that measures the events of one stream, in UTF-8 bytes of text; it takes whole events. */
export function countWritten({ marks, deltas }: WrittenText): (bytes: Buffer) => number {
  let known: Surroundings | null = null

  function parse(bytes: Buffer): number {
    if (!marks.some((mark) => bytes.includes(mark))) return 0
    const texts: Delta[] = []
    for (const { data } of parseEvents(bytes)) {
      const event = parseJson(data)
      if (isObject(event)) texts.push(...deltas(event))
    }
    const [only] = texts
    if (only !== undefined && texts.length === 1) known = surroundingsOf(bytes, only.text) ?? known
    return texts.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
  }

  const measure = (bytes: Buffer, from: number, to: number): number | null =>
    known === null ? null : measureText(bytes, from, to, known)

  return (bytes) => {
    const size = measure(bytes, 0, bytes.length)
    if (size !== null) return size
    const possible = boundariesIn(bytes)
    let sum = 0
    for (let from = 0; from < bytes.length; ) {
      const to = endOfEvent(bytes, from, possible)
      sum += measure(bytes, from, to) ?? parse(bytes.subarray(from, to))
      from = to
    }
    return sum
  }
}

/** Null if the text appears more than once. */
function surroundingsOf(bytes: Buffer, text: string): Surroundings | null {
  const written = JSON.stringify(text)
  const start = bytes.indexOf(written) + 1
  if (start === 0 || bytes.includes(written, start)) return null
  const end = start + Buffer.byteLength(written) - 2
  return {
    start,
    before: Buffer.from(bytes.subarray(Math.max(0, start - comparedBytes), start)),
    after: Buffer.from(bytes.subarray(end, end + comparedBytes)),
    restBytes: bytes.length - end,
  }
}

const quote = 0x22
const backslash = 0x5c
const unicodeEscape = 0x75

/** The size of the text of the event between two offsets, if it has these surroundings; null for another event. */
function measureText(
  bytes: Buffer,
  from: number,
  to: number,
  { start, before, after, restBytes }: Surroundings,
): number | null {
  const first = from + start
  if (first > to || !stands(before, bytes, first - before.length)) return null
  let size = 0
  let at = first
  for (; bytes[at] !== quote; at += 1) {
    if (at >= to) return null
    size += 1
    if (bytes[at] !== backslash) continue
    at += 1
    if (bytes[at] !== unicodeEscape) continue
    size += extraBytes(Number.parseInt(bytes.toString('latin1', at + 1, at + 5), 16))
    at += 4
  }
  const isAlone = to - at <= restBytes + paddingBytes
  return isAlone && at + after.length <= to && stands(after, bytes, at) ? size : null
}

/** UTF-8 bytes of a code unit after the first one; a pair of surrogates has four bytes. */
const extraBytes = (unit: number): number =>
  unit < 0x80 ? 0 : unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2

/** Compares byte by byte, which is the fastest way for so few bytes. */
function stands(piece: Buffer, bytes: Buffer, at: number): boolean {
  for (let index = 0; index < piece.length; index += 1) if (bytes[at + index] !== piece[index]) return false
  return true
}
