/**
 * Groups as an identity provider creates, changes and deletes them, with the resulting workspace memberships.
 * Everything is one commit, which raises the group's version: the later of two concurrent changes restarts.
 * Errors: 400 `invalidValue`, 409 `uniqueness`, 409 `conflict` for a second role.
 */
import type { DocumentDraft, DocumentWrite, JsonObject } from '@gateway/contract'
import { type Call, index, listAll } from '@gateway/control-plane/engine'
import { emailKey, users } from '@gateway/control-plane/people'
import {
  childId,
  type DocumentOf,
  derivedId,
  isOfKind,
  kinds,
  type ScimGroupData,
  timeOrderedId,
} from '@gateway/domain'
import { invalid, notUnique } from '../protocol/errors.ts'
import { mappingsOf, namedMappings } from './mappings.ts'
import { type MemberChange, noMemberChange } from './member-change.ts'
import { type Change, membershipWrites } from './memberships.ts'
import { scimSettings } from './name-pattern.ts'
import type { GroupDocument } from './present-groups.ts'

const maxNameChars = 255

export interface GroupFields {
  displayName: string
  externalId: string | null
}

export function groupFields(resource: JsonObject): GroupFields {
  const textOf = (name: string) => {
    const value = resource[name]
    const text = typeof value === 'string' ? value.trim() : ''
    if (text.length <= maxNameChars) return text
    throw invalid('invalidValue', `${name} must not be longer than ${maxNameChars} characters.`)
  }
  const displayName = textOf('displayName')
  if (displayName === '') throw invalid('invalidValue', 'displayName is required.')
  return { displayName, externalId: textOf('externalId') || null }
}

const groupKey = (organisationId: string, displayName: string) =>
  `group:${organisationId}/${displayName.toLowerCase()}`

export const groupNamed = (call: Call, displayName: string): Promise<GroupDocument | null> =>
  call.documents.findByKey(kinds.scimGroup, groupKey(call.organisationId, displayName))

interface GroupDraftOptions {
  groupFields: GroupFields
  isAdopted: boolean
}

/** The stored form of a group. */
export function groupDraft(
  call: Call,
  id: string,
  { groupFields: { displayName, externalId }, isAdopted }: GroupDraftOptions,
): DocumentDraft {
  const data: ScimGroupData = { display_name: displayName, external_id: externalId, is_adopted: isAdopted }
  return {
    kind: kinds.scimGroup,
    id,
    organisation_id: call.organisationId,
    workspace_id: null,
    slug: null,
    name: displayName,
    status: 'active',
    created_at: call.nowMs,
    last_updated_at: call.nowMs,
    keys: [groupKey(call.organisationId, displayName)],
    attributes: {
      display_name: [displayName.toLowerCase()],
      ...(externalId === null ? {} : { external_id: [externalId] }),
    },
    data: { ...data },
  }
}

/** A new group, or a group that a mapping created before the provider sent it. */
export async function createGroup(
  call: Call<'keyPrefix'>,
  fields: GroupFields,
  members: MemberChange,
): Promise<GroupDocument> {
  const found = await groupNamed(call, fields.displayName)
  if (found?.data.is_adopted === true) throw taken(fields.displayName)
  return writeGroup(call, found, {
    id: found?.id ?? timeOrderedId(call.nowMs),
    fields,
    asked: members,
    action: 'create',
  })
}

const taken = (displayName: string) => notUnique(`Another group already has the name "${displayName}".`)

interface ChangeGroupOptions {
  fields: GroupFields
  members?: MemberChange
}

export const changeGroup = (
  call: Call<'keyPrefix'>,
  group: GroupDocument,
  { fields, members = noMemberChange }: ChangeGroupOptions,
): Promise<GroupDocument> =>
  writeGroup(call, group, { id: group.id, fields, asked: members, action: 'update' })

interface WriteGroupOptions {
  id: string
  fields: GroupFields
  asked: MemberChange
  action: 'create' | 'update'
}

async function writeGroup(
  call: Call<'keyPrefix'>,
  before: GroupDocument | null,
  { id, fields, asked, action }: WriteGroupOptions,
): Promise<GroupDocument> {
  const other = await groupNamed(call, fields.displayName)
  if (other !== null && other.id !== id) throw taken(fields.displayName)
  const settings = scimSettings((await call.organisation()).data)
  const draft = groupDraft(call, id, { groupFields: fields, isAdopted: true })
  const document: DocumentDraft =
    before === null
      ? draft
      : {
          ...draft,
          created_at: before.created_at,
          last_updated_at: Math.max(call.nowMs, before.last_updated_at),
        }
  const members = await memberWrites(call, id, {
    isStored: before !== null,
    asked,
    revives: settings.revives,
  })
  const present = before === null ? [] : await mappingsOf(call, id)
  const named = await namedMappings(call, { id, displayName: fields.displayName }, { present, settings })
  const isRenamed = before !== null && before.data.display_name !== fields.displayName
  // A new name or mapping affects all members; other changes only those who join or leave.
  const isForAll = named.writes.length > 0 || isRenamed
  const change: Change = {
    userIds: isForAll
      ? [...(await members.everyone()), ...members.left]
      : [...members.joined, ...members.left],
    workspaceIds: named.workspaceIds,
    group: { id, name: fields.displayName },
    isMember: await members.membership(isForAll),
    mappings: named.mappings,
    newWorkspace: named.newWorkspace === null ? null : { ...named.newWorkspace },
    users: members.users,
  }
  const writes: DocumentWrite[] = [
    { op: 'put', document, expected: before?.version ?? 0 },
    ...named.writes,
    ...members.writes,
    ...(await membershipWrites(call, change)),
  ]
  const stored = await call.commit(writes, {
    action,
    resource_type: 'scim-group',
    resource_id: id,
    before: before === null ? null : summaryOf(before.data),
    after: summaryOf({ display_name: fields.displayName, external_id: fields.externalId }),
    details: { members_added: members.joined.length, members_removed: members.left.length },
  })
  const [group] = stored
  if (group !== undefined && isOfKind(group, kinds.scimGroup)) return group
  throw new Error('The store returned no group for this write.')
}

const summaryOf = ({ display_name, external_id }: Pick<ScimGroupData, 'display_name' | 'external_id'>) => ({
  display_name,
  external_id,
})

/** The ids of a membership, and of one stored by an older version. */
function memberIds(groupId: string, userId: string): { id: string; former: string } {
  const former = derivedId(`${kinds.scimGroupMember}\n${groupId}\n${userId}`)
  return { id: childId(groupId, former), former }
}

const idsAtOnce = 500

async function listByIds<Kind extends string>(
  call: Call,
  kind: Kind,
  ids: readonly string[],
): Promise<DocumentOf<Kind>[]> {
  const found: DocumentOf<Kind>[] = []
  for (let start = 0; start < ids.length; start += idsAtOnce) {
    const page = { offset: 0, limit: idsAtOnce }
    found.push(
      ...(await call.documents.list(kind, { ids: ids.slice(start, start + idsAtOnce) }, page)).documents,
    )
  }
  return found
}

/** All members of a group. */
export const membersOfGroup = (call: Call, groupId: string) =>
  listAll(call, kinds.scimGroupMember, {
    organisation_id: call.organisationId,
    attributes: { group_id: [groupId] },
  })

interface MemberWritesOptions {
  isStored: boolean
  asked: MemberChange
  revives: boolean
}

/** The difference between the requested members and the current ones. */
async function memberWrites(call: Call, groupId: string, { isStored, asked, revives }: MemberWritesOptions) {
  const { added, users, writes } = await readAdded(call, asked.added, revives)
  const idsOf = new Map(
    [...added, ...asked.removed].map((userId) => [userId, memberIds(groupId, userId)] as const),
  )
  const isWhole = asked.isWhole && isStored
  const present = !isStored
    ? []
    : isWhole
      ? await membersOfGroup(call, groupId)
      : await listByIds(
          call,
          kinds.scimGroupMember,
          [...idsOf.values()].flatMap(({ id, former }) => [id, former]),
        )
  const addedIds = new Set(added)
  const there = new Set(present.map(({ data }) => data.user_id))
  const joined = added.filter((id) => !there.has(id))
  const gone = present.filter(({ data }) =>
    isWhole ? !addedIds.has(data.user_id) : asked.removed.has(data.user_id),
  )
  const leaving = new Set(gone.map(({ data }) => data.user_id))
  writes.push(
    ...joined.map(
      // Quiet, because requests depend only on the workspace memberships.
      (userId): DocumentWrite => ({
        op: 'put',
        document: memberDocument(call, {
          id: idsOf.get(userId)?.id ?? memberIds(groupId, userId).id,
          groupId,
          userId,
        }),
        isQuiet: true,
      }),
    ),
    ...gone.map(
      ({ id, version }): DocumentWrite => ({
        op: 'remove',
        kind: kinds.scimGroupMember,
        id,
        expected: version,
      }),
    ),
  )
  const joining = new Set(joined)
  const everyone = async () => {
    const stored = isStored && !isWhole ? await membersOfGroup(call, groupId) : present
    const ids = stored.map(({ data }) => data.user_id).filter((id) => !leaving.has(id))
    return [...new Set([...ids, ...joined])]
  }
  return {
    writes,
    joined,
    left: [...leaving],
    users,
    everyone,
    /** Whether a user is in the group after the commit; reads only the affected users unless all are. */
    async membership(isForAll: boolean): Promise<(userId: string) => boolean> {
      if (!isForAll) return (userId) => joining.has(userId)
      const all = new Set(await everyone())
      return (userId) => all.has(userId)
    },
  }
}

interface MemberDocumentOptions {
  id: string
  groupId: string
  userId: string
}

function memberDocument(call: Call, { id, groupId, userId }: MemberDocumentOptions): DocumentDraft {
  return {
    kind: kinds.scimGroupMember,
    id,
    organisation_id: call.organisationId,
    workspace_id: null,
    slug: null,
    name: null,
    status: 'active',
    created_at: call.nowMs,
    last_updated_at: call.nowMs,
    keys: [],
    attributes: { group_id: [groupId], user_id: [userId] },
    data: { group_id: groupId, user_id: userId },
  }
}

/**
 * Users of the organisation. Archived ones are omitted or restored. Errors: 400 `invalidValue` for unknown ones.
 * @returns in `users` the requested users, in their future state
 */
async function readAdded(call: Call, ids: ReadonlySet<string>, revives: boolean) {
  const found = await listByIds(call, kinds.user, [...ids])
  const known = new Map(
    found.flatMap((user) => (user.organisation_id === call.organisationId ? [[user.id, user] as const] : [])),
  )
  const unknown = [...ids].find((id) => !known.has(id))
  if (unknown !== undefined) throw invalid('invalidValue', `No user has the id "${unknown.slice(0, 100)}".`)
  const writes: DocumentWrite[] = []
  const users = new Map(known)
  for (const user of known.values()) {
    if (user.status !== 'archived' || !revives) continue
    const alive = await revivedUser(call, user)
    writes.push({ op: 'put', document: alive.draft, expected: user.version })
    users.set(user.id, { ...user, status: 'active', data: alive.data })
  }
  const added = [...ids].filter((id) => users.get(id)?.status !== 'archived')
  return { added, users, writes }
}

/** Restores a user as a member of the organisation, independent of the previous role. */
async function revivedUser(call: Call, { version: _, ...user }: DocumentOf<'user'>) {
  const other = await call.documents.findByKey(kinds.user, emailKey(user.data.email))
  if (other !== null) throw notUnique(`Another user now has the address ${user.data.email}.`)
  const data = { ...user.data, role: 'member' as const, scim_managed: true }
  const draft = {
    ...user,
    status: 'active',
    last_updated_at: call.nowMs,
    keys: [] as string[],
    attributes: {},
    data,
  }
  index(users, draft)
  return { draft: { ...draft, data: { ...data } }, data }
}

/** Deletes a group, its mappings and the memberships that it granted. Workspaces stay. */
export async function deleteGroup(call: Call<'keyPrefix'>, group: GroupDocument): Promise<void> {
  const members = await membersOfGroup(call, group.id)
  const mappings = await mappingsOf(call, group.id)
  const writes: DocumentWrite[] = [
    { op: 'remove', kind: kinds.scimGroup, id: group.id, expected: group.version },
    ...mappings.map(
      ({ id, version }): DocumentWrite => ({ op: 'remove', kind: kinds.scimMapping, id, expected: version }),
    ),
    ...members.map(
      ({ id, version }): DocumentWrite => ({
        op: 'remove',
        kind: kinds.scimGroupMember,
        id,
        expected: version,
      }),
    ),
    ...(await membershipWrites(call, {
      userIds: members.map(({ data }) => data.user_id),
      workspaceIds: mappings.map(({ data }) => data.workspace_id),
      group: { id: group.id, name: group.data.display_name },
      isMember: () => false,
      mappings: [],
    })),
  ]
  await call.commit(writes, {
    action: 'delete',
    resource_type: 'scim-group',
    resource_id: group.id,
    before: summaryOf(group.data),
    after: {},
  })
}
