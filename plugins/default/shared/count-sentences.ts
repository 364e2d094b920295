/**
 * Counts sentences by rules, for any script. The platform's segmenter handles a few more cases but takes hundreds of
 * milliseconds for a long conversation; these rules scan the text once.
 */
import { isWhiteSpace } from './white-space.ts'

/** End a sentence when white space, a closing mark or nothing follows. */
const spacedMarks = new Set('.!?…؟۔।॥።‼⁇⁈⁉')
/** End a sentence before any character: scripts that write without spaces. */
const unspacedMarks = new Set('。！？｡．')
/** Allowed between the mark and the space. */
const closingMarks = new Set('"\'”’»)]}›」』）】*_`')
const otherMarks = '“„«‘‚‹「『（【、，：；・—–‐•·¿¡'

const marks: ReadonlySet<number> = new Set(
  [...spacedMarks, ...unspacedMarks, ...closingMarks, ...otherMarks].map((mark) => mark.charCodeAt(0)),
)

/** Words before a full stop that rarely ends a sentence, in lower case. */
const abbreviations = new Set(
  'mr mrs ms dr prof sr st vs e.g i.e cf fig nr vol ca approx z.b d.h u.a bzw ggf hr fr mme mlle sra dott sig'.split(
    ' ',
  ),
)
/** The maximum length of such a word. */
const maxAbbreviation = 6

/** The kinds of characters: part of a word, end of a sentence, or neither. */
const nothing = 0
const said = 1
const mark = 2

/** By ASCII code; beyond ASCII, every character except white space and known marks is part of a word. */
const kinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (/[A-Za-z0-9]/.test(character)) return said
  return character === '\n' || spacedMarks.has(character) ? mark : nothing
})

function kindOf(code: number): number {
  if (isWhiteSpace(code)) return nothing
  return marks.has(code) ? mark : said
}

/** Returns the number of sentences: 0 if the text has neither a letter nor a digit. */
export function countSentences(text: string): number {
  let count = 0
  /** Whether there was a word since the last end. */
  let isOpen = false
  for (let offset = 0; offset < text.length; offset += 1) {
    const code = text.charCodeAt(offset)
    const kind = code < 128 ? kinds[code] : kindOf(code)
    if (kind === said) isOpen = true
    if (!isOpen || kind !== mark) continue
    const next = skipMarks(text, offset)
    if (isEnd(text, offset, next)) {
      count += 1
      isOpen = false
    }
    offset = next - 1
  }
  return isOpen ? count + 1 : count
}

/** The end of the marks that belong to the one at the offset, so that none is read twice. */
function skipMarks(text: string, offset: number): number {
  let next = offset + 1
  if (!spacedMarks.has(text.charAt(offset))) return next
  while (closingMarks.has(text.charAt(next)) || spacedMarks.has(text.charAt(next))) next += 1
  return next
}

/** @param next the end of the marks */
function isEnd(text: string, offset: number, next: number): boolean {
  const character = text.charAt(offset)
  if (character === '\n') return text.charAt(skipBlanks(text, next)) === '\n'
  if (unspacedMarks.has(character)) return true
  if (!spacedMarks.has(character)) return false
  if (next === text.length) return true
  if (!isWhiteSpace(text.charCodeAt(next))) return false
  return character !== '.' || isFullStop(text, offset, next)
}

/** Not after an abbreviation, an initial or a list number, and not before a lowercase letter. */
function isFullStop(text: string, offset: number, next: number): boolean {
  let start = offset
  while (start > 0 && offset - start <= maxAbbreviation && !isWhiteSpace(text.charCodeAt(start - 1)))
    start -= 1
  const word = text.slice(start, offset)
  if (abbreviations.has(word.toLowerCase()) || /^(?:\p{Lu}|\d+)$/u.test(word)) return false
  let following = next
  while (following < text.length && isWhiteSpace(text.charCodeAt(following))) following += 1
  const letter = text.charAt(following)
  return letter === letter.toUpperCase()
}

/** The offset of the next character that is not a space, tab or carriage return. */
function skipBlanks(text: string, offset: number): number {
  let next = offset
  while (next < text.length && ' \t\r'.includes(text.charAt(next))) next += 1
  return next
}
