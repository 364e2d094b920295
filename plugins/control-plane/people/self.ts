/** The caller's own identity: `GET /auth/self` (management contract, section 8). */

import type { JsonObject } from '@gateway/contract'
import { allScopes, isOfKind, kinds, type WorkspaceRole } from '@gateway/domain'
import { type TSchema, Type } from '@sinclair/typebox'
import { apiKeys, presentKey } from '../api-keys/index.ts'
import { baseView, type Call, listAll, readPage } from '../engine/index.ts'
import { lastUses } from '../shared/index.ts'
import { workspaces } from '../workspaces/index.ts'
import { presentSession } from './session-data.ts'
import { presentUser } from './user-present.ts'

const textOrNull = Type.Union([Type.String(), Type.Null()])

/** The members that every client needs; the others are described in the object's own routes. */
const user = Type.Object(
  {
    id: Type.String(),
    email: Type.String(),
    first_name: Type.String(),
    last_name: textOrNull,
    role: Type.String(),
    totp_enabled: Type.Boolean({
      description: 'Whether a sign-in with a password requires a second factor.',
    }),
  },
  { additionalProperties: true },
)
const session = Type.Object(
  {
    id: Type.String(),
    csrf_token: Type.String({
      description: 'To be sent as `x-gateway-csrf` with each write of this session.',
    }),
  },
  { additionalProperties: true },
)
const organisation = Type.Object({ id: Type.String(), slug: textOrNull, name: textOrNull, role: textOrNull })
const apiKey = Type.Object({ id: textOrNull, name: textOrNull }, { additionalProperties: true })

export const selfSchema: TSchema = Type.Object({
  user: Type.Optional(Type.Union([user, Type.Null()])),
  session: Type.Optional(Type.Union([session, Type.Null()])),
  organisations: Type.Optional(Type.Array(organisation)),
  workspaces: Type.Optional(
    Type.Array(
      Type.Object({
        id: Type.String(),
        slug: textOrNull,
        name: textOrNull,
        role: textOrNull,
        scopes: Type.Array(Type.String()),
      }),
    ),
  ),
  api_key: Type.Optional(Type.Union([apiKey, Type.Null()])),
  scopes: Type.Optional(Type.Array(Type.String())),
})

/** The maximum number of listed workspaces; more are in the list of workspaces. */
const maxWorkspaces = 200

export async function whoAmI(call: Call<'counters'>): Promise<JsonObject> {
  const { identity } = call
  const session = await ownSession(call)
  if (identity.type !== 'session') {
    const scopes = identity.scopes.has('*') ? [...allScopes] : [...identity.scopes]
    const person = identity.type === 'jwt' && identity.userId !== null ? { user: await ownUser(call) } : {}
    return { api_key: await ownKey(call), scopes, ...person, ...(session === null ? {} : { session }) }
  }
  const organisation = await call.organisation()
  return {
    user: await ownUser(call),
    session,
    organisations: [
      { id: organisation.id, slug: organisation.slug, name: organisation.name, role: identity.role },
    ],
    workspaces: await ownWorkspaces(call),
  }
}

async function ownSession(call: Call): Promise<JsonObject | null> {
  const { sessionId } = call.identity
  if (sessionId === undefined) return null
  const session = await call.documents.get(kinds.session, sessionId)
  if (session === null) return null
  const seen = await lastUses([sessionId], call)
  return presentSession(session, {
    organisation: (await call.organisation()).data,
    lastSeenAt: seen.get(sessionId) ?? null,
    isCurrent: true,
  })
}

async function ownUser(call: Call): Promise<JsonObject | null> {
  const user = await call.documents.get(kinds.user, call.identity.userId ?? '')
  if (user === null) return null
  return { ...(await presentUser(user, call)), totp_enabled: user.data.totp?.is_confirmed === true }
}

async function ownKey(call: Call<'counters'>): Promise<JsonObject | null> {
  const { keyId, name, type } = call.identity
  if (keyId === null) return { id: null, object: 'api-key', name, type }
  const declared = call.context.fileDocuments().filter((document) => isOfKind(document, kinds.apiKey))
  const document = (await call.documents.get(kinds.apiKey, keyId)) ?? declared.find(({ id }) => id === keyId)
  if (document === undefined) return { id: keyId, object: 'api-key', name, type }
  const shown = await presentKey(document, call)
  return { ...baseView(apiKeys, document), ...shown }
}

async function ownWorkspaces(call: Call): Promise<JsonObject[]> {
  const visible = await call.visibleWorkspaces()
  const members = await listAll(call, kinds.member, { attributes: { user_id: [call.identity.userId ?? ''] } })
  const roles = new Map(members.map(({ workspace_id, data }) => [workspace_id, data.role]))
  const filter = {
    organisation_id: call.organisationId,
    statuses: ['active'],
    ...(visible === null ? {} : { ids: visible.slice(0, maxWorkspaces) }),
  }
  const { documents } = await readPage(workspaces, call, {
    filters: [filter],
    hidden: [],
    order: { sort: 'name', order: 'asc' },
    offset: 0,
    limit: maxWorkspaces,
  })
  return Promise.all(
    documents.map(async ({ id, slug, name }) => {
      const held = await Promise.all(
        allScopes.map(async (scope) => ((await call.holds(scope, id)) ? [scope] : [])),
      )
      const role: WorkspaceRole | null = visible === null ? 'admin' : (roles.get(id) ?? null)
      return { id, slug, name, role, scopes: held.flat() }
    }),
  )
}
