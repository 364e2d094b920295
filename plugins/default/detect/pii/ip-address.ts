/**
 * IP addresses of version 4 and 6, without loopback, unspecified and broadcast addresses. Reference:
 * https://www.rfc-editor.org/rfc/rfc4291#section-2.2
 */
import { isIPv6 } from 'node:net'
import { isDigit, isHex, isWord } from '../characters.ts'
import type { Token } from './tokens.ts'

/** The end of the IPv4 address that begins with a token, or 0. */
export function matchIpv4(text: string, tokens: readonly Token[], index: number): number {
  const start = tokens[index]?.start ?? 0
  const values: number[] = []
  let end = 0
  for (let at = index; at < index + 4; at++) {
    const token = tokens[at]
    if (token === undefined || !token.isNumber || token.end - token.start > 3) return 0
    if (at > index && (token.start !== end + 1 || text[end] !== '.')) return 0
    if (at === index && text[token.end] !== '.') return 0
    const digits = text.slice(token.start, token.end)
    if (digits.length > 1 && digits.startsWith('0')) return 0
    values.push(Number(digits))
    end = token.end
  }
  if (values.some((value) => value > 255) || isNobody(values)) return 0
  // Longer dotted numbers and versions are not addresses.
  if (text[start - 1] === '.' || (text[end] === '.' && isDigit(text.charCodeAt(end + 1)))) return 0
  return /version\s$/i.test(text.slice(Math.max(0, start - 8), start)) ? 0 : end
}

const isNobody = ([first, ...rest]: number[]) =>
  first === 127 ||
  (first === 0 && rest.every((value) => value === 0)) ||
  [first, ...rest].every((value) => value === 255)

const longestIpv6 = 45

/** The position of the IPv6 address around a token, or null. */
export function matchIpv6(text: string, token: Token): { start: number; end: number } | null {
  let { start, end } = token
  // A token of hexadecimal digits next to a colon, or the part after a dot in an embedded IPv4 address.
  if (text[end] !== ':' && text[start - 1] !== ':') return null
  while (start > 0 && token.end - start <= longestIpv6 && isPiece(text.charCodeAt(start - 1))) start--
  while (end - start <= longestIpv6 && isPiece(text.charCodeAt(end))) end++
  if (end - start > longestIpv6 || isWord(text.charCodeAt(start - 1)) || isWord(text.charCodeAt(end)))
    return null
  while (end > start && (text[end - 1] === '.' || (text[end - 1] === ':' && text[end - 2] !== ':'))) end--
  while (text[start] === '.' || (text[start] === ':' && text[start + 1] !== ':')) start++
  const written = text.slice(start, end)
  // Times of day also contain colons.
  if (written.indexOf(':') === written.lastIndexOf(':')) return null
  return isIPv6(written) && isSomebody(written) ? { start, end } : null
}

const isPiece = (code: number) => isHex(code) || code === 58 || code === 46

/** Names in programming languages look like short addresses: a::b1. */
function isSomebody(written: string): boolean {
  const groups = written.split(/[:.]/).filter((group) => group !== '')
  return groups.length >= 3 || groups.some((group) => group.length >= 3) ? groups.length >= 2 : false
}
