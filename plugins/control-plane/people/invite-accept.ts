/** `POST /users/invites/accept` (management contract, section 7): creates a user from an invite and signs them in. */

import {
  type DocumentWrite,
  faultsError,
  GatewayError,
  isObject,
  type Route,
  type ServiceAnswer,
} from '@gateway/contract'
import { hashKeyOf, kinds, type OrganisationData } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import { type Call, type ManagementContext, plainRoute } from '../engine/index.ts'
import { inviteStatus } from './invite-data.ts'
import { acceptedWrite, joinWrites } from './invite-join.ts'
import { newUser } from './new-user.ts'
import { hashPassword, maxPasswordChars, minPasswordChars } from './passwords.ts'
import { isEmailAllowed } from './people.ts'
import { sessionSchema, sha256 } from './session-data.ts'
import { openSession, signInWrite } from './sign-in.ts'
import { failureCounterOf } from './sign-in-rate.ts'

const body = Type.Object(
  {
    token: Type.String({ minLength: 1, maxLength: 255 }),
    first_name: Type.String({ minLength: 1, maxLength: 255 }),
    last_name: Type.Optional(Type.Union([Type.String({ minLength: 1, maxLength: 255 }), Type.Null()])),
    password: Type.Optional(
      Type.String({ minLength: minPasswordChars, maxLength: maxPasswordChars, trim: false }),
    ),
  },
  { additionalProperties: false },
)

type AcceptBody = {
  token: string
  first_name: string
  last_name?: string | null
  password?: string
}

const unknownToken = () =>
  new GatewayError('invalid_api_key', 'The invite is unknown or has been used. Ask for a new one.')

function accept(
  call: Call<'isAddressAllowed' | 'isBehindTls' | 'keyPrefix' | 'shared'>,
): Promise<ServiceAnswer> {
  const tries = { address: call.request.clientIp, account: 'invite' }
  return failureCounterOf(call.context).run(tries, () => tryToken(call))
}

async function tryToken(
  call: Call<'isAddressAllowed' | 'isBehindTls' | 'keyPrefix'>,
): Promise<ServiceAnswer> {
  // The body has passed its schema.
  const sent = call.body as AcceptBody
  const { context, documents, nowMs } = call
  const hash = hashKeyOf(sha256(sent.token))
  const invite = await documents.findByKey(kinds.invite, hash)
  if (invite === null || inviteStatus(invite, nowMs) !== 'pending') throw unknownToken()
  const organisation = await documents.get(kinds.organisation, invite.organisation_id ?? '')
  if (organisation === null) throw unknownToken()
  checkPasswordRule(organisation.data, sent)
  if (!isEmailAllowed(organisation.data, invite.data.email)) throw unknownToken()
  const user = newUser({
    organisationId: organisation.id,
    email: invite.data.email,
    firstName: sent.first_name,
    lastName: sent.last_name ?? null,
    role: invite.data.role,
    passwordHash:
      sent.password === undefined ? null : await hashPassword(sent.password, call.request.clientIp),
    nowMs,
  })
  const writes: DocumentWrite[] = [
    { op: 'put', document: { ...user, data: { ...user.data } }, expected: 0 },
    acceptedWrite(invite, nowMs),
    ...(await joinWrites(context, { invite, organisation, user, nowMs })),
    signInWrite(organisation.id, user.id, nowMs),
  ]
  return openSession(
    call,
    { organisationId: organisation.id, userId: user.id, apiKeyId: null },
    {
      also: writes,
      note: {
        action: 'accept',
        resource_type: 'invite',
        resource_id: invite.id,
        before: { status: 'pending' },
        after: { status: 'accepted', user_id: user.id },
      },
    },
  )
}

/**
 * Users sign in with a password unless their organisation uses single sign-on. If it permits both, the password is
 * optional.
 */
function checkPasswordRule({ auth_settings: settings }: OrganisationData, { password }: AcceptBody): void {
  const isElsewhere = isObject(settings.oidc)
  const fail = (message: string) => {
    throw faultsError([{ param: '/password', code: 'invalid_body', message }])
  }
  if (password === undefined && !isElsewhere) fail('is required')
  if (password !== undefined && isElsewhere && settings.password_login === false) {
    fail('must be omitted: this organisation uses single sign-on')
  }
}

export function inviteAcceptRoutes(
  context: ManagementContext<'isAddressAllowed' | 'isBehindTls' | 'keyPrefix' | 'shared'>,
): Route[] {
  return [
    plainRoute(context, {
      method: 'POST',
      path: '/v1/users/invites/accept',
      aliases: ['/v1/admin/users/invites/accept'],
      operationId: 'inviteAccept',
      summary: 'Accepts an invite, creates the user and signs them in',
      tag: 'Users',
      scope: 'public',
      body,
      answer: sessionSchema,
      audit: { action: 'accept', resource_type: 'invite' },
      handle: accept,
    }),
  ]
}
