/** `/scim/workspaces`: the roles of groups in workspaces (management contract, section 9). */
import {
  type DocumentFilter,
  type DocumentWrite,
  type Fault,
  faultsError,
  GatewayError,
  type JsonObject,
  type Route,
} from '@gateway/contract'
import {
  type Call,
  conflict,
  isId,
  listAll,
  listAnswer,
  type ManagementContext,
  notFound,
  plainRoute,
  toIso,
  untilUncontested,
} from '@gateway/control-plane/engine'
import { checkRoleGrant } from '@gateway/control-plane/shared'
import { readRole } from '@gateway/control-plane/workspaces'
import { isOfKind, kinds, timeOrderedId, type WorkspaceRole } from '@gateway/domain'
import { checkRole, type MappingDocument, mappingDraft, mappingsOf } from '../groups/mappings.ts'
import { membershipWrites } from '../groups/memberships.ts'
import { readName, scimSettings } from '../groups/name-pattern.ts'
import type { GroupDocument } from '../groups/present-groups.ts'
import { groupDraft, groupNamed, membersOfGroup } from '../groups/write-group.ts'
import { deletedMapping, listQuery, mappingBody, mappingList, mappingSchema } from './schemas.ts'

const auditType = 'scim-mapping'
const path = '/v1/scim/workspaces'

export function presentMapping(mapping: MappingDocument, groupName: string): JsonObject {
  const { data } = mapping
  return {
    id: mapping.id,
    object: auditType,
    name: null,
    slug: null,
    organisation_id: mapping.organisation_id,
    workspace_id: data.workspace_id,
    scim_group: groupName,
    scim_group_id: data.group_id,
    role: data.role,
    status: mapping.status,
    source: 'api',
    owner_id: data.owner_id ?? null,
    updated_by: data.updated_by ?? null,
    created_at: toIso(mapping.created_at),
    last_updated_at: toIso(mapping.last_updated_at),
  }
}

interface Asked {
  role: WorkspaceRole
  groupId: string | null
  groupName: string | null
}

async function readBody(call: Call): Promise<Asked> {
  const { role: written, scim_group_id: groupId = null, scim_group_name: groupName = null } = call.body
  const faults: Fault[] = []
  const fault = (param: string, message: string) => faults.push({ param, code: 'invalid_body', message })
  const role = readRole(written)
  if (role === null) fault('/role', 'must be admin, manager or member')
  if ((groupId === null) === (groupName === null)) {
    fault('/scim_group_id', 'exactly one of scim_group_id and scim_group_name is required')
  }
  const settings = scimSettings((await call.organisation()).data)
  if (typeof groupName === 'string' && readName(groupName, settings) !== null) {
    fault('/scim_group_name', 'must not have the form of names that are mapped automatically')
  }
  if (role === null || faults.length > 0) throw faultsError(faults)
  return {
    role,
    groupId: typeof groupId === 'string' ? groupId : null,
    groupName: typeof groupName === 'string' ? groupName : null,
  }
}

/** The specified group, and the write of its new version, which orders concurrent changes. */
async function groupOf(
  call: Call,
  { groupId, groupName }: Asked,
): Promise<{ group: Pick<GroupDocument, 'id' | 'data'>; write: DocumentWrite }> {
  const found =
    groupId === null
      ? await groupNamed(call, groupName ?? '')
      : await call.documents.get(kinds.scimGroup, groupId)
  if (found !== null && found.organisation_id === call.organisationId) {
    const { version, ...document } = found
    const write: DocumentWrite = {
      op: 'put',
      isQuiet: true,
      expected: version,
      document: { ...document, data: { ...document.data } },
    }
    return { group: found, write }
  }
  if (groupId !== null) throw notFound('/scim_group_id', 'SCIM group')
  const displayName = groupName ?? ''
  const document = groupDraft(call, timeOrderedId(call.nowMs), {
    groupFields: { displayName, externalId: null },
    isAdopted: false,
  })
  const data = { display_name: displayName, external_id: null, is_adopted: false }
  return { group: { id: document.id, data }, write: { op: 'put', document, expected: 0 } }
}

async function create(call: Call<'keyPrefix'>): Promise<JsonObject> {
  const workspace = await call.workspace(String(call.body.workspace_id), '/workspace_id')
  const asked = await readBody(call)
  // The members of the group get the role, so the caller must be able to grant it.
  await checkRoleGrant(call, { workspace: asked.role, workspaceId: workspace.id }, '/role')
  const { group, write } = await groupOf(call, asked)
  const present = await mappingsOf(call, group.id)
  const { display_name: displayName } = group.data
  if (present.some(({ data }) => data.workspace_id === workspace.id)) {
    throw conflict(`The group "${displayName}" is already mapped to this workspace.`)
  }
  const stored = present.map(({ data }) => data)
  checkRole(stored, asked.role, displayName)
  const made = { groupId: group.id, workspaceId: workspace.id, role: asked.role, isByName: false }
  const document = mappingDraft(call, made)
  const members = (await membersOfGroup(call, group.id)).map(({ data }) => data.user_id)
  const inGroup = new Set(members)
  const memberships = await membershipWrites(call, {
    userIds: members,
    workspaceIds: [workspace.id],
    group: { id: group.id, name: displayName },
    isMember: (userId) => inGroup.has(userId),
    mappings: [...stored, { group_id: group.id, workspace_id: workspace.id, role: asked.role }],
  })
  const [, mapping] = await call.commit([write, { op: 'put', document, expected: 0 }, ...memberships], {
    action: 'create',
    resource_type: auditType,
    resource_id: document.id,
    workspace_id: workspace.id,
    after: { workspace_id: workspace.id, scim_group: displayName, scim_group_id: group.id, role: asked.role },
  })
  if (mapping === undefined || !isOfKind(mapping, kinds.scimMapping)) {
    throw new GatewayError('internal_error', 'The store returned no mapping for this write.')
  }
  return presentMapping(mapping, displayName)
}

async function list(call: Call): Promise<JsonObject> {
  const { workspace_id: workspaceId, scim_group_id: groupId, role } = call.query
  const current_page = Number(call.query.current_page ?? call.query.page ?? 0)
  const page_size = Number(call.query.page_size ?? 100)
  const filter: DocumentFilter = { organisation_id: call.organisationId, statuses: ['active'] }
  if (workspaceId !== undefined) filter.workspace_ids = [(await call.workspace(String(workspaceId))).id]
  const attributes: Record<string, readonly string[]> = {}
  if (groupId !== undefined) attributes.group_id = [String(groupId)]
  if (role !== undefined) attributes.role = [String(role).toLowerCase()]
  if (Object.keys(attributes).length > 0) filter.attributes = attributes
  const { total, documents } = await call.documents.list(kinds.scimMapping, filter, {
    sort: 'created_at',
    order: 'desc',
    offset: current_page * page_size,
    limit: page_size,
  })
  const names = await namesOfGroups(
    call,
    documents.map(({ data }) => data.group_id),
  )
  const mappings = documents.map((one) => presentMapping(one, names.get(one.data.group_id) ?? ''))
  const answer = listAnswer(mappings, total, { current_page, page_size })
  return { ...answer, mappings, total_count: total, page: current_page }
}

async function namesOfGroups(call: Call, ids: readonly string[]): Promise<Map<string, string>> {
  const unique = [...new Set(ids)]
  const groups = unique.length === 0 ? [] : await listAll(call, kinds.scimGroup, { ids: unique })
  return new Map(groups.map(({ id, data }) => [id, data.display_name]))
}

async function remove(call: Call<'keyPrefix'>): Promise<JsonObject> {
  const id = call.request.params.id ?? ''
  const mapping = isId(id) ? await call.documents.get(kinds.scimMapping, id) : null
  if (mapping === null || mapping.organisation_id !== call.organisationId || mapping.status !== 'active') {
    throw notFound('path/id', 'mapping')
  }
  const { data, version } = mapping
  const group = await call.documents.get(kinds.scimGroup, data.group_id)
  const name = group?.data.display_name ?? ''
  const members = (await membersOfGroup(call, data.group_id)).map((one) => one.data.user_id)
  const inGroup = new Set(members)
  const others = (await mappingsOf(call, data.group_id)).filter((one) => one.id !== id)
  const memberships = await membershipWrites(call, {
    userIds: members,
    workspaceIds: [data.workspace_id],
    group: { id: data.group_id, name },
    isMember: (userId) => inGroup.has(userId),
    mappings: others.map((one) => one.data),
    keeps: true,
  })
  const writes: DocumentWrite[] = [
    { op: 'remove', kind: kinds.scimMapping, id, expected: version },
    ...(group === null ? [] : [touched(group)]),
    ...memberships,
  ]
  await call.commit(writes, {
    action: 'delete',
    resource_type: auditType,
    resource_id: id,
    workspace_id: data.workspace_id,
    before: {
      workspace_id: data.workspace_id,
      scim_group: name,
      scim_group_id: data.group_id,
      role: data.role,
    },
    after: {},
  })
  return { success: true, id, deleted: true }
}

function touched({ version, ...document }: GroupDocument): DocumentWrite {
  return {
    op: 'put',
    isQuiet: true,
    expected: version,
    document: { ...document, data: { ...document.data } },
  }
}

export function mappingRoutes(context: ManagementContext<'keyPrefix'>): Route[] {
  const tag = 'SCIM'
  return [
    plainRoute(context, {
      method: 'POST',
      path,
      operationId: 'scimWorkspaceCreate',
      summary: 'Maps a group to a role in a workspace, and adds its members immediately',
      tag,
      scope: 'scim_mappings.create',
      body: mappingBody,
      answer: mappingSchema,
      audit: { action: 'create', resource_type: auditType },
      handle: (call) => untilUncontested(call, 'mapping', () => create(call)),
    }),
    plainRoute(context, {
      method: 'GET',
      path,
      operationId: 'scimWorkspaceList',
      summary: 'Lists the mappings of groups to roles in workspaces',
      tag,
      scope: 'scim_mappings.list',
      query: listQuery,
      answer: mappingList,
      audit: { action: 'read', resource_type: auditType },
      handle: list,
    }),
    plainRoute(context, {
      method: 'DELETE',
      path: `${path}/:id`,
      operationId: 'scimWorkspaceDelete',
      summary: 'Deletes a mapping and keeps the members that it added',
      tag,
      scope: 'scim_mappings.delete',
      answer: deletedMapping,
      audit: { action: 'delete', resource_type: auditType },
      handle: (call) => untilUncontested(call, 'mapping', () => remove(call)),
    }),
  ]
}
