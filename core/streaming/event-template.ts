/**
 * The common parts of two events of a stream: all their bytes except a text and possibly a few other values, such as a
 * counter. A third event that matches this template is read by comparing bytes, at a fraction of the cost of parsing,
 * with the same result: between two equal structures only values differ, and none of those determines the kind of the
 * event. Any other event does not match the template.
 */

import { parseJson } from '@gateway/contract'
/** An event that adds one text, and contains nothing else of interest. */
export interface Sample {
  bytes: Buffer
  path: string
  text: string
}

/** Consecutive events, read as one. */
interface Run {
  text: string
  byteEnd: number
  /** The end of each of several events; empty for one. */
  cuts: readonly Cut[]
}

export interface Cut {
  byteEnd: number
  textEnd: number
}

export interface Frame {
  path: string
  /** The minimum number of bytes other than text in an event. */
  aroundBytes: number
  /**
   * Reads events up to the first one that does not match the template; null if none matches.
   * @param enoughChars text length after which it stops in any case, in UTF-16 units
   */
  read(bytes: Buffer, enoughChars: number): Run | null
}

/** A value that differs between events. A text is the one that the event adds. */
interface Hole {
  kind: 'text' | 'string' | 'number'
  /** The bytes between the previous value and this one. */
  before: Buffer
}

interface Token {
  value: string
  /** The bytes between the previous token and this one. */
  before: string
}

/** The maximum size of an event; larger events would gain nothing. */
const maxSampleBytes = 4096

/**
 * Finds the template of two events whose text belongs to the same path; null if they have no common template.
 * @param readSample parses an event; null when it is not a simple text event
 */
export function findFrame(
  first: Sample,
  second: Sample,
  readSample: (bytes: Buffer) => Sample | null,
): Frame | null {
  if (first.path !== second.path || first.bytes.length + second.bytes.length > maxSampleBytes) return null
  const [left, leftEnd] = tokensOf(first.bytes)
  const [right, rightEnd] = tokensOf(second.bytes)
  if (left.length !== right.length || leftEnd !== rightEnd) return null
  const holes: Hole[] = []
  let fixed = ''
  let probe = ''
  for (const [index, token] of left.entries()) {
    const other = right[index]
    if (other === undefined || other.before !== token.before) return null
    if (other.value === token.value) {
      fixed += token.before + token.value
      continue
    }
    const isString = token.value.startsWith('"')
    // A member name, and the value of a member named type, determine the kind of the event.
    const isName = /^\s*:/.test(left[index + 1]?.before ?? leftEnd)
    if (isName || says(left[index - 1], 'type') || isString !== other.value.startsWith('"')) return null
    const isText = isString && says(token, first.text) && says(other, second.text)
    const before = `${fixed}${token.before}${isString ? '"' : ''}`
    holes.push({
      kind: isText ? 'text' : isString ? 'string' : 'number',
      before: Buffer.from(before, 'latin1'),
    })
    probe += before + (isText ? probeText : isString ? probeString : otherNumber(token.value))
    fixed = isString ? '"' : ''
  }
  const behind = Buffer.from(fixed + leftEnd, 'latin1')
  if (holes.filter(({ kind }) => kind === 'text').length !== 1) return null
  const probed = readSample(Buffer.concat([Buffer.from(probe, 'latin1'), behind]))
  if (probed?.path !== first.path || probed.text !== probeText) return null
  return createFrame(first.path, holes, behind)
}

const probeText = 'a text that tells where it goes'
const probeString = 'something else'

/** Numbers that must not differ, because indexes are numbers. */
const otherNumber = (digits: string) => (digits === '8' ? '9' : '8')

/** Whether a token is this string. */
const says = (token: Token | undefined, text: string): boolean =>
  token !== undefined && parseJson(Buffer.from(token.value, 'latin1').toString('utf8')) === text

/** The strings and numbers of an event, byte for character, and the bytes after them. */
function tokensOf(bytes: Buffer): [tokens: Token[], end: string] {
  const text = bytes.toString('latin1')
  const tokens: Token[] = []
  let at = 0
  for (const { 0: value, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|\d+/g)) {
    tokens.push({ value, before: text.slice(at, index) })
    at = index + value.length
  }
  return [tokens, text.slice(at)]
}

function createFrame(path: string, holes: readonly Hole[], behind: Buffer): Frame {
  const opening = holes[0]?.before ?? behind
  /** At a boundary between two events, one comparison covers both sides. */
  const seam = Buffer.concat([behind, opening])
  return {
    path,
    aroundBytes: holes.reduce((sum, { before }) => sum + before.length, behind.length),
    read(bytes, enoughChars) {
      const cuts: Cut[] = []
      let text = ''
      let byteEnd = 0
      let at = stands(opening, bytes, 0) ? opening.length : -1
      while (at > 0) {
        const found = readHoles(holes, bytes, at)
        if (found === null) break
        const isFollowed = stands(seam, bytes, found.end)
        if (!isFollowed && !stands(behind, bytes, found.end)) break
        text += found.text
        byteEnd = found.end + behind.length
        if (cuts.length > 0 || byteEnd < bytes.length) cuts.push({ byteEnd, textEnd: text.length })
        at = isFollowed && text.length < enoughChars ? byteEnd + opening.length : -1
      }
      return byteEnd === 0 ? null : { text, byteEnd, cuts }
    },
  }
}

/** Reads the differing values of an event: from the content of the first, which begins here, to the end of the last. */
function readHoles(
  holes: readonly Hole[],
  bytes: Buffer,
  start: number,
): { text: string; end: number } | null {
  let at = start
  let text = ''
  for (const [index, { kind, before }] of holes.entries()) {
    if (index > 0) {
      if (!stands(before, bytes, at)) return null
      at += before.length
    }
    const end = kind === 'number' ? endOfNumber(bytes, at) : endOfString(bytes, at, kind === 'text')
    if (end < 0) return null
    if (kind === 'text') text = decode(bytes, at, end)
    at = end
  }
  // An event that adds no text is of another kind.
  return text === '' ? null : { text, end: at }
}

const stands = (piece: Buffer, bytes: Buffer, at: number): boolean =>
  at + piece.length <= bytes.length && bytes.compare(piece, 0, piece.length, at, at + piece.length) === 0

const quote = 0x22
const backslash = 0x5c

/** The end of the string whose content begins here; -1 if it has no end, or has escapes that are not allowed. */
function endOfString(bytes: Buffer, start: number, mayEscape: boolean): number {
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0
    if (byte === quote) return at
    if (byte < 0x20) return -1
    if (byte !== backslash) continue
    if (!mayEscape) return -1
    at += 1
  }
  return -1
}

/** The content of a string; empty for other tokens. */
function decode(bytes: Buffer, start: number, end: number): string {
  const raw = bytes.toString('utf8', start, end)
  if (!raw.includes('\\')) return raw
  const text = parseJson(`"${raw}"`)
  return typeof text === 'string' ? text : ''
}

/** The end of the digits that begin here; -1 for no digits, or more than a number has. */
function endOfNumber(bytes: Buffer, start: number): number {
  let at = start
  while (isDigit(bytes[at])) at += 1
  return at === start || (bytes[start] === zero && at > start + 1) ? -1 : at
}

const zero = 0x30
const isDigit = (byte: number | undefined) => byte !== undefined && byte >= zero && byte <= 0x39
