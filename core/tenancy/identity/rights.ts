/** A credential's rights, from its scopes and its user's current role (management contract, section 3). */

import type { OrganisationRole } from '@gateway/contract'
import {
  effectiveSettings,
  roleReach,
  scopesOfRole,
  scopesOfUserKey,
  settingReader,
  type UserData,
} from '@gateway/domain'
import type { Known, Surroundings } from './directory.ts'

/** Whether a user may sign in and send requests. */
export const isActive = (user: Known<UserData> | null): user is Known<UserData> =>
  user !== null && user.document.status === 'active'

const subjectOf = (role: OrganisationRole, { member }: Surroundings) => ({
  organisation: role,
  workspace: member === null || member.document.status !== 'active' ? null : member.data.role,
})

const readerOf = ({ organisation, workspace }: Surroundings) =>
  settingReader(effectiveSettings(organisation?.data ?? null, workspace?.data ?? null))

/** All scopes of a user's role in the workspace, or in the organisation without one. */
export function rightsOfRole(role: OrganisationRole, surroundings: Surroundings): ReadonlySet<string> {
  return new Set(scopesOfRole(subjectOf(role, surroundings), readerOf(surroundings)).keys())
}

/** A user key's scopes, limited to its user's current role. */
export function rightsOfUserKey(
  scopes: readonly string[],
  role: OrganisationRole,
  surroundings: Surroundings,
): ReadonlySet<string> {
  return scopesOfUserKey(scopes, subjectOf(role, surroundings), readerOf(surroundings))
}

/** Scopes, limited to a user's current role. */
export function rightsWithinRole(
  scopes: Iterable<string>,
  role: OrganisationRole,
  surroundings: Surroundings,
): ReadonlySet<string> {
  const subject = subjectOf(role, surroundings)
  const reader = readerOf(surroundings)
  return new Set([...scopes].filter((scope) => roleReach(scope, subject, reader) !== null))
}
