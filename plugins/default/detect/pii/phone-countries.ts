/**
 * Country codes with the maximum number of digits, for countries where it is fixed. Reference:
 * https://www.itu.int/oth/T0202.aspx?parent=T0202
 */

const rows =
  '1:11 7:11 20:12 27:11 30:12 31:11 32:11 33:11 34:11 39:13 40:11 41:11 44:12 45:10 46:11 47:10 48:11 52:12 55:13 56:11 ' +
  '57:12 60:12 61:11 62:14 63:12 64:12 65:10 66:11 81:12 82:12 84:11 86:13 90:12 91:12 92:12 351:12 353:12 358:12 ' +
  '380:12 420:12 852:11 966:12 971:12 972:12'

const longest = new Map(rows.split(' ').map((row) => row.split(':') as [string, string]))

/** The maximum of E.164. */
export const mostDigits = 15

/** The maximum number of digits for numbers with this beginning, including the country code. */
export function longestFor(digits: string): number {
  for (let length = 3; length > 0; length--) {
    const found = longest.get(digits.slice(0, length))
    if (found !== undefined) return Number(found)
  }
  return mostDigits
}
