import { isObject, type StoredDocument } from '@gateway/contract'
import type { OrganisationData, UserData } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import { commaList, type Filter } from '../engine/index.ts'
import { organisationRoles, readRoles } from '../shared/index.ts'

export type UserDocument = StoredDocument<UserData>

/** The filters for lists of users and of invites. */
export const personFilters: Readonly<Record<'role' | 'email', Filter>> = {
  role: {
    schema: Type.String(),
    apply(value, filter) {
      filter.attributes = { ...filter.attributes, role: readRoles(value, organisationRoles) }
    },
  },
  email: {
    schema: Type.String(),
    apply(value, filter) {
      filter.attributes = { ...filter.attributes, email: commaList(value.toLowerCase()) }
    },
  },
}

export const emailKey = (email: string) => `email:${email.toLowerCase()}`

/** The name that searches and sorting in lists use. */
export const nameOf = ({
  first_name,
  last_name,
  email,
}: Pick<UserData, 'first_name' | 'last_name' | 'email'>) =>
  [first_name, last_name, email]
    .filter((part) => part !== null && part !== '')
    .join(' ')
    .slice(0, 255)

/** Whether the organisation admits users with this e-mail address's domain. */
export function isEmailAllowed({ auth_settings }: OrganisationData, email: string): boolean {
  const listed = auth_settings.allowed_domains
  const domains = Array.isArray(listed) ? listed.filter(isObject) : []
  return isDomainAllowed(
    email,
    domains.map(({ domain, allow_subdomains }) => ({
      domain: String(domain),
      allow_subdomains: allow_subdomains === true,
    })),
  )
}

/**
 * Whether a user with this e-mail address may belong to an organisation with these domains. An empty list allows any.
 */
function isDomainAllowed(
  email: string,
  domains: readonly { domain: string; allow_subdomains?: boolean }[],
): boolean {
  if (domains.length === 0) return true
  const own = email.slice(email.lastIndexOf('@') + 1).toLowerCase()
  return domains.some(({ domain, allow_subdomains = false }) => {
    const listed = domain.toLowerCase()
    return own === listed || (allow_subdomains && own.endsWith(`.${listed}`))
  })
}
