/** Users of the organisation (management contract, section 7). Invites create them, or SCIM provisioning. */

import { isObject, type OrganisationRole } from '@gateway/contract'
import { kinds, mustBeOneOf } from '@gateway/domain'
import { type TSchema, Type } from '@sinclair/typebox'
import { type Call, conflict, defineResource, forbidden, type Resource, type Write } from '../engine/index.ts'
import { checkRoleGrant, isOwner, organisationRoles, readRole } from '../shared/index.ts'
import { endConnections } from './end-connections.ts'
import { endSessions } from './end-sessions.ts'
import { keepAnOwner, leaveWrites } from './leaving.ts'
import { nameOf, personFilters, type UserDocument } from './people.ts'
import { userAttributes, userKeys } from './user-index.ts'
import { preloadUsers, presentUser } from './user-present.ts'

type UserFields = UserDocument['data']

const personName = Type.String({ minLength: 1, maxLength: 255 })
const nullableText = Type.Union([Type.String(), Type.Null()])
const oneOf = (...names: string[]): TSchema => Type.Unsafe<string>({ type: 'string', enum: names })
/** Accepted in any letter case. */
const roleText = Type.String({ minLength: 1, maxLength: 20 })

export const users: Resource = defineResource<UserFields>({
  kind: kinds.user,
  object: 'user',
  title: 'user',
  tag: 'Users',
  operation: 'user',
  path: '/users',
  aliases: ['/v1/admin/users'],
  level: 'organisation',
  families: [{ family: 'organisation_users' }],
  slug: null,
  hasCommonFields: false,
  operations: ['list', 'read', 'update', 'delete'],
  fields: {
    first_name: { schema: personName, isNullable: false },
    last_name: { schema: personName },
    role: { schema: roleText, isNullable: false, answer: oneOf(...organisationRoles) },
    identity_provider: {
      schema: Type.Null({
        description:
          'Who the user is at the identity provider (OpenID Connect), since the first sign-in there. Set null to let ' +
          'the next sign-in with the user’s verified e-mail address decide.',
      }),
      answer: Type.Union([Type.Object({ issuer: Type.String(), subject: Type.String() }), Type.Null()]),
    },
  },
  answers: {
    email: Type.String(),
    status: oneOf('active', 'deactivated', 'archived'),
    workspace_ids: Type.Array(Type.String()),
    last_login_at: nullableText,
    scim_managed: Type.Boolean(),
    created_at: Type.String(),
    last_updated_at: Type.String(),
  },
  filters: personFilters,
  statuses: ['active', 'deactivated', 'archived'],
  writableStatuses: ['active', 'deactivated'],
  hooks: {
    prepare: prepareUser,
    attributes: ({ data }) => userAttributes(data),
    keys: ({ data, organisation_id }) => userKeys(data, organisation_id),
    preload: preloadUsers,
    present: presentUser,
  },
})

/** If an identity provider manages the organisation's users, changes must be made there. Errors: `forbidden`. */
export async function refuseUnlessByScim(call: Call): Promise<void> {
  const { scim_settings: settings } = (await call.organisation()).data.auth_settings
  if (!isObject(settings) || settings.manage_only_by_scim !== true || call.identity.type === 'scim') return
  throw forbidden(
    'The identity provider manages the users of this organisation through SCIM. Change them there.',
  )
}

async function prepareUser(write: Write<UserFields>): Promise<void> {
  const { action, before, call, draft } = write
  if (before === null) return
  await refuseUnlessByScim(call)
  readRoleOf(write)
  const wasOwner = before.data.role === 'owner'
  const becomesOwner = draft.data.role === 'owner' && !wasOwner
  if (wasOwner && !isOwner(call)) throw forbidden('Only an owner may change an owner.', 'path/id')
  if (becomesOwner && !isOwner(call)) throw forbidden('Only an owner may make a user an owner.', '/role')
  const isRevived = before.status === 'deactivated' && draft.status === 'active'
  if (draft.data.role !== before.data.role || isRevived) {
    await checkRoleGrant(call, { organisation: draft.data.role }, isRevived ? '/status' : '/role')
  }
  const staysOwner = draft.data.role === 'owner' && draft.status === 'active'
  if (wasOwner && before.status === 'active' && !staysOwner) {
    write.also.push(await keepAnOwner(call, draft.data.email))
  }
  if (action === 'archive') await leave(write)
  else if (draft.status === 'deactivated' && before.status !== 'deactivated') {
    write.also.push(
      ...(await endSessions(call.documents, draft.id, call.nowMs)),
      ...(await endConnections(call.documents, draft.id)),
    )
  }
  draft.name = nameOf(draft.data)
}

function readRoleOf({ body, draft, fault }: Write<UserFields>): void {
  if (body.role === undefined) return
  const role: OrganisationRole | null = readRole(body.role, organisationRoles)
  if (role === null) fault('/role', mustBeOneOf(organisationRoles, body.role))
  else draft.data.role = role
}

/** A deleted user leaves every workspace, and their credentials stop working. */
async function leave({ call, draft, also }: Write<UserFields>): Promise<void> {
  if (call.identity.userId === draft.id) throw conflict('You cannot delete yourself.')
  also.push(...(await leaveWrites(call, draft.id)))
}
