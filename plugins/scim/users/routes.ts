/** `/Users` (management contract, section 9). */
import type { DocumentFilter, Route, ServiceAnswer } from '@gateway/contract'
import { type Call, type ManagementContext, notFound, untilUncontested } from '@gateway/control-plane/engine'
import { kinds } from '@gateway/domain'
import { type Index, toStoreFilter } from '../filter/to-condition.ts'
import { readOperations } from '../patch/operations.ts'
import { type Asked, listResponse, readAsked, readSearch } from '../protocol/paging.ts'
import { type Projection, readProjection } from '../protocol/projection.ts'
import { listQuery, oneQuery } from '../protocol/queries.ts'
import { readResource } from '../protocol/read-resource.ts'
import { noContent, type ScimRoute, scimAnswer, scimRoute } from '../protocol/route.ts'
import { userType } from '../protocol/user-schema.ts'
import { answerResource, checkVersion } from '../protocol/version.ts'
import { patchedFields } from './patched-fields.ts'
import { presentUsers } from './present-users.ts'
import { fieldsOf } from './user-fields.ts'
import { changeUser, createUser, deleteUser, type UserDocument } from './write-user.ts'

const index: Index = {
  title: 'Users',
  urn: userType.schema.id,
  attributes: {
    id: { kind: 'id' },
    username: { kind: 'text', attribute: 'user_name' },
    externalid: { kind: 'text', attribute: 'external_id', isCaseExact: true },
    displayname: { kind: 'text', attribute: 'display_name' },
    emails: { kind: 'items', attribute: 'emails' },
    'emails.value': { kind: 'text', attribute: 'emails' },
    active: { kind: 'active' },
    'meta.lastmodified': { kind: 'time', time: 'last_updated_at' },
    'meta.created': { kind: 'time', time: 'created_at' },
  },
}

const live = ['active', 'deactivated']
const urns = [userType.schema.id, ...userType.extensions.map(({ id }) => id)]
const audit = (action: string) => ({ action, resource_type: 'user' })

async function list(call: Call<'publicUrl'>, asked: Asked): Promise<ServiceAnswer> {
  const filter: DocumentFilter = {
    organisation_id: call.organisationId,
    statuses: live,
    ...(asked.filter === null ? {} : await toStoreFilter(asked.filter, index)),
  }
  const { total, documents } = await call.documents.list(kinds.user, filter, {
    sort: 'created_at',
    order: 'asc',
    offset: asked.startIndex - 1,
    limit: Math.max(1, asked.count),
  })
  const page = asked.count === 0 ? [] : documents
  return scimAnswer(listResponse(total, asked, await presentUsers(call, page, asked.projection)))
}

async function locate(call: Call): Promise<UserDocument> {
  const found = await call.documents.get(kinds.user, call.request.params.id ?? '')
  const isLive =
    found !== null && found.organisation_id === call.organisationId && live.includes(found.status)
  if (!isLive) throw notFound('path/id', 'user')
  return found
}

async function answer(
  call: Call<'publicUrl'>,
  user: UserDocument,
  { projection, status = 200 }: { projection: Projection; status?: number },
): Promise<ServiceAnswer> {
  const [shown = {}] = await presentUsers(call, [user], projection)
  return answerResource(call, user.version, { resource: shown, status })
}

type Need = 'keyPrefix' | 'publicUrl'

const change = (call: Call<Need>, read: (user: UserDocument) => ReturnType<typeof fieldsOf>) =>
  untilUncontested(call, 'user', async () => {
    const user = await locate(call)
    checkVersion(call, user.version)
    return answer(call, await changeUser(call, user, { fields: read(user) }), {
      projection: readProjection(call.request.query),
    })
  })

const create = (call: Call<Need>) =>
  untilUncontested(call, 'user', async () => {
    const user = await createUser(call, fieldsOf(readResource(userType, call.sent)))
    return answer(call, user, { projection: readProjection(call.request.query), status: 201 })
  })

const remove = (call: Call<Need>) =>
  untilUncontested(call, 'user', async () => {
    const user = await locate(call)
    checkVersion(call, user.version)
    await deleteUser(call, user)
    return noContent()
  })

const routes: readonly ScimRoute<Need>[] = [
  {
    method: 'GET',
    path: '/Users',
    operationId: 'scimUserList',
    summary: 'Lists users, optionally by a filter',
    query: listQuery,
    handle: async (call) => list(call, readAsked(call.request.query)),
  },
  {
    method: 'POST',
    path: '/Users/.search',
    operationId: 'scimUserSearch',
    summary: 'Searches for users by a filter in the body',
    hasBody: true,
    audit: audit('list'),
    handle: async (call) => list(call, readSearch(call.sent)),
  },
  {
    method: 'POST',
    path: '/Users',
    operationId: 'scimUserCreate',
    summary: 'Creates a user, or restores one that was deactivated or deleted',
    query: oneQuery,
    hasBody: true,
    audit: audit('create'),
    handle: create,
  },
  {
    method: 'GET',
    path: '/Users/:id',
    operationId: 'scimUserRead',
    summary: 'Returns a user',
    query: oneQuery,
    handle: async (call) =>
      answer(call, await locate(call), { projection: readProjection(call.request.query) }),
  },
  {
    method: 'PUT',
    path: '/Users/:id',
    operationId: 'scimUserReplace',
    summary: 'Replaces the attributes of a user',
    query: oneQuery,
    hasBody: true,
    audit: audit('update'),
    handle: (call) => change(call, () => fieldsOf(readResource(userType, call.sent))),
  },
  {
    method: 'PATCH',
    path: '/Users/:id',
    operationId: 'scimUserPatch',
    summary: 'Changes attributes of a user in one step',
    query: oneQuery,
    hasBody: true,
    audit: audit('update'),
    handle: (call) =>
      change(call, ({ data, status }) => patchedFields(data, status, readOperations(call.sent, urns))),
  },
  {
    method: 'DELETE',
    path: '/Users/:id',
    operationId: 'scimUserDelete',
    summary: 'Deletes a user and their memberships in workspaces and groups',
    audit: audit('delete'),
    handle: remove,
  },
]

export const userRoutes = (context: ManagementContext<Need>): Route[] =>
  routes.map((route) => scimRoute(context, route))
