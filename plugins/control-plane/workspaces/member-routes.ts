/** Members of a workspace: `/workspaces/{id}/users` (management.md §6). */

import type { DocumentFilter, Fault, Json, ServiceAnswer, StoredDocument } from '@gateway/contract'
import { isOfKind, isSame, kinds, type WorkspaceData, type WorkspaceRole } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import { autoKeysFor, endUserKeys } from '../api-keys/index.ts'
import {
  answerOne,
  type Call,
  checkIfMatch,
  commaList,
  conflict,
  deletedSchema,
  type ExtraRoute,
  forbidden,
  listAnswer,
  listSchema,
  notFound,
  orderOf,
  pagingOf,
} from '../engine/index.ts'
import { checkRoleGrant, pageQuery, readRoles, workspaceRoles } from '../shared/index.ts'
import {
  checkRoles,
  joinWrites,
  readUsers,
  refuseBetters,
  refuseScim,
  roleWrite,
  throwFaults,
} from './join.ts'
import {
  callerRole,
  findUser,
  isAbove,
  type Member,
  memberKey,
  memberSchema,
  presentMembers,
  readRole,
  roleSchema,
  type User,
} from './member.ts'

type Workspace = StoredDocument<WorkspaceData>

const text = Type.Optional(Type.String({ minLength: 1, maxLength: 255 }))

const oneOf = (...values: string[]) => Type.Optional(Type.Union(values.map((value) => Type.Literal(value))))

const listQuery = Type.Object({
  ...pageQuery.properties,
  sort: oneOf('created_at', 'last_updated_at', 'name'),
  order: oneOf('desc', 'asc'),
  role: text,
  email: text,
  search: text,
})

/** An unknown role is reported at its own path, which a union schema cannot do. */
const person = { role: Type.Optional(Type.String({ maxLength: 255 })) }
const closed = { additionalProperties: false }
const joinBody = Type.Object(
  {
    users: Type.Array(
      Type.Union([
        Type.Object({ id: Type.String({ minLength: 1 }), ...person }, closed),
        Type.Object({ email: Type.String({ minLength: 3 }), ...person }, closed),
      ]),
      { minItems: 1, maxItems: 100 },
    ),
  },
  closed,
)

/** Accepts a member as an answer shows it. */
const roleBody = Type.Object({ ...Type.Partial(memberSchema).properties, role: roleSchema }, closed)

const membersAnswer = listSchema(memberSchema)
const auditType = 'workspace-user'

export const memberRoutes: readonly ExtraRoute<WorkspaceData, 'keyPrefix'>[] = [
  {
    method: 'GET',
    path: '/:id/users',
    operationId: 'workspaceUserList',
    summary: 'Lists the members of a workspace',
    action: null,
    scopes: ['workspace_users.list'],
    query: listQuery,
    answer: membersAnswer,
    handle: list,
  },
  {
    method: 'POST',
    path: '/:id/users',
    operationId: 'workspaceUserCreate',
    summary: 'Adds users of the organisation to a workspace in one step',
    action: null,
    scopes: ['workspace_users.create'],
    body: joinBody,
    isBodyOptional: false,
    answer: membersAnswer,
    auditAction: 'create',
    handle: join,
  },
  {
    method: 'GET',
    path: '/:id/users/:userId',
    operationId: 'workspaceUserRead',
    summary: 'Returns a member of a workspace',
    action: null,
    scopes: ['workspace_users.read'],
    answer: memberSchema,
    handle: async (call, workspace) => one(call, workspace, (await memberOf(call, workspace)).member),
  },
  ...(['PUT', 'PATCH'] as const).map(
    (method): ExtraRoute<WorkspaceData> => ({
      method,
      path: '/:id/users/:userId',
      operationId: method === 'PUT' ? 'workspaceUserUpdate' : 'workspaceUserPatch',
      summary: 'Changes the role of a member of a workspace',
      action: null,
      scopes: ['workspace_users.update'],
      body: roleBody,
      answer: memberSchema,
      auditAction: 'update',
      handle: changeRole,
    }),
  ),
  {
    method: 'DELETE',
    path: '/:id/users/:userId',
    operationId: 'workspaceUserDelete',
    summary: 'Removes a member of a workspace and archives their keys there',
    action: null,
    scopes: ['workspace_users.delete'],
    answer: deletedSchema(auditType),
    auditAction: 'delete',
    handle: remove,
  },
]

async function list(call: Call, workspace: Workspace): Promise<Json> {
  const paging = pagingOf(call.query)
  const filter: DocumentFilter = {
    organisation_id: call.organisationId,
    workspace_ids: [workspace.id],
    statuses: ['active'],
  }
  const { role, email, search } = call.query
  const attributes: Record<string, readonly string[]> = {}
  if (role !== undefined) attributes.role = readRoles(String(role), workspaceRoles)
  if (email !== undefined) attributes.email = commaList(String(email).toLowerCase())
  if (Object.keys(attributes).length > 0) filter.attributes = attributes
  if (search !== undefined) filter.search = String(search)
  const { total, documents } = await call.documents.list(kinds.member, filter, {
    ...orderOf(call.query),
    offset: paging.current_page * paging.page_size,
    limit: paging.page_size,
  })
  return listAnswer(await presentMembers(call, workspace, documents), total, paging)
}

/** Errors: 400 at `/users/I`, `conflict` for an existing member. */
async function join(call: Call<'keyPrefix'>, workspace: Workspace): Promise<Json> {
  const faults: Fault[] = []
  const given = Array.isArray(call.body.users) ? call.body.users : []
  const joining = await readUsers(call, workspace.id, { given, fault: (fault) => faults.push(fault) })
  throwFaults(faults)
  const there = joining.find(({ present }) => present !== null)
  if (there !== undefined)
    throw conflict(`${there.user.data.email} is already a member of this workspace.`, '/users')
  await checkRoles(call, workspace.id, joining)
  const keys = await autoKeysFor(call, workspace, joining)
  const stored = await call.commit([...joinWrites(call, workspace.id, joining), ...keys], {
    action: 'create',
    resource_type: auditType,
    resource_id: joining.map(({ user }) => user.id).join(','),
    workspace_id: workspace.id,
    after: Object.fromEntries(joining.map(({ user, role }) => [user.id, { role }])),
  })
  const members = stored.filter((document) => isOfKind(document, kinds.member))
  const shown = await presentMembers(call, workspace, members)
  return listAnswer(shown, shown.length, { current_page: 0, page_size: 100 })
}

interface Named {
  member: Member
  user: User
}

/** The member that the path names by id or e-mail address. */
async function memberOf(call: Call, workspace: Workspace): Promise<Named> {
  const user = await findUser(call, call.request.params.userId ?? '')
  const found =
    user === null ? null : await call.documents.findByKey(kinds.member, memberKey(workspace.id, user.id))
  if (user === null || found === null) throw notFound('path/userId', 'member')
  return { member: found, user }
}

async function one(call: Call, workspace: Workspace, member: Member): Promise<ServiceAnswer> {
  const [shown = {}] = await presentMembers(call, workspace, [member])
  return answerOne(call.request, member.version, shown)
}

async function changeRole(call: Call, workspace: Workspace): Promise<ServiceAnswer> {
  const named = await memberOf(call, workspace)
  const { member } = named
  checkIfMatch(call.request, member.version)
  await checkReadOnly(call, workspace, member)
  const role = readRole(call.body.role) ?? 'member'
  await checkRank(call, workspace, { named, role })
  const [stored] = await call.commit([roleWrite(call, member, role)], {
    action: 'update',
    resource_type: auditType,
    resource_id: member.data.user_id,
    workspace_id: workspace.id,
    before: { role: member.data.role },
    after: { role },
  })
  return one(call, workspace, (stored ?? member) as Member)
}

/** All members of the body except the role must be unchanged. */
async function checkReadOnly(call: Call, workspace: Workspace, member: Member): Promise<void> {
  const { role: _, ...sent } = call.body
  if (Object.keys(sent).length === 0) return
  const [shown = {}] = await presentMembers(call, workspace, [member])
  throwFaults(
    Object.entries(sent)
      .filter(([name, value]) => !isSame(value, shown[name]))
      .map(([name]) => ({ param: `/${name}`, code: 'invalid_body', message: 'is read-only' })),
  )
}

async function remove(call: Call, workspace: Workspace): Promise<Json> {
  const named = await memberOf(call, workspace)
  const { id, data, version } = named.member
  checkIfMatch(call.request, version)
  refuseScim(named.member)
  await checkRank(call, workspace, { named, role: data.role })
  const keys = await endUserKeys(call.documents, {
    userId: data.user_id,
    workspaceId: workspace.id,
    nowMs: call.nowMs,
  })
  await call.commit([{ op: 'remove', kind: kinds.member, id, expected: version }, ...keys], {
    action: 'delete',
    resource_type: auditType,
    resource_id: data.user_id,
    workspace_id: workspace.id,
    before: { role: data.role },
    after: {},
  })
  return { id: data.user_id, object: auditType, deleted: true }
}

/** Refuses roles above the caller's own, and changes to members with a higher role. */
async function checkRank(
  call: Call,
  workspace: Workspace,
  { named: { member, user }, role }: { named: Named; role: WorkspaceRole },
): Promise<void> {
  const own = await callerRole(call, workspace.id)
  refuseBetters(call, { user, role: member.data.role, own, param: 'path/userId' })
  if (isAbove(role, own)) throw forbidden('You cannot grant a role above your own.', '/role')
  if (role !== member.data.role) {
    await checkRoleGrant(call, { workspace: role, workspaceId: workspace.id }, '/role')
  }
}
