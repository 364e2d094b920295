/** Keys of several pieces separated by dots or colons, found by their first long piece. */
import { isDigit } from '../characters.ts'
import type { SecretCategory } from './categories.ts'
import { isToken } from './tokens.ts'

interface Key {
  category: SecretCategory
  start: number
  end: number
}

/** The text before the first long piece, and the minimum length of the whole key. */
const heads: readonly [head: string, category: SecretCategory, least: number][] = [
  ['SG.', 'saas', 60],
  ['ya29.', 'gcp', 40],
  ['hvs.', 'infrastructure', 28],
  ['hvb.', 'infrastructure', 100],
  ['hvp.', 'infrastructure', 28],
  ['dp.pt.', 'infrastructure', 46],
  ['dp.st.', 'infrastructure', 46],
  ['dp.ct.', 'infrastructure', 46],
  ['dt0c01.', 'infrastructure', 90],
  ['.atlasv1.', 'infrastructure', 70],
  ['sl.', 'saas', 130],
  ['xoxe.', 'slack', 40],
  ['v1.0-', 'infrastructure', 170],
  ['sha256~', 'infrastructure', 50],
]

/** The key whose first long piece is this token, or null. */
export function matchDotted(text: string, start: number, end: number): Key | null {
  const before = text.charAt(start - 1)
  if (before === '.' || before === '~') {
    for (const [head, category, least] of heads) {
      if (!text.startsWith(head, start - head.length)) continue
      const begin = start - head.length
      if (isToken(text.charCodeAt(begin - 1)) !== head.startsWith('.')) continue
      const whole = wholeEnd(text, end)
      if (whole - begin < least) continue
      return { category, start: head.startsWith('.') ? wordStart(text, begin) : begin, end: whole }
    }
    if (before === '~') return clientSecret(text, start)
  }
  if (before === ':') return botToken(text, start, end)
  return userToken(text, start, end) ?? suffixed(text, start, end)
}

const longestRest = 2048

/** The end including the pieces after dots. */
function wholeEnd(text: string, from: number): number {
  let end = from
  while (
    end - from < longestRest &&
    (isToken(text.charCodeAt(end)) ||
      (text[end] === '.' && isToken(text.charCodeAt(end + 1))) ||
      text[end] === '=')
  )
    end++
  return end
}

function wordStart(text: string, from: number): number {
  let start = from
  while (isToken(text.charCodeAt(start - 1)) && from - start < 20) start--
  return start
}

/** A client secret of an Azure application: three characters, a digit, `Q~` and 31 to 34 more. */
function clientSecret(text: string, start: number): Key | null {
  const written = /^[A-Za-z0-9_~.-]{3}\dQ~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~-])/.exec(
    text.slice(Math.max(0, start - 6), start + 40),
  )
  return written === null || start < 6
    ? null
    : { category: 'azure', start: start - 6, end: start - 6 + written[0].length }
}

/** A Telegram bot: eight to ten digits, a colon, 35 characters. */
function botToken(text: string, start: number, end: number): Key | null {
  let begin = start - 1
  while (isDigit(text.charCodeAt(begin - 1)) && start - begin < 12) begin--
  const digits = start - 1 - begin
  return end - start === 35 && digits >= 8 && digits <= 10 && text[start] === 'A'
    ? { category: 'saas', start: begin, end }
    : null
}

/** A Discord bot token: its id in base64, a time, a signature. */
function userToken(text: string, start: number, end: number): Key | null {
  if (text[end] !== '.' || end - start < 23 || end - start > 28 || !'MNO'.includes(text.charAt(start)))
    return null
  const written = /^\.[\w-]{6}\.[\w-]{27,38}(?![\w-])/.exec(text.slice(end, end + 48))?.[0]
  if (
    written === undefined ||
    !/^\d{17,20}$/.test(Buffer.from(text.slice(start, end), 'base64').toString('latin1'))
  )
    return null
  return { category: 'saas', start, end: end + written.length }
}

/** Keys with a mark at the end or inside: a Mailchimp key names its data centre, an Azure key its issuer. */
function suffixed(text: string, start: number, end: number): Key | null {
  const length = end - start
  if (length < 36 || length > 100) return null
  const token = text.slice(start, end)
  if (/^[0-9a-f]{32}-us\d{1,2}$/.test(token)) return { category: 'saas', start, end }
  const isAzure = length === 84 && token.slice(52, 58) === 'JQQJ99'
  return isAzure ? { category: 'azure', start, end } : null
}
