/** The forms in which national telephone numbers are commonly written. */
import { isDate } from './checksums.ts'

export interface National {
  groups: readonly string[]
  /** The separators between the groups. */
  gaps: readonly string[]
  /** After an opening parenthesis. */
  isOpened: boolean
}

export function isNational(number: National): boolean {
  const lengths = number.groups.map((group) => group.length).join('-')
  return (
    isNorthAmerican(number, lengths) ||
    isTrunk(number) ||
    isBrazilian(number, lengths) ||
    isOther(number, lengths)
  )
}

/** (212) 555-0123, 212-555-0123, 212.555.0123, 1-212-555-0123 */
function isNorthAmerican({ groups, gaps, isOpened }: National, lengths: string): boolean {
  if (lengths !== '3-3-4' && !(lengths === '1-3-3-4' && groups[0] === '1')) return false
  const [area = '', exchange = ''] = groups.slice(-3)
  if (![area, exchange].every((group) => /^[2-9]\d\d$/.test(group) && !group.endsWith('11'))) return false
  const [first = '', last = ''] = gaps.slice(-2)
  return isOpened
    ? first.startsWith(')')
    : first.includes(')') || last === '-' || (last === '.' && first === '.')
}

/** A leading zero for domestic calls, nine to twelve digits in groups of two or more: 030 123456, 01 23 45 67 89 */
function isTrunk({ groups, gaps }: National): boolean {
  const digits = groups.join('')
  const [first = '', second = '', third = ''] = groups
  if (!/^0[1-9]/.test(digits) || digits.length < 9 || digits.length > 12) return false
  if (first.length > 6 || groups.length > 5 || groups.some((group) => group.length < 2)) return false
  const isDated = isDate(Number(second), Number(first)) && /^(?:19|20)\d\d$/.test(third)
  return !isDated && gaps.every((gap) => !gap.includes('('))
}

/** (11) 91234-5678 */
const isBrazilian = ({ groups, gaps, isOpened }: National, lengths: string) =>
  isOpened && /^2-[45]-4$/.test(lengths) && /^[1-9]{2}$/.test(groups[0] ?? '') && gaps[1] === '-'

/** 138 1234 5678 in China, 8 912 345-67-89 in Russia. */
function isOther({ groups, gaps }: National, lengths: string): boolean {
  if (lengths === '3-4-4') return /^1[3-9]/.test(groups[0] ?? '') && gaps[0] === gaps[1]
  return lengths === '1-3-3-2-2' && groups[0] === '8' && /^[3489]/.test(groups[1] ?? '')
}
