/** `/scim/groups`: the groups that an identity provider has sent, for mapping them (management contract, section 9). */
import type { DocumentFilter, JsonObject, Route } from '@gateway/contract'
import {
  type Call,
  listAll,
  listAnswer,
  type ManagementContext,
  pagingOf,
  plainRoute,
} from '@gateway/control-plane/engine'
import { kinds } from '@gateway/domain'
import { presentMapping } from './mappings.ts'
import { groupList, groupQuery } from './schemas.ts'

async function list(call: Call): Promise<JsonObject> {
  const paging = pagingOf(call.query)
  const { search } = call.query
  const filter: DocumentFilter = {
    organisation_id: call.organisationId,
    statuses: ['active'],
    ...(search === undefined ? {} : { search: String(search) }),
  }
  const { total, documents } = await call.documents.list(kinds.scimGroup, filter, {
    sort: 'name',
    order: 'asc',
    offset: paging.current_page * paging.page_size,
    limit: paging.page_size,
  })
  const ids = documents.map(({ id }) => id)
  const mappings =
    ids.length === 0
      ? []
      : await listAll(call, kinds.scimMapping, { statuses: ['active'], attributes: { group_id: ids } })
  const counts = await Promise.all(ids.map((id) => countMembers(call, id)))
  const data = documents.map(({ id, data: { display_name, external_id } }, index) => ({
    id,
    display_name,
    external_id,
    member_count: counts[index] ?? 0,
    mappings: mappings
      .filter((one) => one.data.group_id === id)
      .map((one) => presentMapping(one, display_name)),
  }))
  return listAnswer(data, total, paging)
}

async function countMembers(call: Call, groupId: string): Promise<number> {
  const filter = { organisation_id: call.organisationId, attributes: { group_id: [groupId] } }
  return (await call.documents.list(kinds.scimGroupMember, filter, { offset: 0, limit: 1 })).total
}

export const groupListRoute = (context: ManagementContext): Route =>
  plainRoute(context, {
    method: 'GET',
    path: '/v1/scim/groups',
    operationId: 'scimGroupOverview',
    summary: 'Lists the groups of the identity provider with their mappings',
    tag: 'SCIM',
    scope: 'scim_mappings.list',
    query: groupQuery,
    answer: groupList,
    audit: { action: 'read', resource_type: 'scim-group' },
    handle: list,
  })
