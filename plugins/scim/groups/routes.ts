/** `/Groups` (management contract, section 9). */
import type { DocumentCondition, DocumentFilter, Route, ServiceAnswer, TextTest } from '@gateway/contract'
import { type Call, type ManagementContext, notFound, untilUncontested } from '@gateway/control-plane/engine'
import { kinds } from '@gateway/domain'
import { type Index, toStoreFilter } from '../filter/to-condition.ts'
import { applyOperations } from '../patch/apply-operations.ts'
import { readOperations } from '../patch/operations.ts'
import { invalid } from '../protocol/errors.ts'
import { groupType } from '../protocol/group-schema.ts'
import { type Asked, listResponse, readAsked, readSearch } from '../protocol/paging.ts'
import { type Projection, readProjection } from '../protocol/projection.ts'
import { listQuery, oneQuery } from '../protocol/queries.ts'
import { readResource } from '../protocol/read-resource.ts'
import { noContent, type ScimRoute, scimAnswer, scimRoute } from '../protocol/route.ts'
import { answerResource, checkVersion, versionOf } from '../protocol/version.ts'
import { isMembersOperation, memberChangeOf, noMemberChange, wholeMembers } from './member-change.ts'
import { type GroupDocument, presentGroups } from './present-groups.ts'
import { changeGroup, createGroup, deleteGroup, groupFields } from './write-group.ts'

const attributes: Index['attributes'] = {
  id: { kind: 'id' },
  displayname: { kind: 'text', attribute: 'display_name' },
  externalid: { kind: 'text', attribute: 'external_id', isCaseExact: true },
  members: { kind: 'members' },
  'members.value': { kind: 'members' },
  'meta.lastmodified': { kind: 'time', time: 'last_updated_at' },
  'meta.created': { kind: 'time', time: 'created_at' },
}

/** The most groups that a filter by members may match. */
const maxGroups = 5000

const indexOf = (call: Call): Index => ({
  title: 'Groups',
  urn: groupType.schema.id,
  attributes,
  groupsWith: (test) => groupsWith(call, test),
})

/** A filter by one member matches few groups; others may have to scan all groups. */
async function groupsWith(call: Call, test: TextTest | null): Promise<readonly string[]> {
  const where: DocumentCondition = { attribute: 'user_id', ...(test === null ? {} : { test }) }
  const filter: DocumentFilter = {
    organisation_id: call.organisationId,
    ...(test?.op === 'equals' ? { attributes: { user_id: [test.value] } } : { where }),
  }
  const ids = new Set<string>()
  for (let offset = 0; ; ) {
    const { documents, total } = await call.documents.list(kinds.scimGroupMember, filter, {
      sort: 'id',
      order: 'asc',
      offset,
      limit: 1000,
    })
    for (const { data } of documents) ids.add(data.group_id)
    if (ids.size > maxGroups)
      throw invalid('tooMany', `The filter matches more than ${maxGroups} groups by members.`)
    offset += documents.length
    if (documents.length === 0 || offset >= total) return [...ids]
  }
}

const audit = (action: string) => ({ action, resource_type: 'scim-group' })

async function list(call: Call<'publicUrl'>, asked: Asked): Promise<ServiceAnswer> {
  const filter: DocumentFilter = {
    organisation_id: call.organisationId,
    statuses: ['active'],
    ...(asked.filter === null ? {} : await toStoreFilter(asked.filter, indexOf(call))),
  }
  const { total, documents } = await call.documents.list(kinds.scimGroup, filter, {
    sort: 'created_at',
    order: 'asc',
    offset: asked.startIndex - 1,
    limit: Math.max(1, asked.count),
  })
  const page = asked.count === 0 ? [] : documents
  return scimAnswer(listResponse(total, asked, await presentGroups(call, page, asked.projection)))
}

async function locate(call: Call): Promise<GroupDocument> {
  const found = await call.documents.get(kinds.scimGroup, call.request.params.id ?? '')
  if (found === null || found.organisation_id !== call.organisationId) throw notFound('path/id', 'group')
  return found
}

async function answer(
  call: Call<'publicUrl'>,
  group: GroupDocument,
  { projection, status = 200 }: { projection: Projection; status?: number },
): Promise<ServiceAnswer> {
  const [shown = {}] = await presentGroups(call, [group], projection)
  return answerResource(call, group.version, { resource: shown, status })
}

/** A PATCH that concerns only members always gets a 204 without a body. */
async function patch(call: Call<Need>): Promise<ServiceAnswer> {
  const group = await locate(call)
  checkVersion(call, group.version)
  const operations = readOperations(call.sent, [groupType.schema.id])
  const ofMembers = operations.filter(isMembersOperation)
  const ofGroup = operations.filter((operation) => !isMembersOperation(operation))
  const { display_name: displayName, external_id: externalId } = group.data
  const before = { displayName, ...(externalId === null ? {} : { externalId }) }
  const fields = groupFields(applyOperations(groupType, before, ofGroup))
  const changed = await changeGroup(call, group, { fields, members: memberChangeOf(ofMembers) })
  if (ofGroup.length === 0) return noContent({ etag: versionOf(changed.version) })
  return answer(call, changed, { projection: readProjection(call.request.query) })
}

async function replace(call: Call<Need>): Promise<ServiceAnswer> {
  const group = await locate(call)
  checkVersion(call, group.version)
  const resource = readResource(groupType, call.sent)
  const members = wholeMembers(resource.members ?? null)
  return answer(call, await changeGroup(call, group, { fields: groupFields(resource), members }), {
    projection: readProjection(call.request.query),
  })
}

async function create(call: Call<Need>): Promise<ServiceAnswer> {
  const resource = readResource(groupType, call.sent)
  const members = resource.members === undefined ? noMemberChange : wholeMembers(resource.members)
  const group = await createGroup(call, groupFields(resource), members)
  return answer(call, group, { projection: readProjection(call.request.query), status: 201 })
}

async function remove(call: Call<Need>): Promise<ServiceAnswer> {
  const group = await locate(call)
  checkVersion(call, group.version)
  await deleteGroup(call, group)
  return noContent()
}

type Need = 'keyPrefix' | 'publicUrl'

const writing = (run: (call: Call<Need>) => Promise<ServiceAnswer>) => (call: Call<Need>) =>
  untilUncontested(call, 'group', () => run(call))

const routes: readonly ScimRoute<Need>[] = [
  {
    method: 'GET',
    path: '/Groups',
    operationId: 'scimGroupList',
    summary: 'Lists groups, optionally by a filter',
    query: listQuery,
    handle: async (call) => list(call, readAsked(call.request.query)),
  },
  {
    method: 'POST',
    path: '/Groups/.search',
    operationId: 'scimGroupSearch',
    summary: 'Searches for groups by a filter in the body',
    hasBody: true,
    audit: audit('list'),
    handle: async (call) => list(call, readSearch(call.sent)),
  },
  {
    method: 'POST',
    path: '/Groups',
    operationId: 'scimGroupCreate',
    summary: 'Creates a group, or adopts one that a mapping names',
    query: oneQuery,
    hasBody: true,
    audit: audit('create'),
    handle: writing(create),
  },
  {
    method: 'GET',
    path: '/Groups/:id',
    operationId: 'scimGroupRead',
    summary: 'Returns a group',
    query: oneQuery,
    handle: async (call) =>
      answer(call, await locate(call), { projection: readProjection(call.request.query) }),
  },
  {
    method: 'PUT',
    path: '/Groups/:id',
    operationId: 'scimGroupReplace',
    summary: 'Replaces a group and its members',
    query: oneQuery,
    hasBody: true,
    audit: audit('update'),
    handle: writing(replace),
  },
  {
    method: 'PATCH',
    path: '/Groups/:id',
    operationId: 'scimGroupPatch',
    summary: 'Changes a group in one step',
    query: oneQuery,
    hasBody: true,
    audit: audit('update'),
    handle: writing(patch),
  },
  {
    method: 'DELETE',
    path: '/Groups/:id',
    operationId: 'scimGroupDelete',
    summary: 'Deletes a group, its mappings and the memberships that it granted',
    audit: audit('delete'),
    handle: writing(remove),
  },
]

export const groupRoutes = (context: ManagementContext<Need>): Route[] =>
  routes.map((route) => scimRoute(context, route))
