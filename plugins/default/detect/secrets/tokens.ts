/** Long words of letters, digits, `_` and `-`: what every key is made of, and little else. */
import { isWord } from '../characters.ts'

/** No key that is looked for has a shorter piece. */
export const shortestToken = 16

const tokenCodes = Uint8Array.from({ length: 128 }, (_, code) => (isWord(code) || code === 45 ? 1 : 0))

/** False for what is no code, behind the end of a text. */
export const isToken = (code: number): boolean => tokenCodes[code] === 1

/**
 * Visits them in their order. A place is looked at in steps of the shortest length, backwards: of ordinary text only
 * every tenth character or so is looked at. The visitor says how far it has read; the search goes on there.
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
