/** Detects and splits JWTs, and reads their claims by dotted names. Errors: `jwt_malformed`. */
import { GatewayError, isObject, type JsonObject } from '@gateway/contract'

export interface DecodedToken {
  header: JsonObject
  payload: JsonObject
}

/** Longer tokens are not parsed. */
const maxChars = 16_384

/** Header and claims, not verified. */
export function decodeToken(token: string): DecodedToken {
  if (token.length > maxChars) {
    throw malformed(`The token has ${token.length} characters; at most ${maxChars} are read.`)
  }
  const [header = '', payload = ''] = token.split('.')
  return { header: decodePart(header, 'header'), payload: decodePart(payload, 'payload') }
}

function decodePart(part: string, what: string): JsonObject {
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
  } catch (cause) {
    throw malformed(`The token's ${what} is not JSON in base64url.`, cause)
  }
  if (!isObject(value)) throw malformed(`The token's ${what} is not a JSON object.`)
  return value
}

const malformed = (message: string, cause?: unknown) => new GatewayError('jwt_malformed', message, { cause })

/** The first existing claim of several names; a name can be a plain name or a dotted path. */
export function claimOf(payload: JsonObject, names: readonly string[]): unknown {
  for (const name of names) {
    const value = Object.hasOwn(payload, name) ? payload[name] : at(payload, name.split('.'))
    if (value !== undefined && value !== null) return value
  }
  return undefined
}

/** The same, if the claim is text. */
export function textClaimOf(payload: JsonObject, names: readonly string[]): string | null {
  const value = claimOf(payload, names)
  return typeof value === 'string' && value !== '' ? value : null
}

function at(value: unknown, path: readonly string[]): unknown {
  let here = value
  for (const member of path) {
    if (!isObject(here) || !Object.hasOwn(here, member)) return undefined
    here = here[member]
  }
  return here
}
