import { isObject, type OrganisationRole, type StoredDocument } from '@gateway/contract'
import type { OrganisationData, UserData, WorkspaceRole } from '@gateway/core/domain'
import { Type } from '@sinclair/typebox'
import type { Call } from '../engine/call.ts'
import { invalidQuery } from '../engine/errors.ts'
import { commaList } from '../engine/query.ts'
import type { Filter } from '../engine/resource.ts'
import { isDomainAllowed } from '../organisations/root-domain.ts'

export type UserDocument = StoredDocument<UserData & { scim_managed?: boolean }>

export const organisationRoles: readonly OrganisationRole[] = ['owner', 'admin', 'member']
export const workspaceRoles: readonly WorkspaceRole[] = ['admin', 'manager', 'member']

/** A role in whatever case it is written; null: none of them. */
export function readRole<Role extends string>(written: unknown, roles: readonly Role[]): Role | null {
  const lower = typeof written === 'string' ? written.toLowerCase() : ''
  return roles.find((role) => role === lower) ?? null
}

/** The roles of a comma list in a query. Errors: `invalid_query`. */
export function readRoles(written: string, roles: readonly string[]): string[] {
  const asked = commaList(written.toLowerCase())
  if (asked.length === 0 || asked.some((role) => !roles.includes(role))) {
    throw invalidQuery('role', `must be a comma list of ${roles.join(', ')}`)
  }
  return asked
}

/** The filters of lists of people and of invites. */
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

/** What a person is found by in lists. */
export const nameOf = ({
  first_name,
  last_name,
  email,
}: Pick<UserData, 'first_name' | 'last_name' | 'email'>) =>
  [first_name, last_name, email]
    .filter((part) => part !== null && part !== '')
    .join(' ')
    .slice(0, 255)

/** Whether the organisation lets people of this e-mail's domain in. */
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

/** Whether somebody may make owners and change them. */
export const isOwner = ({ identity }: Call): boolean => identity.type === 'admin' || identity.role === 'owner'
