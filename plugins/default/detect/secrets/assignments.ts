/**
 * Secret values assigned to a name such as `password`: in code, JSON, YAML, shells, headers. The value must look
 * random.
 */
import { isWord } from '../characters.ts'
import type { SecretCategory } from './categories.ts'
import { isToken } from './tokens.ts'

interface Value {
  category: SecretCategory
  start: number
  end: number
}

const longestName = 48
const longestValue = 512
const shortestValue = 16

/** The value around a long token, if its name is that of a secret and it looks like one. */
export function matchAssignment(text: string, tokenStart: number, tokenEnd: number): Value | null {
  const { start, end } = widen(text, tokenStart, tokenEnd)
  // A function call is code.
  if (end - start < shortestValue || end - start > longestValue || text[end] === '(') return null
  const name = nameBefore(text, start)
  if (name === '') return null
  const value = text.slice(start, end)
  const category = categoryOf(name, value)
  return category === null ? null : { category, start, end }
}

/** Characters of base64 that tokens do not have. */
const isSign = (letter: string) =>
  letter === '+' || letter === '/' || letter === '=' || letter === '.' || letter === '~'

function widen(text: string, from: number, to: number): { start: number; end: number } {
  let start = from
  let end = to
  while (tokenEndsWide(text, start - 1) && to - start <= longestValue) start--
  while (
    end < text.length &&
    end - from <= longestValue &&
    (isSign(text.charAt(end)) || isToken(text.charCodeAt(end)))
  )
    end++
  while (end > to && (text[end - 1] === '.' || text[end - 1] === '~')) end--
  return { start, end }
}

/** To the left, `=` assigns and `.` ends a sentence. */
function tokenEndsWide(text: string, at: number): boolean {
  const letter = text.charAt(at)
  return letter === '+' || letter === '/' || letter === '~' || isToken(text.charCodeAt(at))
}

/** The name to which the value at `start` is assigned; `bearer` after that word in a header. */
function nameBefore(text: string, start: number): string {
  let at = start
  at = skipBack(text, { from: at, letters: ' \t"\'`(\\', most: 4 })
  if (/\bbearer$/i.test(text.slice(Math.max(0, at - 7), at)) && at < start) return 'bearer'
  const assigned = at
  at = skipBack(text, { from: at, letters: '=:>', most: 3 })
  if (at === assigned) return ''
  at = skipBack(text, { from: at, letters: ' \t"\'`\\]', most: 5 })
  const end = at
  while (
    end - at < longestName &&
    (isWord(text.charCodeAt(at - 1)) || text[at - 1] === '-' || text[at - 1] === '.')
  )
    at--
  return text.slice(at, end).toLowerCase()
}

interface SkipBackOptions {
  from: number
  letters: string
  most: number
}

function skipBack(text: string, { from, letters, most }: SkipBackOptions): number {
  let at = from
  while (at > 0 && from - at < most && letters.includes(text.charAt(at - 1))) at--
  return at
}

const secretNames =
  /secret|token|passw|pwd|passphrase|credential|api[_.-]?key|access[_.-]?key|private[_.-]?key|(?:account|auth|encrypt\w*|signing|master|service|subscription|deploy|license|ssh)[_.-]?key|^bearer$|authorization/
/** Names that contain one of the words but mean something public. */
const publicNames =
  /public|tokens$|token_(?:type|count|limit|budget)|max_|csrf|_id$|_url$|_uri$|_name$|_file$|_path$|fingerprint|checksum|digest/

function categoryOf(name: string, value: string): SecretCategory | null {
  if (/^(?:shared(?:access|secret)?key|accountkey|sharedaccesskey)$/.test(name) && value.length >= 40)
    return 'azure'
  if (name === 'sig' && value.length >= 40) return 'azure'
  if (!secretNames.test(name) || publicNames.test(name) || !looksRandom(value)) return null
  return name.includes('aws') && /^[A-Za-z0-9+/]{40}$/.test(value) ? 'aws' : 'high_entropy'
}

const examples = /example|placeholder|changeme|your[_-]|dummy|sample|redacted|insert|xxxx|<|\.\.\./i
/** Bits per character. */
const leastEntropyOfHex = 2.8
const leastEntropy = 3.3

/** Random text uses its letters evenly, has digits or both cases, and does not consist of words. */
function looksRandom(value: string): boolean {
  if (examples.test(value) || isWords(value) || isUuidLike(value)) return false
  const isHexadecimal = /^[0-9a-fA-F-]+$/.test(value)
  if (isHexadecimal && !/[a-fA-F]/.test(value)) return false
  return entropyOf(value) >= (isHexadecimal ? leastEntropyOfHex : leastEntropy)
}

/** Names in code: words joined by hyphens, underscores, dots, slashes or capital letters. */
function isWords(value: string): boolean {
  const pieces = value.match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+/g) ?? []
  const letters = pieces.reduce((sum, piece) => sum + piece.length, 0)
  const shortestWord = /\d/.test(value) ? 4 : 3
  const words = pieces.filter((piece) => piece.length >= shortestWord && isWordlike(piece))
  const inWords = words.reduce((sum, piece) => sum + piece.length, 0)
  const isOneCase = !/[a-z]/.test(value) || !/[A-Z]/.test(value)
  // Random letters of one case sometimes look like words; mixed-case ones consist of short runs.
  if (isOneCase && /\d/.test(value) && !/[-_./]/.test(value)) return false
  return inWords >= leastWords * letters
}

const leastWords = 0.6
const isWordlike = (piece: string) => /[aeiouy]/i.test(piece) && !/[^aeiouy]{5}/i.test(piece)

/** Identifiers are not secret. */
const isUuidLike = (value: string) =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(value)

/** Shannon entropy in bits per character: https://doi.org/10.1002/j.1538-7305.1948.tb01338.x */
function entropyOf(value: string): number {
  const counts = new Map<string, number>()
  for (const letter of value) counts.set(letter, (counts.get(letter) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length)
  return bits
}
