/**
 * Numbers of cards, identity documents, taxes and social insurance that consist of digits: their written forms and
 * check digits. Forms that other numbers also have require a preceding word that names the number.
 *
 * References: https://www.ssa.gov/employer/randomization.html (us), ISO/IEC 7064 (de), https://www.insee.fr (fr),
 * https://www.rvig.nl (nl), https://www.gov.br/receitafederal (br), https://uidai.gov.in (in)
 */
import { isDate, isUniform, passesLuhn, passesMod1110, passesVerhoeff, weighted } from './checksums.ts'
import { cardShapes, isCard } from './credit-card.ts'

export interface NumberId {
  category: string
  /** Sufficient forms: lengths of the groups with the separators between them. */
  shapes: readonly string[]
  /** Forms that count only after one of the words. */
  namedShapes?: readonly string[]
  words?: readonly string[]
  passes(digits: string): boolean
}

const numberAt = (digits: string, from: number, to: number): number => Number(digits.slice(from, to))

/** In order of precedence, if a number could be of several kinds. */
export const numberIds: readonly NumberId[] = [
  { category: 'credit_card', shapes: cardShapes, passes: isCard },
  {
    category: 'us_ssn',
    shapes: ['3-2-4'],
    namedShapes: ['3 2 4', '9'],
    words: ['ssn', 'social security', 'soc sec'],
    passes: (digits) =>
      !/^(?:000|666|9)|^...00|0000$/.test(digits) && digits !== '078051120' && digits !== '219099999',
  },
  {
    category: 'de_tax_id',
    shapes: ['11', '2 3 3 3'],
    passes: (digits) => !digits.startsWith('0') && repeatsOne(digits.slice(0, 10)) && passesMod1110(digits),
  },
  {
    category: 'fr_nir',
    shapes: ['15', '13 2', '1 2 2 2 3 3 2'],
    passes: (digits) => isNir(digits, digits),
  },
  {
    category: 'nl_bsn',
    shapes: ['4.2.3', '4 2 3', '3.3.3'],
    namedShapes: ['9', '3 3 3', '8'],
    words: ['bsn', 'burgerservice', 'sofi'],
    passes: (digits) =>
      !isUniform(digits) && weighted(digits.padStart(9, '0'), [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0,
  },
  {
    category: 'br_cpf',
    shapes: ['3.3.3-2'],
    namedShapes: ['11', '3 3 3 2', '3.3.3.2', '9-2'],
    words: ['cpf'],
    passes: (digits) => !isUniform(digits) && cpfDigit(digits, 9) && cpfDigit(digits, 10),
  },
  {
    category: 'in_aadhaar',
    shapes: ['4 4 4', '4-4-4'],
    namedShapes: ['12'],
    words: ['aadhaar', 'aadhar', 'uidai', 'आधार'],
    passes: (digits) => /^[2-9]/.test(digits) && !isUniform(digits) && passesVerhoeff(digits),
  },
  {
    category: 'ca_sin',
    shapes: ['3-3-3'],
    namedShapes: ['9', '3 3 3'],
    words: ['sin ', 'sin:', 'social insurance', 'assurance sociale'],
    passes: (digits) => /^[1-79]/.test(digits) && !isUniform(digits) && passesLuhn(digits),
  },
  {
    category: 'au_tfn',
    shapes: [],
    namedShapes: ['9', '3 3 3', '3-3-3'],
    words: ['tfn', 'tax file'],
    passes: (digits) => weighted(digits, [1, 4, 3, 7, 5, 8, 6, 9, 10]) % 11 === 0,
  },
  {
    category: 'ch_ahv',
    shapes: ['3.4.4.2', '13'],
    passes: (digits) =>
      digits.startsWith('756') && weighted(digits, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]) % 10 === 0,
  },
  {
    category: 'pl_pesel',
    shapes: [],
    namedShapes: ['11'],
    words: ['pesel'],
    passes: (digits) =>
      isDate(numberAt(digits, 2, 4) % 20, numberAt(digits, 4, 6)) &&
      weighted(digits, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 === 0,
  },
  {
    category: 'se_personnummer',
    shapes: ['6-4', '8-4'],
    passes: (digits) => {
      const short = digits.slice(-10)
      const isCentury = digits.length === 10 || /^(?:19|20)/.test(digits)
      // From 60 on, the day belongs to a coordination number.
      return isCentury && isDate(numberAt(short, 2, 4), numberAt(short, 4, 6) % 60) && passesLuhn(short)
    },
  },
  {
    category: 'be_nrn',
    shapes: ['2.2.2-3.2'],
    namedShapes: ['11', '6-3-2', '2.2.2.3.2'],
    words: ['rijksregister', 'registre national', 'insz', 'niss'],
    passes: (digits) => {
      const check = numberAt(digits, 9, 11)
      const born = [numberAt(digits, 0, 9), Number(`2${digits.slice(0, 9)}`)]
      return born.some((number) => 97 - (number % 97) === check)
    },
  },
]

/** Among the first ten digits, one occurs two or three times and all others at most once. */
function repeatsOne(digits: string): boolean {
  const counts = Array.from({ length: 10 }, (_, digit) => digits.split(String(digit)).length - 1)
  const repeated = counts.filter((count) => count > 1)
  return repeated.length === 1 && (repeated[0] ?? 0) <= 3 && !/(\d)\1\1/.test(digits)
}

/** @param written including the letter of the two departments of Corsica */
export function isNir(written: string, digits: string): boolean {
  const month = numberAt(digits, 3, 5)
  if (
    !/^[1-478]/.test(written) ||
    !((month >= 1 && month <= 12) || (month >= 20 && month <= 42) || month >= 50)
  )
    return false
  return 97 - (Number(digits.slice(0, 13)) % 97) === numberAt(digits, 13, 15)
}

function cpfDigit(digits: string, length: number): boolean {
  const weights = Array.from({ length }, (_, index) => length + 1 - index)
  return String(((weighted(digits, weights) * 10) % 11) % 10) === digits[length]
}
