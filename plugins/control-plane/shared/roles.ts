/** Roles of users in bodies and queries. */

import type { OrganisationRole } from '@gateway/contract'
import type { WorkspaceRole } from '@gateway/domain'
import { type Call, commaList, invalidQuery } from '../engine/index.ts'

export const organisationRoles: readonly OrganisationRole[] = ['owner', 'admin', 'member']
export const workspaceRoles: readonly WorkspaceRole[] = ['admin', 'manager', 'member']

/** The role with this name in any letter case, or null. */
export function readRole<Role extends string>(written: unknown, roles: readonly Role[]): Role | null {
  const lower = typeof written === 'string' ? written.toLowerCase() : ''
  return roles.find((role) => role === lower) ?? null
}

/** The roles of a comma-separated list in a query. Errors: `invalid_query`. */
export function readRoles(written: string, roles: readonly string[]): string[] {
  const asked = commaList(written.toLowerCase())
  if (asked.length === 0 || asked.some((role) => !roles.includes(role))) {
    throw invalidQuery('role', `must be a comma-separated list of ${roles.join(', ')}`)
  }
  return asked
}

/** Whether the caller may create and change owners. */
export const isOwner = ({ identity }: Call): boolean => identity.type === 'admin' || identity.role === 'owner'
