/** Stored mappings of groups to workspaces. Errors: 409 `conflict` for a second role of a group. */
import type { DocumentDraft, DocumentWrite } from '@gateway/contract'
import { type Call, conflict, listAll, writerOf } from '@gateway/control-plane/engine'
import { newWorkspace, workspaceNameKey } from '@gateway/control-plane/workspaces'
import {
  type DocumentOf,
  kinds,
  type ScimMappingData,
  timeOrderedId,
  type WorkspaceData,
  type WorkspaceRole,
} from '@gateway/domain'
import type { Mapping } from './memberships.ts'
import { readName, type ScimSettings } from './name-pattern.ts'

export type MappingDocument = DocumentOf<'scim_mapping'>

export const mappingsOf = (call: Call, groupId: string): Promise<MappingDocument[]> =>
  listAll(call, kinds.scimMapping, {
    organisation_id: call.organisationId,
    statuses: ['active'],
    attributes: { group_id: [groupId] },
  })

interface NewMapping {
  groupId: string
  workspaceId: string
  role: WorkspaceRole
  isByName: boolean
}

export function mappingDraft(
  call: Call,
  { groupId, workspaceId, role, isByName }: NewMapping,
): DocumentDraft {
  const data: ScimMappingData = { group_id: groupId, workspace_id: workspaceId, role, is_by_name: isByName }
  const writer = writerOf(call)
  return {
    kind: kinds.scimMapping,
    id: timeOrderedId(call.nowMs),
    organisation_id: call.organisationId,
    workspace_id: workspaceId,
    slug: null,
    name: null,
    status: 'active',
    created_at: call.nowMs,
    last_updated_at: call.nowMs,
    keys: [`pair:${groupId}/${workspaceId}`],
    attributes: { group_id: [groupId], role: [role] },
    data: { ...data, owner_id: writer, updated_by: writer },
  }
}

/** A group has the same role in every workspace that it is mapped to. */
export function checkRole(mappings: readonly Mapping[], role: WorkspaceRole, displayName: string): void {
  const other = mappings.find((mapping) => mapping.role !== role)
  if (other === undefined) return
  throw conflict(
    `The group "${displayName}" already has the role ${other.role} in another workspace. A group must have the same role in all workspaces.`,
  )
}

export interface NamedMappings {
  /** The group's mappings after these writes. */
  mappings: readonly Mapping[]
  writes: readonly DocumentWrite[]
  /** Workspaces that the group is mapped to after the writes, or was before. */
  workspaceIds: readonly string[]
  /** A new workspace among the writes. */
  newWorkspace: DocumentDraft<WorkspaceData> | null
}

interface NamedMappingsOptions {
  present: readonly MappingDocument[]
  settings: ScimSettings
}

/**
 * The mappings that follow from a group's new name, replacing those of its previous name. A missing workspace is
 * created.
 */
export async function namedMappings(
  call: Call,
  group: { id: string; displayName: string },
  { present, settings }: NamedMappingsOptions,
): Promise<NamedMappings> {
  const named = readName(group.displayName, settings)
  const old = present.filter(({ data }) => data.is_by_name)
  const kept = present.filter(({ data }) => !data.is_by_name)
  const reached = present.map(({ data }) => data.workspace_id)
  const removals = (documents: readonly MappingDocument[]): DocumentWrite[] =>
    documents.map(({ kind, id, version }) => ({ op: 'remove', kind, id, expected: version }))
  if (named === null) {
    return {
      mappings: kept.map(({ data }) => data),
      writes: removals(old),
      workspaceIds: reached,
      newWorkspace: null,
    }
  }
  const { role } = named
  checkRole(
    kept.map(({ data }) => data),
    role,
    group.displayName,
  )
  const { id: workspaceId, made: createdWorkspace } = await workspaceNamed(call, named.workspaceName)
  const isThere = ({ data }: MappingDocument) => data.workspace_id === workspaceId && data.role === role
  const stale = old.filter((mapping) => !isThere(mapping))
  const isMapped = present.some(isThere)
  const made = { groupId: group.id, workspaceId, role, isByName: true }
  const remaining = present.filter((mapping) => !stale.includes(mapping)).map(({ data }) => data)
  return {
    mappings: isMapped ? remaining : [...remaining, { group_id: group.id, workspace_id: workspaceId, role }],
    writes: [
      ...(createdWorkspace === null
        ? []
        : [
            {
              op: 'put' as const,
              document: { ...createdWorkspace, data: { ...createdWorkspace.data } },
              expected: 0,
            },
          ]),
      ...removals(stale),
      ...(isMapped ? [] : [{ op: 'put' as const, document: mappingDraft(call, made), expected: 0 }]),
    ],
    workspaceIds: [...new Set([...reached, workspaceId])],
    newWorkspace: createdWorkspace,
  }
}

/** The workspace with this name, otherwise with this slug, otherwise a new one. */
async function workspaceNamed(
  call: Call,
  name: string,
): Promise<{ id: string; made: DocumentDraft<WorkspaceData> | null }> {
  const declared = call.context
    .fileDocuments()
    .find((one) => one.kind === kinds.workspace && one.name?.toLowerCase() === name.toLowerCase())
  const found =
    declared ??
    (await call.documents.findByKey(kinds.workspace, workspaceNameKey(call.organisationId, name))) ??
    (await call.find(kinds.workspace, name, call.organisationId))
  if (found !== null) return { id: found.id, made: null }
  const made = await newWorkspace(call, name)
  return { id: made.id, made }
}
