/** How large the hold-back window of a stream must be, so that no phrase is longer than what its windows share. */

import type { JsonObject } from '@gateway/contract'
import type { CompiledHook } from '../../flow/hook-result.ts'
import type { WindowSize } from '../../flow/settings.ts'
import type { StreamFormat } from '../../flow/stream-format.ts'
import { parseEvents, sliceEvents } from '../../streaming/sse-splitter.ts'

/** Who must see more at once, in UTF-16 units, sees the whole. */
const longestOverlap = 16_384

/**
 * Chooses the size for the hooks that may deny a stream: the one that was set, or a larger one where a check has to
 * see more at once. Null when a check needs the whole text.
 */
export function windowFor(hooks: readonly CompiledHook[], set: WindowSize): WindowSize | null {
  let longest = 0
  for (const { checks } of hooks) {
    for (const { windowed, longestMatch } of checks.map(({ prepared }) => prepared)) {
      // What is no number in an author's answer is no bound either.
      const isBounded = windowed === true && Number(longestMatch ?? Number.NaN) <= longestOverlap
      if (!isBounded) return null
      longest = Math.max(longest, longestMatch ?? 0)
    }
  }
  if (longest <= set.overlapChars) return set
  // Each piece of text is looked at about twice, however long the overlap.
  return { windowChars: Math.max(set.windowChars, longest), overlapChars: longest }
}

/** Ends a sentence where white space follows: `3.14` is none. */
const isStop = (code: number) => code === 0x2e || code === 0x21 || code === 0x3f || code === 0x2026
/** Ends one whatever follows: a line's end, and the stops of writing that has no spaces. */
const isFullStop = (code: number) =>
  code === 0x0a || code === 0x3002 || code === 0xff01 || code === 0xff1f || code === 0x0964
const isSpace = (code: number) => code === 0x20 || (code >= 0x09 && code <= 0x0d) || code === 0x3000

/**
 * Finds where the last sentence of a piece ends; -1 when none does.
 * @param before the code unit that stands before the piece; -1 when there is none
 */
export function lastSentenceEnd(piece: string, before: number): number {
  for (let at = piece.length - 1; at >= 0; at -= 1) {
    const code = piece.charCodeAt(at)
    if (isFullStop(code)) return at + 1
    if (isSpace(code) && isStop(at === 0 ? before : piece.charCodeAt(at - 1))) return at
  }
  return -1
}

/** Finds the place behind the last white space of a piece; -1 when there is none. */
export function lastWordEnd(piece: string): number {
  for (let at = piece.length - 1; at >= 0; at -= 1) if (isSpace(piece.charCodeAt(at))) return at + 1
  return -1
}

export interface Split {
  events: Buffer[]
  /** The event that ends the stream; null when it is not there. */
  last: Buffer | null
}

/** Takes whole events apart. */
export function splitLast(bytes: Buffer, format: StreamFormat): Split {
  const slices = sliceEvents(bytes)
  const at = slices.findIndex((slice) => {
    const [event] = parseEvents(slice)
    return event !== undefined && format.isLast(event)
  })
  if (at === -1) return { events: slices, last: null }
  return { events: slices.slice(0, at), last: slices[at] ?? null }
}

/** The events of a body that a mutator changed. */
export function rewrite(body: JsonObject, format: StreamFormat): Split {
  const events = format.disassemble(body).map(format.write)
  const last = format.ending.length > 0 ? null : (events.pop() ?? null)
  return { events, last }
}
