/**
 * The hold-back window of a streamed answer. Events wait for a window of text, which ends at a sentence once it is half
 * full, at a word once it is full, and anywhere at one and a half times its size. After it passes, all checked text
 * except the last `overlapChars` is released, so that a phrase no longer than the overlap is never delivered in part.
 * The end of the checked text stays in view, so that a phrase across the boundary is seen whole. Nothing else is kept.
 * Lengths are in UTF-16 units.
 */

import { GatewayError, type TextPart } from '@gateway/contract'
import type { StreamFormat } from '@gateway/contract/dialect'
import type { Cut } from '@gateway/streaming'
import type { TextWindow, WindowOptions } from './text-window.ts'

/** The maximum size of texts kept for checks at the end. */
const maxTextChars = 8 * 1_048_576
/** When events have so little text that this many bytes are waiting, they are checked early. */
const crowdedBytes = 1_048_576
const maxHeldBytes = 16 * 1_048_576
/** After half a window, its end is searched again after this fraction of new text. */
const stepsOfWindow = 8

/** One text of the answer: a content, the arguments of a tool call. Offsets are those of the whole text. */
interface Growing {
  path: string
  group: string
  /** The text from `keptFrom` on. */
  kept: string
  keptFrom: number
  length: number
  sentenceEnd: number
  wordEnd: number
  lastCode: number
  checkedTo: number
  /** Text added elsewhere in its group since it last grew: after an overlap's worth, this text is complete. */
  quietChars: number
}

/** One event, or several that add to one text. */
interface Held {
  bytes: Buffer
  /** The end offsets of the added texts. */
  ends: readonly TextEnd[]
  cuts: readonly Cut[]
}

interface TextEnd {
  text: Growing
  end: number
}

type Border = 'sentence' | 'word' | 'anywhere'

export function createTextWindow(options: WindowOptions, format: StreamFormat): TextWindow {
  const { windowChars, overlapChars, keepsWhole } = options
  const stepChars = Math.ceil(windowChars / stepsOfWindow)
  const texts = new Map<string, Growing>()
  let held: Held[] = []
  let heldBytes = 0
  let uncheckedChars = 0
  let keptChars = 0

  const isOver = ({ quietChars }: Growing) => quietChars >= Math.max(overlapChars, 1)

  const endAt = (border: Border, text: Growing): number => {
    if (border === 'anywhere' || isOver(text)) return text.length
    return Math.max(border === 'word' ? text.wordEnd : text.sentenceEnd, text.checkedTo)
  }

  const charsTo = (border: Border): number => {
    let chars = 0
    for (const text of texts.values()) chars += endAt(border, text) - text.checkedTo
    return chars
  }

  const nextBorder = (): Border | null => {
    if (heldBytes > crowdedBytes && uncheckedChars > 0) return 'anywhere'
    if (uncheckedChars < windowChars / 2) return null
    if (charsTo('sentence') >= windowChars / 2) return 'sentence'
    if (uncheckedChars < windowChars) return null
    if (charsTo('word') >= windowChars / 2) return 'word'
    return uncheckedChars < windowChars * 1.5 ? null : 'anywhere'
  }

  const look = (border: Border): TextPart[] => {
    const parts: TextPart[] = []
    for (const text of texts.values()) {
      const end = endAt(border, text)
      if (end === text.checkedTo) continue
      const from = Math.max(text.checkedTo - overlapChars, 0)
      parts.push(partOf(text.path, text.kept.slice(from - text.keptFrom, end - text.keptFrom)))
      uncheckedChars -= end - text.checkedTo
      text.checkedTo = end
      if (!keepsWhole) forget(text, end - overlapChars)
    }
    return parts
  }

  const grow = (path: string, piece: string): Growing => {
    const text = texts.get(path) ?? beginText(path, format.groupOf(path))
    texts.set(path, text)
    for (const other of texts.values()) if (other.group === text.group) other.quietChars += piece.length
    append(text, piece)
    uncheckedChars += piece.length
    keptChars += piece.length
    return text
  }

  const take = (count: number): Buffer => {
    const taken = held.slice(0, count)
    held = held.slice(count)
    for (const { bytes } of taken) heldBytes -= bytes.length
    return taken.length === 1 && taken[0] !== undefined
      ? taken[0].bytes
      : Buffer.concat(taken.map(({ bytes }) => bytes))
  }

  const mayGo = ({ text, end }: TextEnd): boolean =>
    text.checkedTo - end >= overlapChars || (end <= text.checkedTo && isOver(text))

  /** Splits several events into a releasable part and the rest; false when nothing can be released. */
  const splitOff = (at: number): boolean => {
    const [whole] = held.slice(at, at + 1)
    const [last] = whole?.ends ?? []
    if (whole === undefined || last === undefined) return false
    const { bytes, ends, cuts } = whole
    const begin = last.end - (cuts.at(-1)?.textEnd ?? 0)
    const goes = cuts.findLastIndex(({ textEnd }) => mayGo({ text: last.text, end: begin + textEnd }))
    const cut = cuts[goes]
    if (cut === undefined) return false
    const rest = cuts.slice(goes + 1).map(({ byteEnd, textEnd }) => ({
      byteEnd: byteEnd - cut.byteEnd,
      textEnd: textEnd - cut.textEnd,
    }))
    held = held.toSpliced(
      at,
      1,
      { bytes: bytes.subarray(0, cut.byteEnd), ends: [], cuts: [] },
      { bytes: bytes.subarray(cut.byteEnd), ends, cuts: rest },
    )
    return true
  }

  return {
    add({ bytes, deltas, cuts, ended }) {
      const ends = deltas.map(({ path, text: piece }) => {
        const text = grow(path, piece)
        return { text, end: text.length }
      })
      for (const beginning of ended) {
        for (const text of texts.values())
          if (text.path.startsWith(beginning)) text.quietChars = Number.POSITIVE_INFINITY
      }
      held.push({ bytes, ends, cuts })
      heldBytes += bytes.length
      if ((keepsWhole && keptChars > maxTextChars) || heldBytes > maxHeldBytes) {
        throw new GatewayError('upstream_invalid_response', 'The answer is too large to be checked.')
      }
    },
    next() {
      const border = nextBorder()
      return border === null ? null : look(border)
    },
    missingChars() {
      const half = windowChars / 2
      if (uncheckedChars < half) return Math.ceil(half - uncheckedChars)
      const full = uncheckedChars < windowChars ? windowChars : windowChars * 1.5
      return Math.max(Math.min(Math.ceil(full - uncheckedChars), stepChars), 1)
    },
    stepChars,
    rest: () => look('anywhere'),
    sizeBytes: () => heldBytes + (keepsWhole ? keptChars : 0),
    wholeParts: () => [...texts.values()].map(({ path, kept }) => partOf(path, kept)),
    release() {
      const first = held.findIndex(({ ends }) => !ends.every(mayGo))
      if (first === -1) return take(held.length)
      return take(splitOff(first) ? first + 1 : first)
    },
    releaseAll: () => take(held.length),
  }
}

const partOf = (path: string, text: string): TextPart => ({ role: 'assistant', text, path })

const beginText = (path: string, group: string): Growing => ({
  path,
  group,
  kept: '',
  keptFrom: 0,
  length: 0,
  sentenceEnd: 0,
  wordEnd: 0,
  lastCode: -1,
  checkedTo: 0,
  quietChars: 0,
})

function append(text: Growing, piece: string): void {
  const sentenceEnd = lastSentenceEnd(piece, text.lastCode)
  const wordEnd = lastWordEnd(piece)
  if (sentenceEnd >= 0) text.sentenceEnd = text.length + sentenceEnd
  if (wordEnd >= 0) text.wordEnd = text.length + wordEnd
  if (piece.length > 0) text.lastCode = piece.charCodeAt(piece.length - 1)
  text.kept += piece
  text.length += piece.length
  text.quietChars = 0
}

/** In large steps, because trimming copies the text. */
function forget(text: Growing, before: number): void {
  const count = before - text.keptFrom
  if (count < 1 || count * 2 < text.kept.length) return
  text.kept = text.kept.slice(count)
  text.keptFrom += count
}

/** Ends a sentence if white space follows, unlike in `3.14`. */
const isStop = (code: number) => code === 0x2e || code === 0x21 || code === 0x3f || code === 0x2026
/** Always ends a sentence: line breaks, and full stops of scripts without spaces. */
const isFullStop = (code: number) =>
  code === 0x0a || code === 0x3002 || code === 0xff01 || code === 0xff1f || code === 0x0964
const isSpace = (code: number) => code === 0x20 || (code >= 0x09 && code <= 0x0d) || code === 0x3000

/**
 * Finds where the last sentence of a piece ends; -1 when none does.
 * @param before the code unit before the piece; -1 at the start of the text
 */
function lastSentenceEnd(piece: string, before: number): number {
  for (let at = piece.length - 1; at >= 0; at -= 1) {
    const code = piece.charCodeAt(at)
    if (isFullStop(code)) return at + 1
    if (isSpace(code) && isStop(at === 0 ? before : piece.charCodeAt(at - 1))) return at
  }
  return -1
}

/** Finds the position after the last white space of a piece; -1 without white space. */
function lastWordEnd(piece: string): number {
  for (let at = piece.length - 1; at >= 0; at -= 1) if (isSpace(piece.charCodeAt(at))) return at + 1
  return -1
}
