/** Classes of ASCII characters by UTF-16 unit: faster than patterns. */

export const isDigit = (code: number): boolean => code >= 48 && code <= 57

export const isLetter = (code: number): boolean => (code >= 97 && code <= 122) || (code >= 65 && code <= 90)

/** Letters, digits and the underscore. */
export const isWord = (code: number): boolean => isDigit(code) || isLetter(code) || code === 95

export const isHex = (code: number): boolean =>
  isDigit(code) || (code >= 97 && code <= 102) || (code >= 65 && code <= 70)

/** Whether the piece is not part of a longer word. */
export const isAlone = (text: string, start: number, end: number): boolean =>
  !isWord(text.charCodeAt(start - 1)) && !isWord(text.charCodeAt(end))
