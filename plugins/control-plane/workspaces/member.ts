/** Members of workspaces: their stored form, their form in answers, and their ranks (management.md §6). */
import type { DocumentDraft, DocumentWrite, JsonObject, StoredDocument } from '@gateway/contract'
import {
  childId,
  effectiveSettings,
  kinds,
  type MemberData,
  scopesOfRole,
  settingReader,
  timeOrderedId,
  type UserData,
  type WorkspaceData,
  type WorkspaceRole,
} from '@gateway/domain'
import { type TSchema, Type } from '@sinclair/typebox'
import { type Call, nullable, toIso } from '../engine/index.ts'

export type User = StoredDocument<UserData>
export type Member = StoredDocument<MemberData>

export const memberKey = (workspaceId: string, userId: string) => `member:${workspaceId}/${userId}`

interface NewMember {
  organisationId: string
  workspaceId: string
  user: Pick<User, 'id' | 'data'>
  role: WorkspaceRole
  sourceGroup?: string | null
  nowMs: number
}

/** The stored form of a membership. */
export function memberDraft(made: NewMember): DocumentDraft {
  const { organisationId, workspaceId, user, role, sourceGroup = null, nowMs } = made
  const data: MemberData = { user_id: user.id, role, source_group: sourceGroup }
  return {
    kind: kinds.member,
    id: childId(workspaceId, timeOrderedId(nowMs)),
    organisation_id: organisationId,
    workspace_id: workspaceId,
    slug: null,
    name: user.data.email,
    status: 'active',
    created_at: nowMs,
    last_updated_at: nowMs,
    keys: [memberKey(workspaceId, user.id)],
    attributes: memberAttributes(data, user.data.email),
    data: { ...data },
  }
}

/** A member after the user's e-mail address has changed. */
export function memberWithEmail({ version, ...member }: Member, email: string, nowMs: number): DocumentWrite {
  const document: DocumentDraft = {
    ...member,
    name: email,
    last_updated_at: Math.max(nowMs, member.last_updated_at),
    attributes: memberAttributes(member.data, email),
    data: { ...member.data },
  }
  return { op: 'put', expected: version, document }
}

/** A member after a group has changed the role and its source. */
export function memberWithMembership(
  { version, ...member }: Member,
  membership: Omit<MemberData, 'user_id'>,
  nowMs: number,
): DocumentWrite {
  const document: DocumentDraft = {
    ...member,
    last_updated_at: Math.max(nowMs, member.last_updated_at),
    attributes: { ...member.attributes, role: [membership.role] },
    data: { ...member.data, ...membership },
  }
  return { op: 'put', expected: version, document }
}

const memberAttributes = ({ user_id, role }: MemberData, email: string) => ({
  user_id: [user_id],
  role: [role],
  email: [email.toLowerCase()],
})

/** A role in any letter case. Null if no role has that name. */
export function readRole(written: unknown): WorkspaceRole | null {
  const role = typeof written === 'string' ? written.trim().toLowerCase() : ''
  return role === 'admin' || role === 'manager' || role === 'member' ? role : null
}

export const roleSchema = Type.Unsafe<string>({
  type: 'string',
  pattern: '^\\s*([Aa][Dd][Mm][Ii][Nn]|[Mm][Aa][Nn][Aa][Gg][Ee][Rr]|[Mm][Ee][Mm][Bb][Ee][Rr])\\s*$',
  explain: 'must be admin, manager or member',
})

const ranks: Readonly<Record<WorkspaceRole, number>> = { member: 0, manager: 1, admin: 2 }

export const isAbove = (left: WorkspaceRole, right: WorkspaceRole) => ranks[left] > ranks[right]

/** The caller's own role in a workspace. Service keys act as workspace admins. */
export async function callerRole(call: Call, workspaceId: string): Promise<WorkspaceRole> {
  const { identity } = call
  if (call.seesAllWorkspaces() || identity.role === 'owner' || identity.role === 'admin') return 'admin'
  if (identity.userId === null) return 'admin'
  const found = await call.documents.findByKey(kinds.member, memberKey(workspaceId, identity.userId))
  return found?.data.role ?? 'member'
}

export const memberSchema: TSchema = Type.Object(
  {
    object: Type.Literal('workspace-user'),
    id: Type.String(),
    first_name: nullable(Type.String()),
    last_name: nullable(Type.String()),
    email: nullable(Type.String()),
    org_role: nullable(Type.String()),
    role: Type.String(),
    workspace_id: Type.String(),
    status: nullable(Type.String()),
    scopes: Type.Array(Type.String()),
    source_group: nullable(Type.String()),
    created_at: Type.String(),
    last_updated_at: Type.String(),
  },
  { additionalProperties: false },
)

/** How answers show members, each with its user. */
export async function presentMembers(
  call: Call,
  workspace: StoredDocument<WorkspaceData>,
  members: readonly Member[],
): Promise<JsonObject[]> {
  const users = await usersById(
    call,
    members.map(({ data }) => data.user_id),
  )
  const organisation = await call.organisation()
  const isOn = settingReader(effectiveSettings(organisation.data, workspace.data))
  return members.map((member) => {
    const { user_id: id, role, source_group } = member.data
    const user = users.get(id)
    const subject = { organisation: user?.data.role ?? ('member' as const), workspace: role }
    return {
      object: 'workspace-user',
      id,
      first_name: user?.data.first_name ?? null,
      last_name: user?.data.last_name ?? null,
      email: user?.data.email ?? null,
      org_role: user?.data.role ?? null,
      role,
      workspace_id: member.workspace_id,
      status: user?.status ?? null,
      scopes: [...scopesOfRole(subject, isOn).keys()],
      source_group,
      created_at: toIso(member.created_at),
      last_updated_at: toIso(member.last_updated_at),
    }
  })
}

const idsAtOnce = 200

async function usersById(call: Call, ids: readonly string[]): Promise<ReadonlyMap<string, User>> {
  const users = new Map<string, User>()
  for (let start = 0; start < ids.length; start += idsAtOnce) {
    const wanted = ids.slice(start, start + idsAtOnce)
    const { documents } = await call.documents.list(
      kinds.user,
      { ids: wanted },
      { offset: 0, limit: idsAtOnce },
    )
    for (const document of documents) users.set(document.id, document)
  }
  return users
}

/** Finds a live user of the organisation by id or e-mail address, or returns null. */
export async function findUser(call: Call, idOrEmail: string): Promise<User | null> {
  const found = idOrEmail.includes('@')
    ? await call.documents.findByKey(kinds.user, `email:${idOrEmail.trim().toLowerCase()}`)
    : await call.documents.get(kinds.user, idOrEmail.trim().toLowerCase())
  if (found === null || found.organisation_id !== call.organisationId || found.status === 'archived')
    return null
  return found
}
