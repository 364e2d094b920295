/** The keys of users, and their attributes for lists and SCIM filters. */
import { isObject } from '@gateway/contract'
import type { UserData } from '@gateway/domain'
import { emailKey } from './people.ts'
import { atIssuer } from './session-data.ts'

const lower = (text: string) => text.toLowerCase()

/** The name by which an identity provider knows a user: the e-mail address unless the provider sets another one. */
export const userNameOf = ({ email, scim }: Pick<UserData, 'email' | 'scim'>): string =>
  typeof scim?.userName === 'string' ? scim.userName : email

export const displayNameOf = ({
  first_name,
  last_name,
  scim,
}: Pick<UserData, 'first_name' | 'last_name' | 'scim'>): string =>
  typeof scim?.displayName === 'string'
    ? scim.displayName
    : [first_name, last_name].filter((part) => part !== null && part !== '').join(' ')

/** All attributes except `externalId` are compared in lower case. */
export function userAttributes(data: UserData): Record<string, readonly string[]> {
  const { scim } = data
  const attributes: Record<string, readonly string[]> = {
    role: [data.role],
    email: [lower(data.email)],
    user_name: [lower(userNameOf(data))],
    display_name: [lower(displayNameOf(data))],
  }
  if (typeof scim?.externalId === 'string') attributes.external_id = [scim.externalId]
  const emails = Array.isArray(scim?.emails) ? scim.emails.filter(isObject) : []
  const byType = new Map<string, string[]>([['emails', emails.length === 0 ? [lower(data.email)] : []]])
  for (const { value, type, primary } of emails) {
    if (typeof value !== 'string') continue
    const names = [
      'emails',
      ...(typeof type === 'string' ? [`emails.type=${lower(type)}`] : []),
      ...(primary === true ? ['emails.primary=true'] : []),
    ]
    for (const name of names) byType.set(name, [...(byType.get(name) ?? []), lower(value)])
  }
  return { ...attributes, ...Object.fromEntries(byType) }
}

/** The key of the user who signs in as this subject. */
export const subjectKey = (organisationId: string | null, issuer: string, subject: string): string =>
  `idp-subject:${organisationId}/${atIssuer(issuer, subject)}`

/**
 * Unique among live users: the e-mail address across all organisations; a different user name and the subject of the
 * identity provider within the organisation.
 */
export function userKeys(data: UserData, organisationId: string | null): string[] {
  const userName = lower(userNameOf(data))
  const isAddress = userName === lower(data.email)
  const { identity_provider: bound } = data
  return [
    emailKey(data.email),
    ...(isAddress ? [] : [`user-name:${organisationId}/${userName}`]),
    ...(bound === null || bound === undefined
      ? []
      : [subjectKey(organisationId, bound.issuer, bound.subject)]),
  ]
}
