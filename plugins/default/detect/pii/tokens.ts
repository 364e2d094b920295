/** The words of a text that contain digits, which all numbers, accounts and identity documents consist of. */
import { isDigit, isWord } from '../characters.ts'

export interface Token {
  start: number
  end: number
  /** Only digits. */
  isNumber: boolean
}

/** Lists the tokens in order. */
export function digitTokens(text: string): Token[] {
  const tokens: Token[] = []
  let last = 0
  // A pattern of one character finds the next digit several times as fast as a loop.
  const digit = /\d/g
  while (digit.test(text)) {
    const at = digit.lastIndex - 1
    let start = at
    while (start > last && isWord(text.charCodeAt(start - 1))) start--
    let end = at + 1
    let isNumber = start === at
    for (let code = text.charCodeAt(end); isWord(code); code = text.charCodeAt(++end))
      isNumber &&= isDigit(code)
    tokens.push({ start, end, isNumber })
    digit.lastIndex = end
    last = end
  }
  return tokens
}

/** Whether the number is not part of a longer one: no word before a separator, and no digit after one. */
export function standsAlone(text: string, start: number, end: number): boolean {
  return (
    !(isJoint(text.charCodeAt(start - 1)) && isWord(text.charCodeAt(start - 2))) &&
    !(isJoint(text.charCodeAt(end)) && isDigit(text.charCodeAt(end + 1)))
  )
}

/** A hyphen, a dot or a slash. */
const isJoint = (code: number) => code === 45 || code === 46 || code === 47

/** How far before a number its naming words may be. */
const contextChars = 40

/** Whether one of the words, in lower case, occurs shortly before. */
export function hasContext(
  text: string,
  start: number,
  { words, chars = contextChars }: { words: readonly string[]; chars?: number },
): boolean {
  if (words.length === 0) return false
  const near = text.slice(Math.max(0, start - chars), start).toLowerCase()
  // The name of a placeholder does not describe the text after it.
  const before = near.includes(']') ? near.replaceAll(/\[?[a-z_]{1,24}_\d{1,6}\]/g, '') : near
  return words.some((word) => before.includes(word))
}
