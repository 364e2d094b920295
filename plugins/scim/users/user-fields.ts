/**
 * Converts a SCIM user to the fields of a user document, and back. Attributes from the identity provider are stored as
 * sent; e-mail address, names, role and status are those of the user document, including changes made outside SCIM.
 * Errors: 400 `invalidValue`, `tooMany`.
 */
import { isObject, type Json, type JsonObject, type OrganisationRole } from '@gateway/contract'
import { displayNameOf, userNameOf } from '@gateway/control-plane/people'
import type { UserData } from '@gateway/domain'
import { invalid } from '../protocol/errors.ts'

/** The fields of a user that a SCIM resource determines. */
export interface UserFields {
  email: string
  first_name: string
  last_name: string | null
  /** Null if the resource does not contain it. */
  role: OrganisationRole | null
  isActive: boolean
  scim: JsonObject
}

const maxNameChars = 255
const maxEmailChars = 255
const maxBytes = 65_536
const address = /^[^@\s]+@[^@\s]+$/
const roles: readonly OrganisationRole[] = ['owner', 'admin', 'member']

/** Stored in other members of the user. */
const ownMembers = ['id', 'meta', 'groups', 'schemas', 'active', 'roles']

/** @param resource as returned by `readResource` */
export function fieldsOf(resource: JsonObject): UserFields {
  const userName = textOf(resource.userName).trim()
  if (userName === '') throw invalid('invalidValue', 'userName is required.')
  for (const name of ['userName', 'displayName', 'externalId']) {
    if (textOf(resource[name]).length > maxNameChars) {
      throw invalid('invalidValue', `${name} must not be longer than ${maxNameChars} characters.`)
    }
  }
  const { given, family } = namesOf(resource)
  const email = emailOf(userName, resource.emails ?? null)
  const scim = {
    ...Object.fromEntries(Object.entries(resource).filter(([name]) => !ownMembers.includes(name))),
    userName,
  }
  if (Buffer.byteLength(JSON.stringify(scim)) > maxBytes) {
    throw invalid('tooMany', `A user must not be larger than ${maxBytes} bytes.`)
  }
  return {
    email: email.toLowerCase(),
    first_name: (given ?? email.slice(0, email.indexOf('@'))).slice(0, maxNameChars),
    last_name: family === null ? null : family.slice(0, maxNameChars),
    role: roleOf(resource.roles ?? null),
    isActive: resource.active !== false,
    scim,
  }
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

/** The user name if it is an e-mail address; otherwise the primary e-mail address, otherwise the first one. */
function emailOf(userName: string, emails: Json): string {
  const list = (Array.isArray(emails) ? emails : []).filter(isObject)
  for (const { value } of list) {
    if (textOf(value).length > maxEmailChars) {
      throw invalid('invalidValue', `An e-mail address must not be longer than ${maxEmailChars} characters.`)
    }
  }
  if (address.test(userName)) return userName
  const primary = list.find((one) => one.primary === true) ?? list[0]
  const email = textOf(primary?.value).trim()
  if (address.test(email)) return email
  throw invalid('invalidValue', 'userName must be an e-mail address unless a primary e-mail address is sent.')
}

function namesOf({ name, displayName }: JsonObject): { given: string | null; family: string | null } {
  const parts = isObject(name) ? name : {}
  const given = textOf(parts.givenName)
  const family = textOf(parts.familyName)
  if (given !== '' || family !== '')
    return { given: given || family, family: given === '' ? null : family || null }
  const shown = (textOf(parts.formatted) || textOf(displayName)).trim()
  if (shown === '') return { given: null, family: null }
  const [first = '', ...more] = shown.split(/\s+/)
  return { given: first, family: more.join(' ') || null }
}

function roleOf(written: Json): OrganisationRole | null {
  if (!Array.isArray(written)) return null
  const named = written.map((one) =>
    textOf(isObject(one) ? one.value : one)
      .trim()
      .toLowerCase(),
  )
  return roles.find((role) => named.includes(role)) ?? 'member'
}

/** All attributes except `groups` and `meta`. */
export function resourceOf(data: UserData, status: string): JsonObject {
  const { scim, email, first_name, last_name, role } = data
  const kept: JsonObject = { ...scim }
  const { name, ...others } = kept
  const emails = Array.isArray(kept.emails) ? kept.emails : [{ value: email, type: 'work', primary: true }]
  return {
    ...others,
    userName: userNameOf(data),
    name: {
      ...withoutStale(name ?? null, data),
      givenName: first_name,
      ...(last_name === null ? {} : { familyName: last_name }),
    },
    displayName: displayNameOf(data),
    emails,
    active: status === 'active',
    roles: [{ value: role, primary: true }],
  }
}

/** Removes a full name whose parts have changed since. */
function withoutStale(name: Json, { first_name, last_name }: UserData): JsonObject {
  if (!isObject(name)) return {}
  const { formatted, familyName: _, givenName: __, ...rest } = name
  const isCurrent =
    typeof formatted === 'string' &&
    formatted.includes(first_name) &&
    (last_name === null || formatted.includes(last_name))
  return isCurrent ? { formatted, ...rest } : rest
}
