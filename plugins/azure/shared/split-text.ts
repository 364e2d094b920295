/** Splits long texts into pieces that the services accept. */

/** A piece ends after a line break or a blank, if its last part of this size contains one. */
const softShare = 0.1

/**
 * Cuts a text into pieces of at most `maxChars` UTF-16 units, none of which begins or ends inside a character. Each
 * piece except the first begins with the last `overlapChars` of the previous one; without an overlap, the joined pieces
 * are the text.
 */
export function splitText(text: string, maxChars: number, overlapChars = 0): string[] {
  const pieces: string[] = []
  let start = 0
  while (text.length - start > maxChars) {
    const end = borderBefore(text, start, start + maxChars)
    pieces.push(text.slice(start, end))
    start = Math.max(wholeCharacter(text, end - overlapChars), start + 1)
  }
  pieces.push(text.slice(start))
  return pieces
}

function borderBefore(text: string, start: number, latest: number): number {
  const earliest = latest - Math.floor((latest - start) * softShare)
  for (const mark of ['\n', ' ']) {
    const at = text.lastIndexOf(mark, latest - 1)
    if (at >= earliest) return at + 1
  }
  return wholeCharacter(text, latest)
}

/** One unit earlier if a piece would begin with the second half of a surrogate pair. */
function wholeCharacter(text: string, at: number): number {
  const unit = text.charCodeAt(at)
  const before = text.charCodeAt(at - 1)
  const isInside = unit >= 0xdc00 && unit <= 0xdfff && before >= 0xd800 && before <= 0xdbff
  return isInside ? at - 1 : at
}

/**
 * The pieces of a text that is judged as a whole.
 * @throws Error for a text that needs more calls than the limit
 */
export function piecesOf(text: string, maxChars: number): string[] {
  if (text.length > maxChars * maxPieces)
    throw new Error(`the text is longer than ${maxChars * maxPieces} characters`)
  return splitText(text, maxChars, overlap)
}

const maxPieces = 20
/** A finding longer than this may be cut in two and missed in both pieces. */
const overlap = 200
