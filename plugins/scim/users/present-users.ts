/** How SCIM answers show users, with their groups. */
import type { JsonObject, StoredDocument } from '@gateway/contract'
import { type Call, listAll, toIso } from '@gateway/control-plane/engine'
import { kinds, type UserData } from '@gateway/domain'
import { type Projection, project, wants } from '../protocol/projection.ts'
import { locationOf } from '../protocol/route.ts'
import { enterpriseUrn, userType } from '../protocol/user-schema.ts'
import { versionOf } from '../protocol/version.ts'
import { resourceOf } from './user-fields.ts'

const idsAtOnce = 500

export async function presentUsers(
  call: Call<'publicUrl'>,
  users: readonly StoredDocument<UserData>[],
  projection: Projection,
): Promise<JsonObject[]> {
  const groups = wants(projection, 'groups')
    ? await groupsOf(
        call,
        users.map(({ id }) => id),
      )
    : new Map<string, JsonObject[]>()
  return users.map((user) => project(presentUser(call, user, groups.get(user.id) ?? []), projection))
}

function presentUser(
  call: Call<'publicUrl'>,
  user: StoredDocument<UserData>,
  groups: JsonObject[],
): JsonObject {
  const resource = resourceOf(user.data, user.status)
  return {
    schemas: [userType.schema.id, ...(resource[enterpriseUrn] === undefined ? [] : [enterpriseUrn])],
    id: user.id,
    ...resource,
    ...(groups.length === 0 ? {} : { groups }),
    meta: {
      resourceType: 'User',
      created: toIso(user.created_at),
      lastModified: toIso(user.last_updated_at),
      location: locationOf(call, `/Users/${user.id}`),
      version: versionOf(user.version),
    },
  }
}

async function groupsOf(
  call: Call<'publicUrl'>,
  userIds: readonly string[],
): Promise<Map<string, JsonObject[]>> {
  const found = new Map<string, JsonObject[]>()
  for (let start = 0; start < userIds.length; start += idsAtOnce) {
    const members = await listAll(call, kinds.scimGroupMember, {
      organisation_id: call.organisationId,
      attributes: { user_id: userIds.slice(start, start + idsAtOnce) },
    })
    const names = await groupNames(call, [...new Set(members.map(({ data }) => data.group_id))])
    for (const { data } of members) {
      const display = names.get(data.group_id)
      if (display === undefined) continue
      const group: JsonObject = {
        value: data.group_id,
        $ref: locationOf(call, `/Groups/${data.group_id}`),
        display,
        type: 'direct',
      }
      found.set(data.user_id, [...(found.get(data.user_id) ?? []), group])
    }
  }
  return found
}

async function groupNames(call: Call, ids: readonly string[]): Promise<Map<string, string>> {
  const names = new Map<string, string>()
  for (let start = 0; start < ids.length; start += idsAtOnce) {
    const page = { offset: 0, limit: idsAtOnce }
    const filter = { ids: ids.slice(start, start + idsAtOnce), statuses: ['active'] }
    const { documents } = await call.documents.list(kinds.scimGroup, filter, page)
    for (const { id, data } of documents) names.set(id, data.display_name)
  }
  return names
}
