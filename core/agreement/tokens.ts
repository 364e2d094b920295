/** Words, numbers and symbols of a text, without its literals. */
import { romanNumerals } from './number-words.ts'

export interface Token {
  /** The word in lower case, without a possessive ending. A single capital letter is kept: `from A to B`. */
  text: string
  kind: 'word' | 'number' | 'symbol' | 'end'
  /** Whether its spelling marks it as a name: a capital within a sentence, or capitals within a word. */
  isName: boolean
  /** The word as written. */
  written: string
}

const pattern =
  /(?<![\p{L}\p{N}])[-−]\d+(?:[.,:]\d+)*|\d+(?:[.,:]\d+)*|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]|[\p{L}\p{M}]+(?:'\p{L}+)*|[\p{Sc}%°]|[.!?;:\n。？！]/gu

function kindOf(written: string): Token['kind'] {
  if (/^[-−]?\d/.test(written)) return 'number'
  if (/^[.!?;:\n。？！]/.test(written)) return 'end'
  return /^[\p{Sc}%°]/u.test(written) ? 'symbol' : 'word'
}

const grouped = /(?<![\d.,])(\d{1,3})((?:[ \u00a0\u202f\u2009'’]\d{3})+)(?![\d\p{L}])/gu

/** A full stop after these abbreviations does not end a sentence. */
const abbreviations = /\b(Mrs?|Ms|Dr|Prof|St|Jr|Sr|vs|etc|approx|no|No)\./g

/** Unifies spaces, quotes, apostrophes and digits, and the spelling of `a.m.` and `°C`. */
export function normalise(text: string): string {
  return text
    .replace(grouped, (_, first: string, rest: string) => first + rest.replace(/\D/g, ''))
    .normalize('NFKC')
    .replace(/\p{Nd}/gu, (digit) => (digit < '\u0080' ? digit : asciiDigit(digit)))
    .replace(/[‘’ʼ`´](?=\p{L})(?<=\p{L}.)/gu, "'")
    .replace(/\b([ap])\. ?m\b\.?/gi, '$1m')
    .replace(/(?:°|\bdegrees?) ?(?:(C)|F)(?:elsius|ahrenheit)?\b/gi, (_, celsius) =>
      celsius ? ' celsius' : ' fahrenheit',
    )
    .replace(/\be-mail/gi, 'email')
    .replace(abbreviations, '$1')
}

/** The decimal digits of each script are ten consecutive characters. */
function asciiDigit(digit: string): string {
  const point = digit.codePointAt(0) ?? 0
  let zero = point
  while (point - zero < 9 && /\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero -= 1
  return String(point - zero)
}

export function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  const isShouted = isMostlyCapitals(text)
  let startsSentence = true
  for (const written of text.match(pattern) ?? []) {
    const kind = kindOf(written)
    if (kind === 'end') {
      tokens.push({ text: written, kind, isName: false, written })
      startsSentence = true
      continue
    }
    const lower = written.toLowerCase()
    const isLetter = !startsSentence && /^[A-HJ-Z]$/.test(written)
    tokens.push({
      text: isLetter ? written : kind === 'word' ? lower.replace(/'s$/, '') : lower.replace('−', '-'),
      kind,
      isName:
        isLetter ||
        (kind === 'word' &&
          !isShouted &&
          !romanNumerals.has(written) &&
          spelledAsName(written, startsSentence)),
      written,
    })
    startsSentence = false
  }
  return tokens
}

/** The number of characters that suffices to detect a text in capitals. */
const enoughChars = 1000

function isMostlyCapitals(text: string): boolean {
  const letters = text.slice(0, enoughChars).match(/\p{L}/gu) ?? []
  return letters.filter((letter) => letter !== letter.toLowerCase()).length * 2 > letters.length
}

const hasCapital = /^\p{Lu}/u
const hasInnerCapital = /^.+\p{Lu}/u

function spelledAsName(written: string, startsSentence: boolean): boolean {
  if (/^(?:I|A|O|I'.*)$/.test(written)) return false
  return hasInnerCapital.test(written) || (hasCapital.test(written) && !startsSentence)
}
