/**
 * Secrets with an internal structure: private keys in PEM (https://www.rfc-editor.org/rfc/rfc7468), JSON Web Tokens
 * (https://www.rfc-editor.org/rfc/rfc7519), URLs with a password, webhooks whose URL is the secret.
 */
import { isLetter } from '../characters.ts'
import type { Finding } from '../finding.ts'
import { isToken } from './tokens.ts'

const begin = '-----BEGIN '
const dashes = '-----'
const longestLabel = 64
const longestKey = 20_000
/** How far from a private key the other members of a service account's file may be. */
const neighbourhood = 1500

/** Blocks of private keys. A block without an end extends as far as its base64 does. */
export function findPrivateKeys(text: string): Finding[] {
  const found: Finding[] = []
  for (let start = text.indexOf(begin); start >= 0; ) {
    const head = text.indexOf(dashes, start + begin.length)
    const label = head < 0 ? '' : text.slice(start + begin.length, Math.min(head, start + longestLabel))
    const end = /PRIVATE KEY(?: BLOCK)?$/.test(label) ? keyEnd(text, head + dashes.length) : -1
    if (end >= 0)
      found.push({ category: isServiceAccount(text, start, end) ? 'gcp' : 'private_key', start, end })
    start = text.indexOf(begin, end < 0 ? start + begin.length : end)
  }
  return found
}

function keyEnd(text: string, from: number): number {
  const next = text.indexOf(begin, from)
  // Up to the next block, so that no text is scanned twice.
  const within = text.slice(from, Math.min(from + longestKey, next < 0 ? text.length : next))
  const close = /-----END [A-Z0-9 ]{0,64}-----/.exec(within)
  if (close !== null) return from + close.index + close[0].length
  // The end is missing: the lines of base64 belong to the key, words after them do not.
  const stop = within.search(/[^A-Za-z0-9+/=\r\n\t\\]/)
  const lines = stop < 0 ? within : within.slice(0, stop)
  const lastLine = lines.length - lines.lastIndexOf('\n') - 1
  const isCut = stop >= 0 && lastLine < shortestLine
  return from + (isCut ? Math.max(0, lines.length - lastLine - 1) : lines.length)
}

const shortestLine = 16

function isServiceAccount(text: string, start: number, end: number): boolean {
  const around = text.slice(Math.max(0, start - neighbourhood), end + neighbourhood)
  return around.includes('gserviceaccount.com') || around.includes('"service_account"')
}

/** The end of the JSON Web Token (possibly incomplete) whose header is the token at `start`, or -1. */
export function jwtEnd(text: string, start: number, end: number): number {
  if (!text.startsWith('eyJ', start) || text[end] !== '.') return -1
  const payloadEnd = skipToken(text, end + 1)
  // Claims begin like the header. An encrypted token, or one without JSON claims, must have its third piece.
  const isSigned = text[payloadEnd] === '.'
  if (payloadEnd === end + 1 || !(isSigned || text.startsWith('eyJ', end + 1))) return -1
  if (!isJwtHeader(text.slice(start, end))) return -1
  // The signature of an unsigned token is empty.
  return isSigned ? skipToken(text, payloadEnd + 1) : payloadEnd
}

function skipToken(text: string, from: number): number {
  let at = from
  while (isToken(text.charCodeAt(at))) at++
  return at
}

const longestHeader = 4096

function isJwtHeader(written: string): boolean {
  if (written.length > longestHeader) return false
  try {
    const header: unknown = JSON.parse(Buffer.from(written, 'base64url').toString('utf8'))
    return typeof header === 'object' && header !== null && ('alg' in header || 'enc' in header)
  } catch {
    return false
  }
}

const longestLogin = 300
const placeholder =
  /^(?:<.*>|\$\{?.*\}?|\{\{?.*\}?\}|\[.*\]|%.*%|\*+|x+|\.+|pass(?:word|wd)?|pwd|secret|your.*)$/i

/** Whether it is a real password rather than an example's placeholder. */
const isRealPassword = (password: string): boolean => password.length >= 3 && !placeholder.test(password)

const webhooks: readonly [host: string, category: string][] = [
  ['hooks.slack.com/', 'slack'],
  ['discord.com/api/webhooks/', 'saas'],
  ['discordapp.com/api/webhooks/', 'saas'],
]

/** URLs that contain a password or are secret themselves. */
export function findSecretUrls(text: string): Finding[] {
  const found: Finding[] = []
  let last = 0
  for (let at = text.indexOf('://'); at >= 0; at = text.indexOf('://', at + 3)) {
    if (at < last) continue
    let start = at
    while (start > last && isScheme(text.charCodeAt(start - 1))) start--
    if (start === at) continue
    const category = categoryOf(text, at + 3)
    if (category === null) continue
    last = urlEnd(text, at + 3)
    found.push({ category, start, end: last })
  }
  return found
}

function categoryOf(text: string, from: number): string | null {
  const hook = webhooks.find(([host]) => text.startsWith(host, from))
  if (hook !== undefined) {
    const [host, category] = hook
    return urlEnd(text, from) - from - host.length >= 20 ? category : null
  }
  let colon = -1
  let login = -1
  for (let at = from; at - from <= longestLogin && !endsAuthority(text.charAt(at)); at++) {
    if (text[at] === ':' && colon < 0 && login < 0) colon = at
    if (text[at] === '@') login = at
  }
  return colon >= 0 && login > colon && isRealPassword(text.slice(colon + 1, login))
    ? 'connection_string'
    : null
}

const isScheme = (code: number) =>
  isLetter(code) || (code >= 48 && code <= 57) || code === 43 || code === 45 || code === 46
const endsAuthority = (letter: string) => letter === '' || '/?#"\'`<>|\\'.includes(letter) || letter <= ' '

function urlEnd(text: string, from: number): number {
  let end = from
  while (end < text.length && !/[\s"'`<>|\\]/.test(text.charAt(end))) end++
  while (end > from && '.,;:!?)]}'.includes(text.charAt(end - 1))) end--
  return end
}

const passwordNames = /(?:^|[;&?\s"'])(?:password|passwd|pwd)$/i

/** Passwords in connection strings that are lists of settings: `Server=…;Password=…;`. */
export function findListedPasswords(text: string): Finding[] {
  const found: Finding[] = []
  for (let at = text.indexOf('='); at >= 0; at = text.indexOf('=', at + 1)) {
    const last = text.charAt(at - 1)
    if (last !== 'd' && last !== 'D') continue
    if (!passwordNames.test(text.slice(Math.max(0, at - 10), at))) continue
    const before = text.slice(Math.max(0, at - 200), at)
    if (!/(?:server|data source|host|addr|address|jdbc:\w{1,20}:)[^\n]{0,5}[=/]/i.test(before)) continue
    let end = at + 1
    while (end < text.length && end - at < 200 && !/[;&\s"'`<>]/.test(text.charAt(end))) end++
    if (isRealPassword(text.slice(at + 1, end)))
      found.push({ category: 'connection_string', start: at + 1, end })
  }
  return found
}
