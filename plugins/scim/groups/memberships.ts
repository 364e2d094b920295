/**
 * Memberships of workspaces that follow from groups, as writes for the commit that changes a group, its members or its
 * mappings. Every such commit raises the group's version, so that two concurrent ones cannot both decide.
 */
import type { DocumentFilter, DocumentWrite, StoredDocument } from '@gateway/contract'
import { autoKeyWrites, endKeysOfUsers } from '@gateway/control-plane/api-keys'
import { type Call, listAll } from '@gateway/control-plane/engine'
import { memberDraft, memberWithMembership } from '@gateway/control-plane/workspaces'
import { kinds, type ScimMappingData, type UserData, type WorkspaceData } from '@gateway/domain'
import { decideMembership, type Grant, isSameMembership } from './decide-membership.ts'

export type Mapping = Pick<ScimMappingData, 'group_id' | 'workspace_id' | 'role'>

/** The state after the commit. */
export interface Change {
  /** The users whose memberships are decided again. */
  userIds: readonly string[]
  workspaceIds: readonly string[]
  group: { id: string; name: string }
  /** Whether a user is in the group after the commit; everyone else is unchanged. */
  isMember(userId: string): boolean
  /** The mappings of the group after the commit, or the stored ones. */
  mappings?: readonly Mapping[]
  /** A workspace that the same commit creates. */
  newWorkspace?: Pick<StoredDocument<WorkspaceData>, 'id' | 'organisation_id' | 'data'> | null
  /** Users that were read already, in their future state; others are read. */
  users?: ReadonlyMap<string, StoredDocument<UserData>>
  /** Whether members stay, as if assigned manually. */
  keeps?: boolean
}

const usersAtOnce = 500

export async function membershipWrites(call: Call<'keyPrefix'>, change: Change): Promise<DocumentWrite[]> {
  if (change.userIds.length === 0 || change.workspaceIds.length === 0) return []
  const mappings = await mappingsAfter(call, change)
  const names = await groupNames(call, change, mappings)
  const writes: DocumentWrite[] = []
  for (let start = 0; start < change.userIds.length; start += usersAtOnce) {
    const userIds = change.userIds.slice(start, start + usersAtOnce)
    const groupsOf = await groupsAfter(call, change, { mappings, userIds })
    const users = await usersOf(call, change, userIds)
    for (const workspaceId of change.workspaceIds) {
      const workspace =
        change.newWorkspace?.id === workspaceId
          ? change.newWorkspace
          : await call.find(kinds.workspace, workspaceId, call.organisationId)
      if (workspace === null) continue
      const grants = (userId: string): Grant[] =>
        mappings.flatMap(({ workspace_id, group_id, role }) =>
          workspace_id === workspaceId && groupsOf(userId).has(group_id)
            ? [{ groupId: group_id, groupName: names.get(group_id) ?? '', role }]
            : [],
        )
      writes.push(...(await inWorkspace(call, { workspace, users, grants, keeps: change.keeps === true })))
    }
  }
  return writes
}

/** In order of creation. */
async function mappingsAfter(call: Call, { group, workspaceIds, mappings }: Change): Promise<Mapping[]> {
  const stored = await listAll(call, kinds.scimMapping, {
    organisation_id: call.organisationId,
    workspace_ids: [...workspaceIds],
    statuses: ['active'],
  })
  const others = stored
    .map(({ data }) => data)
    .filter(({ group_id }) => mappings === undefined || group_id !== group.id)
  return [...others, ...(mappings ?? [])]
}

async function groupNames(
  call: Call,
  { group }: Change,
  mappings: readonly Mapping[],
): Promise<Map<string, string>> {
  const ids = [...new Set(mappings.map(({ group_id }) => group_id))].filter((id) => id !== group.id)
  const found = ids.length === 0 ? [] : await listAll(call, kinds.scimGroup, { ids })
  return new Map([[group.id, group.name], ...found.map(({ id, data }) => [id, data.display_name] as const)])
}

interface GroupsAfterOptions {
  mappings: readonly Mapping[]
  userIds: readonly string[]
}

async function groupsAfter(
  call: Call,
  { group, isMember }: Change,
  { mappings, userIds }: GroupsAfterOptions,
): Promise<(userId: string) => ReadonlySet<string>> {
  const others = [...new Set(mappings.map(({ group_id }) => group_id))].filter((id) => id !== group.id)
  const filter: DocumentFilter = {
    organisation_id: call.organisationId,
    attributes: { user_id: userIds, group_id: others },
  }
  const stored = others.length === 0 ? [] : await listAll(call, kinds.scimGroupMember, filter)
  const found = new Map<string, Set<string>>()
  for (const { data } of stored) {
    found.set(data.user_id, (found.get(data.user_id) ?? new Set()).add(data.group_id))
  }
  return (userId) => {
    const groups = found.get(userId) ?? new Set()
    return isMember(userId) ? new Set([...groups, group.id]) : groups
  }
}

async function usersOf(
  call: Call,
  { users = new Map() }: Change,
  userIds: readonly string[],
): Promise<StoredDocument<UserData>[]> {
  const unread = userIds.filter((id) => !users.has(id))
  const stored = unread.length === 0 ? [] : await listAll(call, kinds.user, { ids: unread })
  const known = userIds.flatMap((id) => users.get(id) ?? [])
  return [...known, ...stored]
}

interface Decision {
  workspace: Pick<StoredDocument<WorkspaceData>, 'id' | 'organisation_id' | 'data'>
  users: readonly StoredDocument<UserData>[]
  grants(userId: string): readonly Grant[]
  keeps: boolean
}

async function inWorkspace(
  call: Call<'keyPrefix'>,
  { workspace, users, grants, keeps }: Decision,
): Promise<DocumentWrite[]> {
  const stored = await listAll(call, kinds.member, {
    workspace_ids: [workspace.id],
    statuses: ['active'],
    attributes: { user_id: users.map(({ id }) => id) },
  })
  const members = new Map(stored.map((member) => [member.data.user_id, member]))
  const writes: DocumentWrite[] = []
  const left: string[] = []
  for (const user of users) {
    const present = members.get(user.id) ?? null
    const wanted = decideMembership(present?.data ?? null, grants(user.id), keeps)
    if (wanted === null) {
      if (present === null) continue
      writes.push({ op: 'remove', kind: kinds.member, id: present.id, expected: present.version })
      left.push(user.id)
    } else if (present !== null) {
      if (!isSameMembership(present.data, wanted)) {
        writes.push(memberWithMembership(present, wanted, call.nowMs))
      }
    } else {
      const made = { organisationId: call.organisationId, workspaceId: workspace.id, user, nowMs: call.nowMs }
      const draft = memberDraft({ ...made, role: wanted.role })
      const document = { ...draft, data: { ...draft.data, ...wanted } }
      writes.push(
        { op: 'put', document, expected: 0 },
        ...(await keysFor(call, workspace, { user, role: wanted.role })),
      )
    }
  }
  return [
    ...writes,
    ...(await endKeysOfUsers(call.documents, left, { workspaceId: workspace.id, nowMs: call.nowMs })),
  ]
}

/** Users who may not sign in get no key until they may sign in again. */
async function keysFor(
  call: Call<'keyPrefix'>,
  workspace: Decision['workspace'],
  { user, role }: { user: StoredDocument<UserData>; role: ScimMappingData['role'] },
): Promise<DocumentWrite[]> {
  if (user.status !== 'active') return []
  return autoKeyWrites(call.context, {
    organisation: await call.organisation(),
    workspace,
    userId: user.id,
    role: user.data.role,
    workspaceRole: role,
    nowMs: call.nowMs,
  })
}
