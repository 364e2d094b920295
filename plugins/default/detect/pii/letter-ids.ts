/**
 * Numbers of identity documents with letters: their forms, and their check characters if they have any. References:
 * https://www.gov.uk/hmrc-internal-manuals/national-insurance-manual/nim39110 (uk), https://www.interior.gob.es (es),
 * https://www.agenziaentrate.gov.it (it), https://dvv.fi (fi), GB 11643 (cn), https://www.incometax.gov.in (in),
 * https://www.gob.mx/curp (mx)
 */
import { isAlone, isDigit } from '../characters.ts'
import { isDate } from './checksums.ts'
import { isNir } from './national-ids.ts'
import type { Token } from './tokens.ts'

interface LetterId {
  category: string
  /** The pattern; patterns are anchored and have no unbounded repetition. */
  form: RegExp
  /** Lengths of the token with its first digits. */
  lengths: readonly number[]
  /** Where a number with this token would begin, or -1. Absent: at the token. */
  startOf?(text: string, token: Token): number
  passes(compact: string): boolean
}

/** The longest number, including separators. */
const mostChars = 24

const spanishLetters = 'TRWAGMYFPDXBNJZSQVHLCKE'
const finnishLetters = '0123456789ABCDEFHJKLMNPRSTUVWXY'

const letterIds: readonly LetterId[] = [
  {
    category: 'uk_nino',
    form: /^[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d\d ?\d\d ?\d\d ?[A-D]/,
    lengths: [2, 4, 6, 9],
    startOf(text, { start, isNumber }) {
      if (!isNumber) return start
      return text[start - 1] === ' ' && isCapital(text.charCodeAt(start - 2)) ? start - 3 : -1
    },
    passes: (id) => !/^(?:BG|GB|KN|NK|NT|TN|ZZ)/.test(id),
  },
  {
    category: 'es_dni',
    form: /^(?:\d{8}|\d\d\.\d{3}\.\d{3}|[XYZxyz]-?\d{7})-?[A-Za-z]/,
    lengths: [2, 7, 8, 9],
    startOf(text, { start, end }) {
      const length = end - start
      if (length === 7) return text[start - 1] === '-' ? start - 2 : -1
      return length === 2 && text[end] !== '.' ? -1 : start
    },
    passes(id) {
      const digits = id.slice(0, -1).replace(/^[XYZ]/, (letter) => String('XYZ'.indexOf(letter)))
      return spanishLetters[Number(digits) % 23] === id.at(-1)
    },
  },
  {
    category: 'it_codice_fiscale',
    form: /^[A-Za-z]{6}[\dL-Vl-v]{2}[A-EHLMPR-Ta-ehlmpr-t][\dL-Vl-v]{2}[A-Za-z][\dL-Vl-v]{3}[A-Za-z]/,
    lengths: [16],
    passes: passesItalian,
  },
  {
    category: 'fr_nir',
    form: /^[12] ?\d\d ?\d\d ?2[ABab] ?\d{3} ?\d{3} ?\d\d/,
    lengths: [1, 13, 15],
    startOf: (text, { start, end }) => (end - start > 1 || isSpaced(text, start) ? start : -1),
    passes: (id) => isNir(id, id.replace('2A', '19').replace('2B', '18')),
  },
  {
    category: 'fi_hetu',
    form: /^\d{6}[-+A-FU-Y]\d{3}[0-9A-FHJ-NPR-Y]/,
    lengths: [6, 11],
    passes(id) {
      const number = Number(id.slice(0, 6) + id.slice(-4, -1))
      return (
        isDate(Number(id.slice(2, 4)), Number(id.slice(0, 2))) && finnishLetters[number % 31] === id.at(-1)
      )
    },
  },
  {
    category: 'cn_resident_id',
    form: /^[1-9]\d{5}(?:19|20)\d{9}[\dXx]/,
    lengths: [18],
    passes(id) {
      const weights = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]
      const sum = weights.reduce((total, weight, index) => total + weight * Number(id[index]), 0)
      return isDate(Number(id.slice(10, 12)), Number(id.slice(12, 14))) && '10X98765432'[sum % 11] === id[17]
    },
  },
  // The fourth letter is the type of holder: P is a person.
  { category: 'in_pan', form: /^[A-Z]{3}P[A-Z]\d{4}[A-Z]/, lengths: [10], passes: () => true },
  {
    category: 'mx_curp',
    form: /^[A-Z][AEIOUX][A-Z]{2}\d{6}[HMX][A-Z]{2}[B-DF-HJ-NP-TV-Z]{3}[0-9A-Z]\d/,
    lengths: [18],
    passes: passesMexican,
  },
]

/** Whether it is a digit, a space and two digits. */
const isSpaced = (text: string, start: number) =>
  text[start + 1] === ' ' && isDigit(text.charCodeAt(start + 2)) && isDigit(text.charCodeAt(start + 3))

const isCapital = (code: number) => code >= 65 && code <= 90

export type MatchLetterId = (
  text: string,
  token: Token,
) => { category: string; start: number; end: number } | null

/** Finds a number of one of these kinds around a token. */
export function createLetterIds(wanted: ReadonlySet<string>): MatchLetterId {
  const byLength: LetterId[][] = Array.from({ length: mostChars }, () => [])
  for (const id of letterIds.filter(({ category }) => wanted.has(category)))
    for (const length of id.lengths) byLength[length]?.push(id)
  return (text, token) => {
    for (const { category, form, startOf, passes } of byLength[token.end - token.start] ?? []) {
      const start = startOf?.(text, token) ?? token.start
      const written = start < 0 ? undefined : form.exec(text.slice(start, start + mostChars))?.[0]
      if (written === undefined || !isAlone(text, start, start + written.length)) continue
      const compact = written.replace(/[ .]|(?<=[A-Za-z])-|-(?=[A-Za-z])/g, '').toUpperCase()
      if (passes(compact)) return { category, start, end: start + written.length }
    }
    return null
  }
}

/** The value of a letter or digit at an odd position; https://www.agenziaentrate.gov.it */
const oddValues: readonly number[] = [
  1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23,
]

function passesItalian(id: string): boolean {
  const values = [...id.slice(0, 15)].map((letter, index) => {
    const value = letter >= 'A' ? letter.charCodeAt(0) - 65 : Number(letter)
    return index % 2 === 0 ? (oddValues[value] ?? 0) : value
  })
  const sum = values.reduce((total, value) => total + value, 0)
  return String.fromCharCode(65 + (sum % 26)) === id[15]
}

const mexicanLetters = '0123456789ABCDEFGHIJKLMNÑOPQRSTUVWXYZ'

function passesMexican(id: string): boolean {
  const sum = [...id.slice(0, 17)].reduce(
    (total, letter, index) => total + mexicanLetters.indexOf(letter) * (18 - index),
    0,
  )
  return isDate(Number(id.slice(6, 8)), Number(id.slice(8, 10))) && (10 - (sum % 10)) % 10 === Number(id[17])
}
