/** Long words of letters, digits, `_` and `-`, which all keys contain and ordinary text rarely does. */
import { isWord } from '../characters.ts'

/** The shortest piece of any known key. */
export const shortestToken = 16

const tokenCodes = Uint8Array.from({ length: 128 }, (_, code) => (isWord(code) || code === 45 ? 1 : 0))

/** False for NaN, the code after the end of a text. */
export const isToken = (code: number): boolean => tokenCodes[code] === 1

/**
 * Visits the long words in order. The text is sampled backwards in steps of the minimum length, so that in ordinary
 * text only about every tenth character is read. The visitor returns how far it has read; the search continues there.
 */
export function visitLongTokens(text: string, visit: (start: number, end: number) => number): void {
  let at = 0
  while (at + shortestToken <= text.length) {
    let back = at + shortestToken - 1
    while (back >= at && isToken(text.charCodeAt(back))) back--
    if (back >= at) {
      at = back + 1
      continue
    }
    let end = at + shortestToken
    while (isToken(text.charCodeAt(end))) end++
    at = Math.max(visit(at, end), end)
  }
}
