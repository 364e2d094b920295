/** Adds users to a workspace, all or none, and archives the objects of members who leave. */

import {
  type DocumentWrite,
  type Fault,
  faultsError,
  isObject,
  type Json,
  type StoredDocument,
} from '@gateway/contract'
import { kinds, type MemberData, type WorkspaceRole } from '@gateway/domain'
import { type Call, conflict, forbidden } from '../engine/index.ts'
import { checkRoleGrant, isOwner } from '../shared/index.ts'
import {
  callerRole,
  findUser,
  isAbove,
  type Member,
  memberDraft,
  memberKey,
  readRole,
  type User,
} from './member.ts'

export interface Joining {
  user: User
  role: WorkspaceRole
  /** The existing membership. */
  present: Member | null
  /** The path of the user in the body. */
  param: string
}

/**
 * Reads `users` of a body: ids or e-mail addresses, alone or with a role. Errors: 400 at `/users/I` for users outside
 * the organisation; `forbidden` for granting or removing a role above the caller's own.
 */
export async function readUsers(
  call: Call,
  workspaceId: string | null,
  { given, fault }: { given: readonly Json[]; fault: (fault: Fault) => void },
): Promise<Joining[]> {
  const own = workspaceId === null ? 'admin' : await callerRole(call, workspaceId)
  const joining = new Map<string, Joining>()
  for (const [index, entry] of given.entries()) {
    const param = `/users/${index}`
    const name = isObject(entry) ? (entry.id ?? entry.email) : entry
    const user = typeof name === 'string' ? await findUser(call, name) : null
    if (user === null) {
      fault({ param, code: 'invalid_body', message: 'is not a user of the organisation' })
      continue
    }
    const present =
      workspaceId === null
        ? null
        : await call.documents.findByKey(kinds.member, memberKey(workspaceId, user.id))
    const role =
      isObject(entry) && entry.role !== undefined ? readRole(entry.role) : (present?.data.role ?? 'member')
    if (role === null) {
      fault({ param: `${param}/role`, code: 'invalid_body', message: 'must be admin, manager or member' })
      continue
    }
    const isChanged = present === null || present.data.role !== role
    if (isChanged && isAbove(role, own))
      throw forbidden('You cannot grant a role above your own.', `${param}/role`)
    if (isChanged && present !== null) refuseBetters(call, { user, role: present.data.role, own, param })
    joining.set(user.id, { user, role, present, param })
  }
  return [...joining.values()]
}

/** Throws `forbidden` for a role with rights that the caller's credential lacks. */
export async function checkRoles(
  call: Call,
  workspaceId: string | null,
  joining: readonly Joining[],
): Promise<void> {
  for (const { role, param } of joining) {
    await checkRoleGrant(call, { workspace: role, workspaceId }, `${param}/role`)
  }
}

/** The writes for the requested memberships. An existing member gets the requested role. */
export function joinWrites(call: Call, workspaceId: string, joining: readonly Joining[]): DocumentWrite[] {
  return joining.flatMap(({ user, role, present }): DocumentWrite[] => {
    if (present === null) {
      const document = memberDraft({
        organisationId: call.organisationId,
        workspaceId,
        user,
        role,
        nowMs: call.nowMs,
      })
      return [{ op: 'put', document, expected: 0 }]
    }
    return present.data.role === role ? [] : [roleWrite(call, present, role)]
  })
}

/** The write that changes a member's role. Errors: `conflict` for a role that a SCIM group granted. */
export function roleWrite(call: Call, member: Member, role: WorkspaceRole): DocumentWrite {
  refuseScim(member)
  const { version, ...rest } = member
  const data: MemberData = { ...member.data, role }
  return {
    op: 'put',
    expected: version,
    document: {
      ...rest,
      last_updated_at: call.nowMs,
      attributes: { ...member.attributes, role: [role] },
      data: { ...data },
    },
  }
}

/**
 * Callers cannot change members with a higher role, and only owners can change owners. Errors: `forbidden` at `param`.
 */
export function refuseBetters(
  call: Call,
  { user, role, own, param }: { user: User; role: WorkspaceRole; own: WorkspaceRole; param: string },
): void {
  if (isAbove(role, own)) throw forbidden('This member has a role above your own.', param)
  if (user.data.role === 'owner' && !isOwner(call))
    throw forbidden('Only an owner can change an owner.', param)
}

export function refuseScim({ data }: Member): void {
  if (data.source_group === null) return
  throw conflict(`This role comes from the SCIM group "${data.source_group}"; change it there.`)
}

/** The write that archives a document and frees its unique keys. */
export function archiveWrite({ version, ...document }: StoredDocument, nowMs: number): DocumentWrite {
  return {
    op: 'put',
    expected: version,
    document: { ...document, status: 'archived', keys: [], last_updated_at: nowMs },
  }
}

/** Throws all recorded errors together. */
export function throwFaults(faults: readonly Fault[]): void {
  if (faults.length > 0) throw faultsError(faults)
}
