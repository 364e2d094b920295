/** Determines a workspace membership from a user's groups and manual assignments. */
import type { MemberData, WorkspaceRole } from '@gateway/domain'

/** A role that a group grants. */
export interface Grant {
  groupId: string
  groupName: string
  role: WorkspaceRole
}

export type Membership = Required<Omit<MemberData, 'user_id'>>

const ranks: Readonly<Record<WorkspaceRole, number>> = { member: 0, manager: 1, admin: 2 }

/** The role assigned manually, or null. */
const ownRoleOf = (present: MemberData | null): WorkspaceRole | null => {
  if (present === null) return null
  return present.source_group === null ? present.role : (present.own_role ?? null)
}

/**
 * The highest role applies; among equal ones that of a group, among groups that of the earliest mapping. Null if the
 * user is not a member.
 * @param keeps whether a role from a group stays as if assigned manually
 */
export function decideMembership(
  present: MemberData | null,
  grants: readonly Grant[],
  keeps = false,
): Membership | null {
  const own = keeps && present !== null ? present.role : ownRoleOf(present)
  const best = grants.reduce<Grant | null>(
    (highest, grant) => (highest === null || ranks[grant.role] > ranks[highest.role] ? grant : highest),
    null,
  )
  if (best === null || (own !== null && ranks[own] > ranks[best.role])) {
    return own === null ? null : { role: own, source_group: null, source_group_id: null, own_role: null }
  }
  return { role: best.role, source_group: best.groupName, source_group_id: best.groupId, own_role: own }
}

export const isSameMembership = (present: MemberData, wanted: Membership): boolean =>
  present.role === wanted.role &&
  present.source_group === wanted.source_group &&
  (present.source_group_id ?? null) === wanted.source_group_id &&
  (present.own_role ?? null) === wanted.own_role
