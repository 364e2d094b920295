/** How SCIM answers show groups. Members are read only if requested. */
import type { JsonObject, StoredDocument } from '@gateway/contract'
import { type Call, listAll, toIso } from '@gateway/control-plane/engine'
import { kinds, type ScimGroupData } from '@gateway/domain'
import { groupType } from '../protocol/group-schema.ts'
import { type Projection, project, wants } from '../protocol/projection.ts'
import { locationOf } from '../protocol/route.ts'
import { versionOf } from '../protocol/version.ts'

export type GroupDocument = StoredDocument<ScimGroupData>

const groupsAtOnce = 100

export async function presentGroups(
  call: Call<'publicUrl'>,
  groups: readonly GroupDocument[],
  projection: Projection,
): Promise<JsonObject[]> {
  const members = wants(projection, 'members')
    ? await membersOf(call, groups)
    : new Map<string, JsonObject[]>()
  return groups.map((group) => project(presentGroup(call, group, members.get(group.id) ?? []), projection))
}

function presentGroup(call: Call<'publicUrl'>, group: GroupDocument, members: JsonObject[]): JsonObject {
  const { display_name: displayName, external_id: externalId } = group.data
  return {
    schemas: [groupType.schema.id],
    id: group.id,
    displayName,
    ...(externalId === null ? {} : { externalId }),
    ...(members.length === 0 ? {} : { members }),
    meta: {
      resourceType: 'Group',
      created: toIso(group.created_at),
      lastModified: toIso(group.last_updated_at),
      location: locationOf(call, `/Groups/${group.id}`),
      version: versionOf(group.version),
    },
  }
}

async function membersOf(
  call: Call<'publicUrl'>,
  groups: readonly GroupDocument[],
): Promise<Map<string, JsonObject[]>> {
  const found = new Map<string, JsonObject[]>()
  for (let start = 0; start < groups.length; start += groupsAtOnce) {
    const ids = groups.slice(start, start + groupsAtOnce).map(({ id }) => id)
    for (const { data } of await listAll(call, kinds.scimGroupMember, { attributes: { group_id: ids } })) {
      const member: JsonObject = {
        value: data.user_id,
        $ref: locationOf(call, `/Users/${data.user_id}`),
        type: 'User',
      }
      const members = found.get(data.group_id)
      if (members === undefined) found.set(data.group_id, [member])
      else members.push(member)
    }
  }
  return found
}
