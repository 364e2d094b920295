/**
 * Check digits. Luhn: ISO/IEC 7812-1 annex B; mod 97 and mod 11,10: ISO/IEC 7064; Verhoeff: J. Verhoeff, Error
 * Detecting Decimal Codes, 1969. All take digits as text; other text does not pass.
 */

const digitAt = (digits: string, index: number): number => digits.charCodeAt(index) - 48

/** The weighted sum of the digits. */
export function weighted(digits: string, weights: readonly number[]): number {
  return weights.reduce((sum, weight, index) => sum + weight * digitAt(digits, index), 0)
}

export function passesLuhn(digits: string): boolean {
  let sum = 0
  for (let index = 0; index < digits.length; index++) {
    const digit = digitAt(digits, digits.length - 1 - index)
    const doubled = index % 2 === 0 ? digit : digit * 2
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

/** For letters and digits; a letter counts from 10 (A) to 35 (Z). */
export function remainder97(text: string): number {
  let rest = 0
  for (const letter of text) {
    const value = Number.parseInt(letter, 36)
    rest = (rest * (value > 9 ? 100 : 10) + value) % 97
  }
  return rest
}

/** ISO/IEC 7064 mod 11,10, the check digit last. */
export function passesMod1110(digits: string): boolean {
  let product = 10
  for (let index = 0; index < digits.length - 1; index++) {
    const sum = (digitAt(digits, index) + product) % 10
    product = ((sum === 0 ? 10 : sum) * 2) % 11
  }
  return (11 - product) % 10 === digitAt(digits, digits.length - 1)
}

const permutation = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4]

/** The dihedral group of order ten: rotations 0 to 4, reflections 5 to 9. */
function combine(left: number, right: number): number {
  if (left < 5) return right < 5 ? (left + right) % 5 : ((left + right) % 5) + 5
  return right < 5 ? ((left - right) % 5) + 5 : (left - right + 5) % 5
}

export function passesVerhoeff(digits: string): boolean {
  let check = 0
  for (let index = 0; index < digits.length; index++) {
    let digit = digitAt(digits, digits.length - 1 - index)
    for (let times = index % 8; times > 0; times--) digit = permutation[digit] ?? 0
    check = combine(check, digit)
  }
  return check === 0
}

/** Whether month and day can be a date. */
export function isDate(month: number, day: number): boolean {
  return (
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= ([2, 4, 6, 9, 11].includes(month) ? (month === 2 ? 29 : 30) : 31)
  )
}

/** Whether all digits are the same. */
export const isUniform = (digits: string): boolean => digits === digits.charAt(0).repeat(digits.length)
