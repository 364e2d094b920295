/** A redacted copy for the audit log: members with secret names are hidden, also in JSON texts and in URLs. */
import type { Json } from '@gateway/contract'
import { mapTexts } from './content.ts'
import { hidden, isMasked } from './mask.ts'
import { isSecretHeader, isSecretName } from './names.ts'

export const redact = (value: Json | undefined): Json => mapTexts(value ?? null, redactText)

function redactText(text: string, isSecret: boolean): string {
  if (isSecret) return isMasked(text) ? text : hidden
  if (/^sealed:\d+:/.test(text)) return hidden
  const json = /^\s*[[{]/.test(text) ? parsed(text) : null
  return json === null ? redactUrl(text) : JSON.stringify(redact(json))
}

/** A URL without user and password, and with secret query parameters hidden; other texts unchanged. */
export function redactUrl(text: string): string {
  if (!/^[a-z][a-z0-9+.-]{0,20}:\/\//i.test(text)) return text
  return text
    .replace(userInfo, `$1${hidden}@`)
    .replace(queryMember, (member, before: string, name: string) =>
      isSecretName(name) || isSecretHeader(name) ? `${before}${name}=${hidden}` : member,
    )
}

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
