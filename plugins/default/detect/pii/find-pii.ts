/**
 * Finds personal data of chosen categories. E-mail addresses are searched at each `@`. All other categories contain
 * digits, so the text is scanned once, and only the surroundings of digits are examined further.
 */
import { createCover, type Detect, type Finding } from '../finding.ts'
import { findEmails } from './email.ts'
import { ibanEnd } from './iban.ts'
import { matchIpv4, matchIpv6 } from './ip-address.ts'
import { createLetterIds } from './letter-ids.ts'
import { createNumberIds } from './number-ids.ts'
import { createPhoneWords, matchPhone } from './phone.ts'
import { digitTokens, type Token } from './tokens.ts'

/** Finds data that begins with a token, or contains it; otherwise null. */
type Match = (
  options: { text: string; tokens: readonly Token[] },
  index: number,
  words: () => readonly string[],
) => Finding | null

/** @param wanted ids of categories */
export function createPiiDetector(wanted: ReadonlySet<string>): Detect {
  const wantsEmails = wanted.has('email')
  const wantsNumbers = wanted.size > (wantsEmails ? 1 : 0)
  const match = createMatch(wanted)
  return (text) => {
    // Digits inside an e-mail address are not separate numbers, even if addresses are not wanted.
    const emails = findEmails(text)
    if (!wantsNumbers) return emails
    const numbers = findNumbers(match, text, emails)
    const all = wantsEmails ? [...emails, ...numbers] : numbers
    return wantsEmails && emails.length > 0 ? all.sort((left, right) => left.start - right.start) : all
  }
}

function findNumbers(match: Match, text: string, emails: readonly Finding[]): Finding[] {
  const found: Finding[] = []
  const tokens = digitTokens(text)
  const isInEmail = createCover(emails)
  const words = createPhoneWords(text)
  let end = 0
  for (let index = 0; index < tokens.length; index++) {
    const start = tokens[index]?.start ?? 0
    if (start < end || isInEmail(start)) continue
    const finding = match({ text, tokens }, index, words)
    if (finding === null) continue
    // A match may begin before its first digits and overlap with the previous match.
    if (finding.start >= end) found.push(finding)
    end = Math.max(end, finding.end)
  }
  return found
}

/** The most distinctive kinds come first. */
function createMatch(wanted: ReadonlySet<string>): Match {
  const [wantsIbans, wantsAddresses, wantsPhones] = ['iban', 'ip_address', 'phone'].map((id) =>
    wanted.has(id),
  )
  const matchLetterId = createLetterIds(wanted)
  const matchNumberId = createNumberIds(wanted)
  return ({ text, tokens }, index, words) => {
    const token = tokens[index]
    if (token === undefined) return null
    const { start, isNumber } = token
    const iban = wantsIbans && !isNumber ? ibanEnd(text, token) : -1
    if (iban >= 0) return { category: 'iban', start, end: iban }
    const letters = matchLetterId(text, token)
    if (letters !== null) return letters
    const address = wantsAddresses ? matchAddress({ text, tokens }, index, token) : null
    if (address !== null || !isNumber || !hasDigitsFor(tokens, index)) return address
    const id = matchNumberId(text, tokens, index)
    if (id !== null) return id
    const phone = wantsPhones ? matchPhone({ text, tokens }, index, words) : null
    return phone === null ? null : { category: 'phone', ...phone }
  }
}

function matchAddress(
  { text, tokens }: { text: string; tokens: readonly Token[] },
  index: number,
  token: Token,
): Finding | null {
  const long = matchIpv6(text, token)
  if (long !== null) return { category: 'ip_address', ...long }
  const end = matchIpv4(text, tokens, index)
  return end === 0 ? null : { category: 'ip_address', start: token.start, end }
}

const fewestDigits = 7
const widestGap = 5

/** Whether enough digits follow, ignoring separators. */
function hasDigitsFor(tokens: readonly Token[], index: number): boolean {
  let digits = 0
  let end = -1
  for (let at = index; digits < fewestDigits; at++) {
    const token = tokens[at]
    if (token === undefined || !token.isNumber || (end >= 0 && token.start - end > widestGap)) return false
    digits += token.end - token.start
    end = token.end
  }
  return true
}
