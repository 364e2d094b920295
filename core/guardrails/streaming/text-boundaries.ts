/** Where sentences and words end in a text that arrives in pieces. Offsets are in UTF-16 units. */

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
