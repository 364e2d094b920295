/** White space as matched by `\s`, by UTF-16 unit: many times faster than a pattern. */

export function isWhiteSpace(code: number): boolean {
  if (code <= 0x20) return code === 0x20 || (code >= 9 && code <= 13)
  return code >= 0xa0 && ((code >= 0x2000 && code <= 0x200a) || otherSpaces.includes(code))
}

const otherSpaces = [0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff]
