/**
 * Telephone numbers: international ones after a plus (E.164) or a double zero, national ones in common forms, and any
 * number of seven to fifteen digits after a word such as "phone". Reference: https://www.itu.int/rec/T-REC-E.164
 */
import { isAlone, isDigit, isHex } from '../characters.ts'
import { longestFor, mostDigits } from './phone-countries.ts'
import { isNational } from './phone-forms.ts'
import { hasContext, standsAlone, type Token } from './tokens.ts'

export interface Phone {
  start: number
  end: number
}

const shortestInternational = 8
const shortestNamed = 7
const mostNationalDigits = 12
/** How far before a number the word may be. */
const namedWithin = 24
const mostGroups = 8

const contextWords = (
  'phone|mobile|mobil|cell|tel.|tel:|tel |fax|whatsapp|call me|call us|call him|call her|telefon|handy|téléphone|móvil|teléfono|celular|cellulare|' +
  'telefoon|电话|手机|電話|携帯|전화|телефон'
).split('|')

/**
 * The words that introduce telephone numbers. After some calls, only those that occur in the text: most texts contain
 * none.
 */
export function createPhoneWords(text: string): () => readonly string[] {
  let words: readonly string[] = contextWords
  let asked = 0
  return () => {
    asked += 1
    if (asked === oftenAsked) {
      const lower = text.toLowerCase()
      words = contextWords.filter((word) => lower.includes(word))
    }
    return words
  }
}

const oftenAsked = 16

/**
 * The telephone number that begins with this token.
 * @param words made by {@link createPhoneWords} for the text
 */
export function matchPhone(
  { text, tokens }: { text: string; tokens: readonly Token[] },
  index: number,
  words: () => readonly string[],
): Phone | null {
  const token = tokens[index]
  if (token === undefined || !token.isNumber || token.end - token.start > mostDigits) return null
  const first = text.charAt(token.start)
  const isAbroad =
    text[token.start - 1] === '+' ||
    (first === '0' && text[token.start + 1] === '0' && token.end - token.start > 2)
  if (isAbroad) return international(text, tokens, index)
  const found = mayBeNational(text, tokens, index) ? national(text, tokens, index) : null
  return found ?? named({ text, tokens }, index, words)
}

/** Judges only by the lengths of the groups, which is fast. */
function mayBeNational(text: string, tokens: readonly Token[], index: number): boolean {
  const start = tokens[index]?.start ?? 0
  const length = (at: number) => {
    const token = tokens[index + at]
    return token === undefined || !token.isNumber ? 0 : token.end - token.start
  }
  const first = text.charAt(start)
  if (first === '0') return length(0) > 1 && length(1) > 1
  if (length(0) === 3) return (length(1) === 3 || length(1) === 4) && length(2) === 4
  if (length(0) === 1) return (first === '1' || first === '8') && length(1) === 3 && length(2) === 3
  return length(0) === 2 && text[start - 1] === '(' && length(1) >= 4 && length(2) === 4
}

interface Written {
  groups: string[]
  gaps: string[]
  end: number
}

/** Reads groups from a token on, up to this number of digits. */
function read(
  { text, tokens }: { text: string; tokens: readonly Token[] },
  index: number,
  most: number,
): Written {
  const groups: string[] = []
  const gaps: string[] = []
  let digits = 0
  let end = tokens[index]?.start ?? 0
  for (let at = index; at < index + mostGroups; at++) {
    const token = tokens[at]
    if (token === undefined || !token.isNumber) break
    digits += token.end - token.start
    if (digits > most || (at > index && !isGap(text, end, token.start))) break
    groups.push(text.slice(token.start, token.end))
    if (at > index) gaps.push(text.slice(end, token.start))
    end = token.end
  }
  return { groups, gaps, end }
}

/** One separator, a zero in parentheses, or a closing parenthesis. */
function isGap(text: string, start: number, end: number): boolean {
  if (end - start === 1) return ' \u00a0./-–‑()'.includes(text.charAt(start))
  return end - start <= 5 && /^(?:\)[ \-/]| \(| - | \/ |[ -]?\((?:0\)[ -]?)?)$/.test(text.slice(start, end))
}

function international(text: string, tokens: readonly Token[], index: number): Phone | null {
  const first = tokens[index]
  if (first === undefined) return null
  const hasPlus = text[first.start - 1] === '+'
  const skipped = hasPlus ? 0 : 2
  const head = text.slice(first.start + skipped, first.end)
  if (head.startsWith('0') || (hasPlus && isDigit(text.charCodeAt(first.start - 2)))) return null
  const most = longestFor(head) + skipped
  const { groups, gaps, end } = read({ text, tokens }, index, most + 1)
  const start = hasPlus ? first.start - 1 : first.start
  // A zero in parentheses is dialled only within the country.
  const isHome = groups.some((group, at) => group === '0' && gaps[at - 1]?.endsWith('('))
  const digits = groups.join('').length - (isHome ? 1 : 0)
  if (digits > most) {
    const shorter = read({ text, tokens }, index, most)
    return shorter.groups.join('').length - skipped < shortestInternational
      ? null
      : { start, end: shorter.end }
  }
  return digits - skipped < shortestInternational ? null : { start, end }
}

function national(text: string, tokens: readonly Token[], index: number): Phone | null {
  const { groups, gaps } = read({ text, tokens }, index, mostNationalDigits)
  const start = tokens[index]?.start ?? 0
  const isOpened = text[start - 1] === '('
  for (let count = groups.length; count >= 2; count--) {
    const end = tokens[index + count - 1]?.end ?? 0
    const number = { groups: groups.slice(0, count), gaps: gaps.slice(0, count - 1), isOpened }
    if (isNational(number) && standsAlone(text, start, end) && !isInRow(text, number.groups, { start, end }))
      return { start: isOpened ? start - 1 : start, end }
  }
  return null
}

/** Digits in pairs are not a telephone number if more pairs are next to them, as in a hex dump. */
function isInRow(
  text: string,
  groups: readonly string[],
  { start, end }: { start: number; end: number },
): boolean {
  if (groups.some((group) => group.length !== 2)) return false
  const isPairBehind = text[end] === ' ' && isPair(text, end + 1)
  return isPairBehind || (text[start - 1] === ' ' && isPair(text, start - 3))
}

const isPair = (text: string, start: number) =>
  isHex(text.charCodeAt(start)) && isHex(text.charCodeAt(start + 1)) && isAlone(text, start, start + 2)

/** A number after such a word; years and prices are excluded. */
function named(
  { text, tokens }: { text: string; tokens: readonly Token[] },
  index: number,
  words: () => readonly string[],
): Phone | null {
  const start = tokens[index]?.start ?? 0
  if (
    !hasDigitsForNamed(text, tokens, index) ||
    !hasContext(text, start, { words: words(), chars: namedWithin })
  )
    return null
  const { groups, gaps, end } = read({ text, tokens }, index, mostDigits)
  if (groups.join('').length < shortestNamed || /^(?:19|20)\d\d$/.test(groups[0] ?? '')) return null
  const isPrice = gaps.includes('.') && groups.length < 3
  if (isPrice || !standsAlone(text, start, end)) return null
  return { start: text[start - 1] === '(' ? start - 1 : start, end }
}

/**
 * Whether groups that belong together contain enough digits. Most numbers fail this test, before any text is copied.
 */
function hasDigitsForNamed(text: string, tokens: readonly Token[], index: number): boolean {
  let digits = 0
  let end = -1
  for (let at = index; digits < shortestNamed; at++) {
    const token = tokens[at]
    if (token === undefined || !token.isNumber || (end >= 0 && !isGap(text, end, token.start))) return false
    digits += token.end - token.start
    end = token.end
  }
  return true
}
