/** Which users of the workspace may call a server: `GET` and `PUT /…-servers/{id}/user-access`. */
import { type Fault, faultsError, isObject, type JsonObject } from '@gateway/contract'
import { kinds, type RemoteServerData } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import {
  type Call,
  type ExtraRoute,
  isFileDocument,
  isOfFile,
  listAll,
  listAnswer,
  nullable,
  pagingOf,
  writerOf,
} from '../engine/index.ts'
import { pageQuery } from '../shared/index.ts'
import { mayUse, type Server } from './data.ts'
import type { ServerSpec } from './spec.ts'

const defaultAccess = Type.Unsafe({ type: 'string', enum: ['allow', 'deny'] })

const body = Type.Object(
  {
    user_access: Type.Optional(
      Type.Array(
        Type.Object(
          { user_id: Type.String({ minLength: 1 }), enabled: Type.Boolean() },
          { additionalProperties: false },
        ),
        { maxItems: 1000 },
      ),
    ),
    default_user_access: Type.Optional(defaultAccess),
  },
  { additionalProperties: false },
)

const item = Type.Object(
  {
    user_id: Type.String(),
    first_name: nullable(Type.String()),
    last_name: nullable(Type.String()),
    enabled: Type.Boolean(),
    has_override: Type.Boolean(),
    connection_status: nullable(Type.String()),
  },
  { additionalProperties: false },
)

const answer = Type.Object(
  {
    object: Type.Literal('list'),
    total: Type.Integer(),
    current_page: Type.Integer(),
    page_size: Type.Integer(),
    has_more: Type.Boolean(),
    data: Type.Array(item),
    default_user_access: defaultAccess,
  },
  { additionalProperties: false },
)

export function userAccessRoutes(spec: ServerSpec): ExtraRoute<RemoteServerData>[] {
  const own = spec.userAccessFamily
  return [
    {
      method: 'GET',
      path: '/:id/user-access',
      operationId: `${spec.operation}UserAccess`,
      summary: `Lists the users of the workspace who may call an ${spec.title}`,
      action: own === null ? 'read' : null,
      query: pageQuery,
      answer,
      handle: (call, document) => show(spec, call, document),
      ...(own === null ? {} : { scopes: [`${spec.family}.read`, `${own}.list`] }),
    },
    {
      method: 'PUT',
      path: '/:id/user-access',
      operationId: `${spec.operation}UserAccessUpdate`,
      summary: `Sets which users of the workspace may call an ${spec.title}`,
      action: own === null ? 'update' : null,
      body,
      answer,
      handle: (call, document) => update(spec, call, document),
      ...(own === null ? {} : { scopes: [`${spec.family}.update`, `${own}.update`] }),
    },
  ]
}

/** Live members of the server's workspace. */
const membersOf = (call: Call, { workspace_id }: Server) =>
  listAll(call, kinds.member, {
    organisation_id: call.organisationId,
    workspace_ids: [workspace_id],
    statuses: ['active'],
  })

async function show(spec: ServerSpec, call: Call, server: Server): Promise<JsonObject> {
  const { data } = server
  const ids = (await membersOf(call, server)).map((member) => member.data.user_id)
  const paging = pagingOf(call.query)
  const offset = paging.current_page * paging.page_size
  const shown = ids.slice(offset, offset + paging.page_size)
  const connections = (await spec.connectionStatus?.(server, shown, call)) ?? new Map<string, string>()
  const views: JsonObject[] = []
  for (const id of shown) {
    const user = await call.documents.get(kinds.user, id)
    if (user === null) continue
    views.push({
      user_id: id,
      first_name: user.data.first_name,
      last_name: user.data.last_name,
      enabled: mayUse(data, id),
      has_override: Object.hasOwn(data.user_access ?? {}, id),
      connection_status: connections.get(id) ?? null,
    })
  }
  return { ...listAnswer(views, ids.length, paging), default_user_access: data.default_user_access }
}

async function update(spec: ServerSpec, call: Call, found: Server): Promise<JsonObject> {
  if (isFileDocument({ data: { ...found.data } as JsonObject }))
    throw isOfFile(spec.title, call.context.filePath)
  if (Object.keys(call.body).length === 0) {
    throw faultsError([{ param: '/', code: 'invalid_body', message: 'changes nothing' }])
  }
  const given = await readUsers(call, found, call.body.user_access)
  const data: RemoteServerData = {
    ...found.data,
    user_access: { ...found.data.user_access, ...given },
    default_user_access:
      call.body.default_user_access === 'deny'
        ? 'deny'
        : call.body.default_user_access === 'allow'
          ? 'allow'
          : found.data.default_user_access,
  }
  const { version: _, ...draft } = found
  const stored = {
    ...draft,
    data: { ...data, updated_by: writerOf(call) } as JsonObject,
    last_updated_at: call.nowMs,
  }
  await call.commit([{ op: 'put', document: stored, expected: found.version }], {
    action: 'update',
    resource_type: `${spec.object}-user-access`,
    resource_id: found.id,
    workspace_id: found.workspace_id,
    before: auditOf(found.data),
    after: auditOf(data),
  })
  return show(spec, call, { ...found, data })
}

const auditOf = ({ user_access, default_user_access }: RemoteServerData): JsonObject => ({
  user_access: { ...user_access },
  default_user_access,
})

async function readUsers(call: Call, server: Server, written: unknown): Promise<Record<string, boolean>> {
  const entries = (Array.isArray(written) ? written : []).filter(isObject)
  if (entries.length === 0) return {}
  const members = new Set((await membersOf(call, server)).map(({ data }) => data.user_id))
  const faults: Fault[] = []
  const found: Record<string, boolean> = {}
  for (const [index, { user_id, enabled }] of entries.entries()) {
    const param = `/user_access/${index}/user_id`
    const id = String(user_id)
    const isPerson = members.has(id) || (await isOfOrganisation(call, id))
    if (!isPerson) faults.push({ param, code: 'invalid_body', message: 'is not a user of this workspace' })
    else if (Object.hasOwn(found, id)) faults.push({ param, code: 'invalid_body', message: 'is named twice' })
    else found[id] = enabled === true
  }
  if (faults.length > 0) throw faultsError(faults)
  return found
}

/** Owners and admins of the organisation are admins of every workspace. */
async function isOfOrganisation(call: Call, id: string): Promise<boolean> {
  const user = await call.documents.get(kinds.user, id)
  return user?.organisation_id === call.organisationId && user.data.role !== 'member'
}
