/**
 * E-mail addresses in their common form: a dotted name, a domain of labels, and a last label of letters. Quoted names
 * and address literals, which RFC 5321 allows, are not recognised. Reference:
 * https://www.rfc-editor.org/rfc/rfc5321#section-4.1.2
 */
import { isDigit, isLetter, isWord } from '../characters.ts'
import type { Finding } from '../finding.ts'

const longestName = 64
const longestDomain = 253

export function findEmails(text: string): Finding[] {
  const found: Finding[] = []
  let last = 0
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    const start = nameStart(text, at, last)
    const end = domainEnd(text, at + 1)
    if (start === at || end < 0 || isLogin(text, start, at)) continue
    found.push({ category: 'email', start, end })
    last = end
  }
  return found
}

/** Letters beyond ASCII occur in names and domains of many languages, but not those of scripts without spaces. */
const isForeignLetter = (code: number) => code >= 0xc0 && code < 0x2000 && code !== 0xd7 && code !== 0xf7

const isName = (code: number) => isWord(code) || isForeignLetter(code) || nameSigns.includes(code)
const nameSigns = [...".%+-'&"].map((sign) => sign.charCodeAt(0))

function nameStart(text: string, at: number, last: number): number {
  let start = at
  const first = Math.max(last, at - longestName)
  while (start > first && isName(text.charCodeAt(start - 1))) start--
  // Leading punctuation, such as a quotation mark, belongs to the sentence.
  while (start < at && !isWord(text.charCodeAt(start)) && !isForeignLetter(text.charCodeAt(start))) start++
  return text.charAt(at - 1) === '.' ? at : start
}

/** The end of the longest domain that begins here, or -1. */
function domainEnd(text: string, start: number): number {
  let end = -1
  let label = start
  let areNumbers = true
  let labels = 0
  for (let at = start; at - start <= longestDomain; at++) {
    const code = text.charCodeAt(at)
    if (isDigit(code) || isLetter(code) || isForeignLetter(code) || (code === 45 && at > label)) continue
    if (at === label || at - label > 63) break
    labels += 1
    if (labels > 1 && isTop(text, label, at)) end = at
    areNumbers &&= labels > 2 || isDigit(text.charCodeAt(label))
    // Versions look similar: package@1.0.0-beta.rc
    if (labels > 2 && areNumbers) return -1
    if (code !== 46) break
    label = at + 1
  }
  return end
}

/** Whether it is a last label: letters, or an encoded label of another script. */
function isTop(text: string, start: number, end: number): boolean {
  if (end - start < 2) return false
  if (text.startsWith('xn--', start)) return true
  for (let at = start; at < end; at++)
    if (!isLetter(text.charCodeAt(at)) && !isForeignLetter(text.charCodeAt(at))) return false
  return end - start <= 24
}

/** The user in `ssh://git@host` or `git@host:path` is not a mailbox. */
function isLogin(text: string, start: number, at: number): boolean {
  if (text.slice(start, at) === 'git') return true
  const before = text.charAt(start - 1)
  if (before !== ':' && before !== '/') return false
  const recent = text.slice(Math.max(0, start - 80), start)
  const scheme = recent.lastIndexOf('://')
  return scheme >= 0 && !/\s/.test(recent.slice(scheme))
}
