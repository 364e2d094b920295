/** Reads a person from the claims of an ID token. */
import { isObject, type Json, type JsonObject, type OrganisationRole } from '@gateway/contract'
import { organisationRoles } from '../../shared/index.ts'

export interface Person {
  subject: string
  /** The identity provider's session id, for signing out. Null if the token has none. */
  session: string | null
  /** The e-mail address in lower case; null if the token has none. */
  email: string | null
  /** Whether the identity provider vouches that the address is the person's. */
  isEmailVouched: boolean
  /** Whether the identity provider reports the address as not verified. */
  isEmailDenied: boolean
  firstName: string
  lastName: string | null
}

const address = /^[^@\s]{1,200}@[^@\s]{1,200}$/
const maxNameChars = 255

/** @param trustsEmail whether an address is the person's unless the token denies it */
export function personOf(claims: JsonObject, trustsEmail: boolean): Person {
  const isAddress = (one: Json | undefined): one is string => typeof one === 'string' && address.test(one)
  const email = [claims.email, claims.preferred_username].find(isAddress) ?? null
  const { email_verified: verified } = claims
  const isVerified = verified === true || verified === 'true'
  const isDenied = verified === false || verified === 'false'
  const whole = textOf(claims.name).trim()
  const given = textOf(claims.given_name) || (whole.split(/\s+/)[0] ?? '')
  const family = textOf(claims.family_name) || whole.split(/\s+/).slice(1).join(' ')
  return {
    subject: textOf(claims.sub),
    session: textOf(claims.sid) || null,
    email: email?.toLowerCase() ?? null,
    // The person may choose any text as the preferred name.
    isEmailVouched: isAddress(claims.email) && (isVerified || (trustsEmail && !isDenied)),
    isEmailDenied: isDenied,
    firstName: (given || (email ?? '').split('@', 1)[0] || 'Unknown').slice(0, maxNameChars),
    lastName: family === '' ? null : family.slice(0, maxNameChars),
  }
}

const textOf = (value: Json | undefined) => (typeof value === 'string' ? value : '')

/** The highest role in a claim (a string or a list) at a dotted path; otherwise `member`. */
export function roleOf(claims: JsonObject, path: string | null): OrganisationRole {
  if (path === null) return 'member'
  const value = memberAt(claims, path)
  const names = (Array.isArray(value) ? value : [value]).map((one) => textOf(one ?? undefined).toLowerCase())
  return organisationRoles.find((role) => names.includes(role)) ?? 'member'
}

/** A claim whose name contains dots has precedence over a path. */
function memberAt(claims: JsonObject, path: string): Json {
  if (Object.hasOwn(claims, path)) return claims[path] ?? null
  let value: Json = claims
  for (const name of path.split('.')) {
    if (!isObject(value) || !Object.hasOwn(value, name)) return null
    value = value[name] ?? null
  }
  return value
}
