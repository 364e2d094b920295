/**
 * A redacted copy for the audit log: members with secret names are hidden, also in JSON texts and in URLs, and so are
 * codes that sign a person in.
 */
import { isObject, type Json, type JsonObject } from '@gateway/contract'
import { mapTexts } from './content.ts'
import { hidden, isMasked } from './mask.ts'
import { isSecretHeader, isSecretName, snakeCase } from './names.ts'

export const redact = (value: Json | undefined): Json =>
  mapTexts(hideMembers(value ?? null, isCode), redactText)

/** Codes of a second factor and of OAuth, as texts, numbers or lists. */
const codes: ReadonlySet<string> = new Set([
  ...['totp', 'otp', 'code', 'code_verifier', 'mfa_code', 'otp_code', 'totp_code', 'one_time_code'],
  ...['recovery_code', 'recovery_codes', 'backup_code', 'backup_codes'],
])

const isCode = (name: string): boolean => codes.has(snakeCase(name))

/** A copy that hides the values of members for which `isHidden` is true; the same value if it has no such members. */
export function hideMembers(value: Json, isHidden: (name: string) => boolean): Json {
  if (Array.isArray(value)) {
    const items = value.map((item) => hideMembers(item, isHidden))
    return items.every((item, index) => item === value[index]) ? value : items
  }
  if (!isObject(value)) return value
  const object: JsonObject = value
  const entries = Object.entries(object).map(([name, member = null]): [string, Json] => {
    if (!isHidden(name)) return [name, hideMembers(member, isHidden)]
    return [name, member === null || isMasked(member) ? member : hidden]
  })
  return entries.every(([name, member]) => member === (object[name] ?? null))
    ? value
    : Object.fromEntries(entries)
}

function redactText(text: string, isSecret: boolean): string {
  if (isSecret) return isMasked(text) ? text : hidden
  if (/^sealed:\d+:/.test(text)) return hidden
  const json = /^\s*[[{]/.test(text) ? parsed(text) : null
  return json === null ? maskUrl(text) : JSON.stringify(redact(json))
}

/** A URL without user and password, and with secret query parameters hidden; other texts unchanged. */
export function redactUrl(text: string): string {
  if (!/^[a-z][a-z0-9+.-]{0,20}:\/\//i.test(text)) return text
  return text
    .replace(userInfo, `$1${hidden}@`)
    .replace(queryMember, (member, before: string, name: string) =>
      isSecretParameter(name) ? `${before}${name}=${hidden}` : member,
    )
}

const signatures: ReadonlySet<string> = new Set(['sig', 'hmac', 'pass', 'pwd'])

const isSecretParameter = (name: string): boolean =>
  isSecretName(name) || isSecretHeader(name) || isCode(name) || signatures.has(name.toLowerCase())

/** A URL as answers show it: a random part of its path, which some services use as the credential, is hidden too. */
export function maskUrl(text: string): string {
  const redacted = redactUrl(text)
  const end = redacted.search(/[?#]/)
  const path = end === -1 ? redacted : redacted.slice(0, end)
  return path.replaceAll(randomSegment, `/${hidden}`) + redacted.slice(path.length)
}

const randomSegment = /\/(?=[^/]*\d)(?=[^/]*[A-Za-z])[\w-]{20,}(?=\/|$)/g

const queryMember = /([?&])([^=&#?]{1,255})=[^&#]*/g

/** `user:password@` of a URL. */
const userInfo = /^([a-z][a-z0-9+.-]{0,20}:\/\/)[^/?#@]{1,1000}@/i

/** Parses a text that may be a JSON config; null when it is not. */
function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}
