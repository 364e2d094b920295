/**
 * Payment card numbers: 13 to 19 digits with the first digits and a length of a network, and a valid Luhn check digit,
 * written without separators or in groups. Reference: https://www.iso.org/standard/70484.html (issuer identification
 * numbers)
 */
import { isUniform, passesLuhn } from './checksums.ts'

/** The range of first digits, and the lengths of numbers that begin with them. */
const networks: readonly [from: string, to: string, lengths: readonly number[]][] = [
  ['4', '4', [13, 16, 19]],
  ['51', '55', [16]],
  ['2221', '2720', [16]],
  ['34', '34', [15]],
  ['37', '37', [15]],
  ['300', '305', [14, 16, 19]],
  ['3095', '3095', [14, 16, 19]],
  ['36', '36', [14, 16, 19]],
  ['38', '39', [14, 16, 19]],
  ['6011', '6011', [16, 19]],
  ['644', '659', [16, 19]],
  ['3528', '3589', [16, 19]],
  ['62', '62', [16, 17, 18, 19]],
  ['81', '82', [16, 19]],
  ['60', '60', [16]],
  ['5018', '5018', [16, 19]],
  ['5020', '5020', [16, 19]],
  ['5038', '5038', [16, 19]],
  ['5893', '5893', [16, 19]],
  ['6304', '6304', [16, 19]],
  ['6759', '6763', [16, 19]],
  ['508', '508', [16]],
  ['2200', '2204', [16, 17, 18, 19]],
  ['5060', '5061', [16, 18, 19]],
  ['9792', '9792', [16]],
]

/** Common spellings: lengths of the groups, with their separators. */
export const cardShapes: readonly string[] = [
  ...['13', '14', '15', '16', '17', '18', '19'],
  ...[
    '4 4 4 1',
    '4 4 4 4',
    '4 4 4 4 1',
    '4 4 4 4 2',
    '4 4 4 4 3',
    '4 4 5',
    '4 6 4',
    '4 6 5',
    '6 10',
    '6 13',
  ].flatMap((shape) => [shape, shape.replaceAll(' ', '-')]),
]

export function isCard(digits: string): boolean {
  const isIssued = networks.some(([from, to, lengths]) => {
    const head = digits.slice(0, from.length)
    return head >= from && head <= to && lengths.includes(digits.length)
  })
  return isIssued && passesLuhn(digits) && !isUniform(digits)
}
