/** Finds hidden text: letters that are invisible or look like others, and texts in base64. */
import { shortestToken, visitLongTokens } from '../secrets/tokens.ts'

/** A text as displayed, and the original position of each unit. */
export interface Plain {
  text: string
  /** By unit of the plain text: the offset in the original; one more for the end. */
  offsets: number[]
  /** How many letters were invisible. */
  invisible: number
}

const firstTag = 0xe0020
const lastTag = 0xe007e

/**
 * Converts letters of other forms to usual ones (NFKC), removes zero-width characters, and converts tag characters to
 * letters.
 */
export function plainOf(text: string): Plain {
  const pieces: string[] = []
  const offsets: number[] = []
  let invisible = 0
  let at = 0
  for (const letter of text) {
    const code = letter.codePointAt(0) ?? 0
    const isTag = code >= firstTag && code <= lastTag
    const plain = isTag ? String.fromCharCode(code - 0xe0000) : isUnseen(code) ? '' : usual(letter, code)
    if (isTag) invisible += 1
    pieces.push(plain)
    for (let unit = 0; unit < plain.length; unit++) offsets.push(at)
    at += letter.length
  }
  return { text: pieces.join(''), offsets: [...offsets, at], invisible }
}

const isUnseen = (code: number) =>
  code === 0xad ||
  (code >= 0x200b && code <= 0x200f) ||
  (code >= 0x202a && code <= 0x202e) ||
  (code >= 0x2060 && code <= 0x2064) ||
  code === 0xfeff

const usual = (letter: string, code: number) =>
  (code >= 0xff01 && code <= 0xff5e) || (code >= 0x1d400 && code <= 0x1d7ff)
    ? letter.normalize('NFKC')
    : letter

/** A decoded base64 text that is readable. */
export interface Decoded {
  text: string
  start: number
  end: number
}

const shortestEncoded = 24
const longestEncoded = 8192
const mostDecoded = 20

export function findEncoded(text: string): Decoded[] {
  const decoded: Decoded[] = []
  visitLongTokens(text, (from, to) => {
    let start = from
    let end = to
    while (isSign(text.charAt(start - 1)) && from - start < shortestToken) start--
    while (end - start < longestEncoded && (isSign(text.charAt(end)) || /[\w-]/.test(text.charAt(end)))) end++
    if (decoded.length >= mostDecoded || end - start < shortestEncoded || end - start > longestEncoded)
      return end
    const read = Buffer.from(text.slice(start, end), 'base64').toString('utf8')
    if (readsAsText(read)) decoded.push({ text: read, start, end })
    return end
  })
  return decoded
}

const isSign = (letter: string) => letter === '+' || letter === '/'

/** Whether it consists of words separated by spaces and contains only text. */
function readsAsText(read: string): boolean {
  return read.includes(' ') && !/\p{Cc}|\ufffd/u.test(read.replaceAll(/[\n\r\t]/g, ''))
}
