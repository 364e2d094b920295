/** The stored contents of requests and answers: without credentials or media, and bounded. */
import { createHash } from 'node:crypto'
import { isObject, type Json, type JsonObject, type LogContents } from '@gateway/contract'
import { hidden } from '../secrets/mask.ts'
import { isSecretHeader, isSecretName } from '../secrets/names.ts'
import { redact } from '../secrets/redact.ts'

interface KeptBody {
  /** JSON. */
  text: string
  isTruncated: boolean
}

/** Members with these names contain base64. */
const mediaNames: ReadonlySet<string> = new Set(['b64_json', 'file_data', 'image_base64', 'audio_base64'])
/** Members that contain base64 when these siblings are present. */
const typedMedia: ReadonlySet<string> = new Set(['data', 'bytes'])
const typeNames = ['format', 'media_type', 'mime_type', 'mimeType', 'id']
const mayHaveMedia = /"data:|b64_json|_data"|_base64"|"(?:data|bytes)"\s*:\s*"/
const base64 = /^[A-Za-z0-9+/_-]+={0,2}$/

/** A body as stored: media replaced by their hash, truncated at the limit. */
export function keptBody(value: unknown, maxBytes: number): KeptBody {
  const plain = JSON.stringify(value ?? null)
  const text = mayHaveMedia.test(plain) ? JSON.stringify(value, withoutMedia) : plain
  // A UTF-16 unit takes at most three bytes of UTF-8.
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return { text, isTruncated: false }
  const cut = Buffer.from(text).subarray(0, maxBytes).toString('utf8').replace(/�$/, '')
  return { text: JSON.stringify(cut), isTruncated: true }
}

/**
 * Stores JSON as it was written, without parsing it. Returns null if that is not possible: the JSON may contain media,
 * is long, or has escapes that a search for its text would not find.
 */
export function keptText(written: string, maxBytes: number): KeptBody | null {
  if (!written.startsWith('{') || written.length * 3 > maxBytes) return null
  const isPlain = !/\\[u/]|\n/.test(written) && !mayHaveMedia.test(written)
  return isPlain ? { text: written, isTruncated: false } : null
}

function withoutMedia(this: unknown, name: string, value: unknown): unknown {
  if (typeof value !== 'string' || value.length < 4) return value
  const url = value.startsWith('data:') ? /^data:[^,]{0,200};base64,/.exec(value) : null
  if (url !== null) return mediaMark(Buffer.from(value.slice(url[0].length), 'base64'))
  const isNamed = mediaNames.has(name)
  const isTyped = typedMedia.has(name) && isObject(this) && typeNames.some((each) => each in this)
  return (isNamed || isTyped) && base64.test(value) ? mediaMark(Buffer.from(value, 'base64')) : value
}

/** The placeholder for bytes: their SHA-256 and length. */
export const mediaMark = (bytes: Buffer): string =>
  markOfMedia(createHash('sha256').update(bytes).digest('hex'), bytes.length)

/** @param sha256 in hexadecimal */
export const markOfMedia = (sha256: string, length: number): string => `[media ${sha256} ${length}]`

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** Headers that contain a slug, not a secret, despite their names. */
const plainHeaders = /-virtual-key$|^idempotency-key$/

const maxHeaderChars = 8192

/**
 * Headers with their credentials hidden.
 * @param isUnread whether a header's value was not understood and may contain
 * anything
 */
export function keptHeaders(
  headers: Headers,
  isUnread: (name: string) => boolean = () => false,
): Record<string, string> {
  const kept: Record<string, string> = {}
  for (const written in headers) {
    const value = headers[written]
    if (value === undefined) continue
    const { name, isSecret } = namedAs(written)
    const text = typeof value === 'string' ? value : value.join(', ')
    kept[name] = isSecret || isUnread(name) || isToken(text) ? hidden : redacted(text)
  }
  return kept
}

/** A JWT is a credential in any header: integrations choose the header that they read it from. */
const jwt = /^(?:bearer )?eyj[\w-]+\.[\w-]+\.[\w-]*$/i
const minTokenChars = 20
const isToken = (text: string): boolean => text.length >= minTokenChars && jwt.test(text)

interface HeaderName {
  /** In lower case. */
  name: string
  isSecret: boolean
}

/** Callers and providers send the same few names repeatedly. */
const knownNames = new Map<string, HeaderName>()
const maxNames = 1000

function namedAs(written: string): HeaderName {
  const known = knownNames.get(written)
  if (known !== undefined) return known
  const name = written.toLowerCase()
  const isSecret = !plainHeaders.test(name) && (isSecretHeader(name) || isSecretName(name))
  const made = { name, isSecret }
  if (knownNames.size < maxNames) knownNames.set(written, made)
  return made
}

/** An inline config may hold a credential, and a URL a password. */
const mayHoldSecret = /^\s*[[{]|^sealed:|^[a-z][a-z0-9+.-]{0,20}:\/\//i
/** Cache for headers that are slow to parse and repeat, such as inline configs. */
const redactedTexts = new Map<string, string>()
const maxTexts = 200

function redacted(text: string): string {
  if (!mayHoldSecret.test(text)) return text.slice(0, maxHeaderChars)
  const known = redactedTexts.get(text)
  if (known !== undefined) return known
  const made = String(redact(text)).slice(0, maxHeaderChars)
  if (redactedTexts.size >= maxTexts) redactedTexts.clear()
  if (text.length <= maxHeaderChars) redactedTexts.set(text, made)
  return made
}

const maxUrlChars = 2048

/** A path with its query, secrets masked. */
export function keptUrl(path: string, search: string, { bodies }: Pick<LogContents, 'bodies'>): string {
  if (search === '' || search === '?' || bodies === 'none') return path.slice(0, maxUrlChars)
  const query = new URLSearchParams(search)
  for (const name of new Set(query.keys()))
    if (isSecretName(name) || isSecretHeader(name)) query.set(name, hidden)
  return `${path}?${query}`.slice(0, maxUrlChars)
}

/** The metadata that may be stored. */
export function keptMetadata(
  metadata: Readonly<Record<string, string>>,
  { bodies }: Pick<LogContents, 'bodies'>,
): Record<string, string> {
  if (bodies !== 'none') return { ...metadata }
  const { _user: user } = metadata
  return user === undefined ? {} : { _user: user }
}

/** The text of a part of an entry, as shown in an answer. */
export function readBody(text: string | null | undefined): Json {
  return text === null || text === undefined ? null : (JSON.parse(text) as Json)
}

/** One side of an exchange without its body, for an entry's details. */
export const keptSide = (side: JsonObject, { bodies }: Pick<LogContents, 'bodies'>): JsonObject =>
  bodies === 'none' ? { ...side, headers: null } : side
