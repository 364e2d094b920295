/** Finds the http and https URLs in a text, in prose and in Markdown. */
import { isWhiteSpace } from './white-space.ts'

export interface FoundURL {
  url: string
  /** In UTF-16 units. */
  start: number
}

/** Characters that always end a URL. */
const delimiters = new Set('<>"`{}|\\^，。、；！？（）「」『』【】《》“”‘’')
/** Punctuation that does not belong to the end of a URL. */
const trailing = new Set(".,;:!?'*_~")
const schemes = ['http://', 'https://']
/** Longer ones are cut; no server accepts them. */
const maxUrlChars = 4096

/** Lists all URLs of a text in order, including repeated ones. */
export function findURLs(text: string): FoundURL[] {
  const found: FoundURL[] = []
  let from = 0
  for (;;) {
    const start = nextScheme(text, from)
    if (start < 0) return found
    const end = trimEnd(text, start, endOf(text, start))
    if (!schemes.includes(text.slice(start, end).toLowerCase()))
      found.push({ url: text.slice(start, end), start })
    from = end
  }
}

/** The offset of the next URL in any letter case, or -1. */
function nextScheme(text: string, from: number): number {
  for (let mark = text.indexOf('://', from + 4); mark >= 0; mark = text.indexOf('://', mark + 3)) {
    for (const scheme of schemes) {
      const start = mark + 3 - scheme.length
      if (start >= from && text.slice(start, mark + 3).toLowerCase() === scheme) return start
    }
  }
  return -1
}

function endOf(text: string, start: number): number {
  const most = Math.min(text.length, start + maxUrlChars)
  for (let offset = start; offset < most; offset += 1) {
    const code = text.charCodeAt(offset)
    if (code < 0x20 || isWhiteSpace(code) || delimiters.has(text.charAt(offset))) return offset
  }
  return most
}

/**
 * The end of a URL without trailing punctuation. A closing bracket belongs to the URL if it was opened inside it:
 * `https://a.example/b_(c)`, but not in `[name](https://a.example)`.
 */
function trimEnd(text: string, start: number, end: number): number {
  let last = firstUnopened(text, start, end)
  while (last > start && trailing.has(text.charAt(last - 1))) last -= 1
  return last
}

function firstUnopened(text: string, start: number, end: number): number {
  let round = 0
  let square = 0
  for (let offset = start; offset < end; offset += 1) {
    const character = text.charAt(offset)
    if (character === '(') round += 1
    if (character === '[') square += 1
    if (character === ')' && --round < 0) return offset
    if (character === ']' && --square < 0) return offset
  }
  return end
}
