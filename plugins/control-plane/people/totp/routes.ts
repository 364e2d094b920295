/** A second factor for users with a password: enrolling, confirming with a first code, removing. */
import { GatewayError, type JsonObject, type Route, type ServiceAnswer } from '@gateway/contract'
import { kinds } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import {
  type Call,
  conflict,
  forbidden,
  type ManagementContext,
  notFound,
  plainRoute,
  untilUncontested,
} from '../../engine/index.ts'
import type { UserDocument } from '../people.ts'
import { failureCounterOf } from '../sign-in-rate.ts'
import { enrol, type Totp, takeCode } from './codes.ts'

const tag = 'Sessions'
const empty = Type.Object({}, { additionalProperties: false })

async function ownUser(call: Call): Promise<UserDocument> {
  const { type, userId } = call.identity
  const user = type === 'session' && userId !== null ? await call.documents.get(kinds.user, userId) : null
  if (user === null) throw forbidden('A second factor requires the session of a user: this request has none.')
  return user
}

async function keep(
  call: Call,
  user: UserDocument,
  { totp, action }: { totp: Totp | null; action: string },
): Promise<void> {
  const { version, ...document } = user
  const put = { ...document, data: { ...user.data, totp } }
  await call.commit([{ op: 'put', document: put, expected: version }], {
    action,
    resource_type: 'totp',
    resource_id: user.id,
  })
}

async function enrolOwn(call: Call): Promise<JsonObject> {
  const user = await ownUser(call)
  if (user.data.password_hash === null) {
    throw conflict('A second factor is only for users who sign in with a password.')
  }
  if (user.data.totp?.is_confirmed === true) {
    throw conflict('This user already has a second factor. Delete it before you enrol another one.')
  }
  const made = await enrol(call.context, { id: user.id, email: user.data.email })
  await keep(call, user, { totp: made.stored, action: 'create' })
  return { secret: made.secret, otpauth_url: made.otpauthUrl, recovery_codes: made.recoveryCodes }
}

async function confirm(call: Call<'shared'>): Promise<JsonObject> {
  const user = await ownUser(call)
  const { totp = null } = user.data
  if (totp === null) throw notFound('/code', 'second factor')
  const tries = { address: call.request.clientIp, account: `totp ${user.id}` }
  await failureCounterOf(call.context).run(tries, async () => {
    if (await takeCode(call.context, user.id, { totp, code: String(call.body.code) })) return
    throw new GatewayError(
      'invalid_api_key',
      'The code is wrong or has been used. Send the current code of the authenticator app.',
      { param: '/code' },
    )
  })
  await keep(call, user, { totp: { ...totp, is_confirmed: true }, action: 'update' })
  return { object: 'totp', enabled: true }
}

async function remove(call: Call): Promise<ServiceAnswer> {
  const user = await ownUser(call)
  if ((user.data.totp ?? null) === null) throw notFound('path/id', 'second factor')
  await keep(call, user, { totp: null, action: 'delete' })
  return { status: 200, body: { id: user.id, object: 'totp', deleted: true } }
}

export function totpRoutes(context: ManagementContext<'shared'>): Route[] {
  const audit = (action: string) => ({ action, resource_type: 'totp' })
  return [
    plainRoute(context, {
      method: 'POST',
      path: '/v1/auth/totp/enroll',
      operationId: 'authTotpEnroll',
      summary: 'Creates a second factor for the caller and returns its secret and recovery codes once',
      tag,
      scope: null,
      listener: 'main',
      body: empty,
      isBodyOptional: true,
      answer: Type.Object({
        secret: Type.String({ description: 'Base32, for an authenticator app.' }),
        otpauth_url: Type.String(),
        recovery_codes: Type.Array(Type.String({ description: 'Each can be used once instead of a code.' })),
      }),
      audit: audit('create'),
      handle: (call) => untilUncontested(call, 'user', () => enrolOwn(call)),
    }),
    plainRoute(context, {
      method: 'POST',
      path: '/v1/auth/totp/confirm',
      operationId: 'authTotpConfirm',
      summary: 'Enables the second factor with a first code',
      tag,
      scope: null,
      listener: 'main',
      body: Type.Object(
        { code: Type.String({ minLength: 1, maxLength: 64 }) },
        { additionalProperties: false },
      ),
      answer: Type.Object({ object: Type.Literal('totp'), enabled: Type.Literal(true) }),
      audit: audit('update'),
      handle: confirm,
    }),
    plainRoute(context, {
      method: 'DELETE',
      path: '/v1/auth/totp',
      operationId: 'authTotpDelete',
      summary: 'Removes the caller’s second factor',
      tag,
      scope: null,
      listener: 'main',
      answer: Type.Object({ id: Type.String(), object: Type.Literal('totp'), deleted: Type.Literal(true) }),
      audit: audit('delete'),
      handle: (call) => untilUncontested(call, 'user', () => remove(call)),
    }),
  ]
}
