/**
 * Estimates the tokens of a text. A token is four Latin letters, two letters of any other alphabet, or one character of a script
 * without spaces.
 */

/** Scripts without spaces between words, as ranges of UTF-16: Thai, CJK, kana, Hangul. */
const isWide = (unit: number) =>
  (unit >= 0x0e00 && unit < 0x0e80) || (unit >= 0x2e80 && unit < 0xa000) || (unit >= 0xac00 && unit < 0xd7b0)

/** The tokens of a text, not rounded. */
export function estimateTokensOf(text: string): number {
  let quarters = 0
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    quarters += unit < 0x80 ? 1 : isWide(unit) ? 4 : 2
  }
  return quarters / 4
}
