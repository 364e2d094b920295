/**
 * Users as an identity provider creates, changes, deactivates and deletes them. The rules for users apply here too.
 * Errors: 400 `invalidValue`, 409 `uniqueness`, 409 for the last owner.
 */
import type { DocumentWrite, StoredDocument } from '@gateway/contract'
import { autoKeyWrites, endUserKeys } from '@gateway/control-plane/api-keys'
import { type Call, index, listAll } from '@gateway/control-plane/engine'
import {
  emailKey,
  endConnections,
  endSessions,
  isEmailAllowed,
  keepAnOwner,
  leaveWrites,
  nameOf,
  users,
} from '@gateway/control-plane/people'
import { memberWithEmail } from '@gateway/control-plane/workspaces'
import { isOfKind, kinds, timeOrderedId, type UserData } from '@gateway/domain'
import { invalid, notUnique } from '../protocol/errors.ts'
import type { UserFields } from './user-fields.ts'

export type UserDocument = StoredDocument<UserData>

async function checkDomain(call: Call, email: string): Promise<void> {
  if (isEmailAllowed((await call.organisation()).data, email)) return
  throw invalid('invalidValue', `The organisation does not allow the domain of ${email}.`)
}

const taken = (email: string) => notUnique(`Another user already has the address ${email}.`)

/** Creates a user. A deactivated or archived one is restored with its id. */
export async function createUser(call: Call<'keyPrefix'>, fields: UserFields): Promise<UserDocument> {
  await checkDomain(call, fields.email)
  const found = await findByEmail(call, fields.email)
  if (found !== null) {
    if (found.status === 'active') throw taken(fields.email)
    return changeUser(call, found, { fields: { ...fields, role: fields.role ?? 'member' }, action: 'create' })
  }
  const data: UserData = {
    email: fields.email,
    first_name: fields.first_name,
    last_name: fields.last_name,
    role: fields.role ?? 'member',
    password_hash: null,
    last_login_at: null,
    scim_managed: true,
    scim: fields.scim,
  }
  const draft = {
    kind: kinds.user,
    id: timeOrderedId(call.nowMs),
    organisation_id: call.organisationId,
    workspace_id: null,
    slug: null,
    name: nameOf(data),
    status: fields.isActive ? 'active' : 'deactivated',
    created_at: call.nowMs,
    last_updated_at: call.nowMs,
    keys: [] as string[],
    attributes: {},
    data,
  }
  index(users, draft)
  return commitUser(call, [{ op: 'put', document: draft, expected: 0 }], {
    action: 'create',
    id: draft.id,
    email: data.email,
    before: null,
    after: summaryOf(data, draft.status),
  })
}

/** A live user with the address, otherwise the one archived last, or null. */
async function findByEmail(call: Call, email: string): Promise<UserDocument | null> {
  const live = await call.documents.findByKey(kinds.user, emailKey(email))
  if (live !== null) {
    if (live.organisation_id !== call.organisationId) throw taken(email)
    return live
  }
  const { documents } = await call.documents.list(
    kinds.user,
    { organisation_id: call.organisationId, statuses: ['archived'], attributes: { email: [email] } },
    { sort: 'last_updated_at', order: 'desc', offset: 0, limit: 1 },
  )
  return documents[0] ?? null
}

interface ChangeUserOptions {
  fields: UserFields
  action?: 'create' | 'update'
}

/** Writes the SCIM attributes over a user. */
export async function changeUser(
  call: Call<'keyPrefix'>,
  before: UserDocument,
  { fields, action = 'update' }: ChangeUserOptions,
): Promise<UserDocument> {
  const { version, ...rest } = before
  const role = fields.role ?? before.data.role
  const status = fields.isActive ? 'active' : 'deactivated'
  const also: DocumentWrite[] = []
  const wasOwner = before.data.role === 'owner' && before.status === 'active'
  if (wasOwner && (role !== 'owner' || status !== 'active'))
    also.push(await keepAnOwner(call, before.data.email))
  const isRenamed = fields.email !== before.data.email
  if (isRenamed) await checkDomain(call, fields.email)
  if (status === 'deactivated' && before.status === 'active') {
    also.push(
      ...(await endSessions(call.documents, before.id, call.nowMs)),
      ...(await endUserKeys(call.documents, { userId: before.id, workspaceId: null, nowMs: call.nowMs })),
      ...(await endConnections(call.documents, before.id)),
    )
  }
  const data: UserData = {
    ...before.data,
    email: fields.email,
    first_name: fields.first_name,
    last_name: fields.last_name,
    role,
    scim_managed: true,
    scim: fields.scim,
  }
  if (isRenamed || (status === 'active' && before.status !== 'active')) {
    also.push(...(await membershipWrites(call, { ...before, data }, isRenamed)))
  }
  const draft = {
    ...rest,
    name: nameOf(data),
    status,
    last_updated_at: Math.max(call.nowMs, before.last_updated_at),
    keys: [] as string[],
    attributes: {},
    data,
  }
  index(users, draft)
  return commitUser(call, [{ op: 'put', document: draft, expected: version }, ...also], {
    action,
    id: before.id,
    email: data.email,
    before: summaryOf(before.data, before.status),
    after: summaryOf(data, status),
  })
}

/** Memberships contain the e-mail address. A restored user gets the keys that members get. */
async function membershipWrites(
  call: Call<'keyPrefix'>,
  user: UserDocument,
  isRenamed: boolean,
): Promise<DocumentWrite[]> {
  const members = await listAll(call, kinds.member, {
    organisation_id: call.organisationId,
    statuses: ['active'],
    attributes: { user_id: [user.id] },
  })
  const writes: DocumentWrite[] = isRenamed
    ? members.map((member) => memberWithEmail(member, user.data.email, call.nowMs))
    : []
  if (user.status === 'active') return writes
  const organisation = await call.organisation()
  for (const { workspace_id: workspaceId, data } of members) {
    const workspace = await call.find(kinds.workspace, workspaceId ?? '', call.organisationId)
    if (workspace === null) continue
    const joining = {
      organisation,
      workspace,
      userId: user.id,
      role: user.data.role,
      workspaceRole: data.role,
      nowMs: call.nowMs,
    }
    writes.push(...(await autoKeyWrites(call.context, joining)))
  }
  return writes
}

/** Archives a user, who leaves every workspace and group. */
export async function deleteUser(call: Call, user: UserDocument): Promise<void> {
  const { version, ...rest } = user
  const isOwner = user.data.role === 'owner' && user.status === 'active'
  const also = [
    ...(isOwner ? [await keepAnOwner(call, user.data.email)] : []),
    ...(await leaveWrites(call, user.id)),
  ]
  const draft = {
    ...rest,
    status: 'archived',
    keys: [] as string[],
    last_updated_at: Math.max(call.nowMs, user.last_updated_at),
    data: { ...user.data, scim_managed: true },
  }
  await call.commit([{ op: 'put', document: draft, expected: version }, ...also], {
    action: 'delete',
    resource_type: 'user',
    resource_id: user.id,
    before: summaryOf(user.data, user.status),
    after: summaryOf(user.data, 'archived'),
  })
}

const summaryOf = ({ email, first_name, last_name, role }: UserData, status: string) => ({
  email,
  first_name,
  last_name,
  role,
  status,
})

interface UserNote {
  action: 'create' | 'update'
  id: string
  email: string
  before: ReturnType<typeof summaryOf> | null
  after: ReturnType<typeof summaryOf>
}

async function commitUser(
  call: Call,
  writes: readonly DocumentWrite[],
  { action, id, email, before, after }: UserNote,
): Promise<UserDocument> {
  try {
    const [stored] = await call.commit(writes, {
      action,
      resource_type: 'user',
      resource_id: id,
      before,
      after,
    })
    if (stored !== undefined && isOfKind(stored, kinds.user)) return stored
    throw new Error('The store returned no user for this write.')
  } catch (error) {
    if (await isTaken(call, id, { email, error })) throw taken(email)
    throw error
  }
}

/** Whether a commit failed because another user now has the address or the name. */
async function isTaken(
  call: Call,
  id: string,
  { email, error }: { email: string; error: unknown },
): Promise<boolean> {
  if (!(error instanceof Error) || !('code' in error) || error.code !== 'conflict') return false
  const other = await call.documents.findByKey(kinds.user, emailKey(email))
  return other === null || other.id !== id
}
