/**
 * Sign-in and sign-out (management contract, section 8). Errors: 401 `invalid_api_key`, with the same text and after
 * the same time for known and unknown users; `rate_limit_exceeded`.
 */

import {
  type DocumentWrite,
  GatewayError,
  type Identity,
  isGatewayError,
  type Json,
  type JsonObject,
  type Route,
  type ServiceAnswer,
} from '@gateway/contract'
import { type AuditNote, auditWrite, eventsOf, kinds, type SessionData } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import {
  type Call,
  forbidden,
  type ManagementContext,
  notFound,
  plainRoute,
  untilUncontested,
} from '../engine/index.ts'
import { checkPassword, maxPasswordChars } from './passwords.ts'
import { emailKey, isEmailAllowed, type UserDocument } from './people.ts'
import { selfSchema, whoAmI } from './self.ts'
import { createSession, sessionCookie, sessionMs, sessionSchema } from './session-data.ts'
import { failureCounterOf } from './sign-in-rate.ts'
import { checkSecondFactor } from './totp/check-second-factor.ts'

/** The id recorded for the operator's key, which has none. */
const operatorKeyId = 'admin'

const body = Type.Object(
  {
    email: Type.Optional(Type.String({ minLength: 3, maxLength: 255 })),
    password: Type.Optional(Type.String({ minLength: 1, maxLength: maxPasswordChars, trim: false })),
    api_key: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
    totp: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'The code of the second factor, or one of its recovery codes.',
      }),
    ),
    recovery_code: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
  },
  { additionalProperties: false },
)

const refused = () => new GatewayError('invalid_api_key', 'The e-mail address or the password is wrong.')

export interface SignedIn {
  organisationId: string
  userId: string | null
  apiKeyId: string | null
  identityProvider?: SessionData['identity_provider']
}

interface OpenSessionOptions {
  also: readonly DocumentWrite[]
  note?: Partial<AuditNote>
}

/**
 * Opens a session, commits further writes with it, and answers with it.
 * @param note the audit note, if it is more than a sign-in
 */
export async function openSession(
  call: Call<'isAddressAllowed' | 'isBehindTls'>,
  { organisationId, userId, apiKeyId, identityProvider = null }: SignedIn,
  { also, note = {} }: OpenSessionOptions,
): Promise<ServiceAnswer> {
  const { context, documents, nowMs, request } = call
  const { method, path, traceId, clientIp } = request
  if (!(await context.isAddressAllowed(organisationId, clientIp))) {
    throw forbidden(`The address ${clientIp} is not among the allowed_ips of this organisation.`)
  }
  const organisation = await documents.get(kinds.organisation, organisationId)
  const { write, shown, token } = createSession({
    organisationId,
    organisation: organisation?.data ?? null,
    userId,
    apiKeyId,
    ip: clientIp,
    userAgent: request.headers['user-agent'],
    identityProvider,
    nowMs,
  })
  const full: AuditNote = {
    action: 'login',
    resource_type: 'session',
    resource_id: String(shown.id),
    user_id: userId ?? apiKeyId,
    user_type: userId === null ? 'api_key' : 'user',
    ...note,
  }
  const record = auditWrite(
    // The query of a sign-in contains credentials.
    {
      request: { method, path, traceId, clientIp, query: {} },
      identity: null,
      organisationId,
      nowMs,
      status: 200,
      sent: call.sent,
    },
    full,
  )
  const writes = [write, ...also]
  await documents.commit([...writes, ...eventsOf({ organisationId, nowMs, writes, note: full }), record])
  const lifeMs = Date.parse(String(shown.expires_at)) - nowMs
  return {
    status: 200,
    headers: {
      'set-cookie': sessionCookie(token, context.isBehindTls(), Math.min(lifeMs, sessionMs) / 1000),
    },
    body: shown,
  }
}

/** The time of the last sign-in is a separate document, because signing in does not change the user. */
export const signInWrite = (organisationId: string, userId: string, nowMs: number): DocumentWrite => ({
  op: 'put',
  isQuiet: true,
  document: {
    kind: kinds.use,
    id: userId,
    organisation_id: organisationId,
    workspace_id: null,
    slug: null,
    name: null,
    status: 'active',
    created_at: nowMs,
    last_updated_at: nowMs,
    keys: [],
    attributes: {},
    data: { last_used_at: new Date(nowMs).toISOString() },
  },
})

export async function login(
  call: Call<'identify' | 'isAddressAllowed' | 'isBehindTls' | 'shared'>,
): Promise<ServiceAnswer> {
  const { email, password, api_key: apiKey } = call.body
  if (typeof apiKey === 'string') {
    if (email !== undefined || password !== undefined)
      throw wrongBody('/api_key', 'must be omitted when email is sent')
    return loginWithKey(call, apiKey)
  }
  if (typeof email !== 'string') throw wrongBody('/email', 'is required unless api_key is sent')
  if (typeof password !== 'string') throw wrongBody('/password', 'is required')
  return loginWithPassword(call, email, password)
}

const wrongBody = (param: string, message: string) =>
  new GatewayError('invalid_body', `${param}: ${message}`, { param })

function loginWithPassword(
  call: Call<'isAddressAllowed' | 'isBehindTls' | 'shared'>,
  email: string,
  password: string,
): Promise<ServiceAnswer> {
  const tries = { address: call.request.clientIp, account: email.toLowerCase() }
  return failureCounterOf(call.context).run(tries, () => tryPassword(call, email, password))
}

async function tryPassword(
  call: Call<'isAddressAllowed' | 'isBehindTls' | 'shared'>,
  email: string,
  password: string,
): Promise<ServiceAnswer> {
  const { documents, nowMs } = call
  const user = await documents.findByKey(kinds.user, emailKey(email))
  const isRight = await checkPassword(password, user?.data.password_hash ?? null, call.request.clientIp)
  if (user === null || !isRight || user.status !== 'active' || !(await maySignIn(call, user))) throw refused()
  const { totp, recovery_code: recovery } = call.body
  const second = await checkSecondFactor(call, user, secondFactorOf(totp ?? recovery))
  const organisationId = user.organisation_id ?? ''
  const note = signInWrite(organisationId, user.id, nowMs)
  try {
    return await openSession(
      call,
      { organisationId, userId: user.id, apiKeyId: null },
      { also: [note, ...second] },
    )
  } catch (error) {
    // The recovery code was used concurrently.
    if (second.length > 0 && isGatewayError(error) && error.code === 'precondition_failed') throw refused()
    throw error
  }
}

const secondFactorOf = (sent: Json | undefined) => (typeof sent === 'string' ? sent : undefined)

async function maySignIn({ documents }: Call, { organisation_id, data }: UserDocument): Promise<boolean> {
  const organisation = await documents.get(kinds.organisation, organisation_id ?? '')
  if (organisation === null) return false
  const { auth_settings: settings } = organisation.data
  return settings.password_login !== false && isEmailAllowed(organisation.data, data.email)
}

async function loginWithKey(
  call: Call<'identify' | 'isAddressAllowed' | 'isBehindTls' | 'shared'>,
  apiKey: string,
): Promise<ServiceAnswer> {
  const { context, request } = call
  // The key is long and random, so failures are counted per address, not per key.
  const tries = { address: request.clientIp, account: 'api-key' }
  const identity: Identity = await failureCounterOf(context).run(tries, () =>
    context.identify(apiKey, request.clientIp),
  )
  const { organisationId, keyId } = identity
  return openSession(call, { organisationId, userId: null, apiKeyId: keyId ?? operatorKeyId }, { also: [] })
}

async function logout(call: Call<'isBehindTls'>): Promise<ServiceAnswer> {
  const { sessionId } = call.identity
  if (sessionId === undefined)
    throw forbidden('Sign-out requires a session: this request has no session cookie or session token.')
  await untilUncontested(call, 'session', () => endSession(call, sessionId))
  return {
    status: 200,
    headers: { 'set-cookie': sessionCookie(null, call.context.isBehindTls(), 0) },
    body: { id: sessionId, object: 'session', deleted: true },
  }
}

/** Already ended by a concurrent sign-out. */
async function endSession(call: Call, sessionId: string): Promise<void> {
  const session = await call.documents.get(kinds.session, sessionId)
  if (session === null) throw notFound('path/id', 'session')
  if (session.status === 'archived') return
  const { version, ...document } = session
  await call.commit(
    [
      {
        op: 'put',
        expected: version,
        document: { ...document, status: 'archived', keys: [], last_updated_at: call.nowMs },
      },
    ],
    { action: 'logout', resource_type: 'session', resource_id: sessionId },
  )
}

const deletedSession = Type.Object({
  id: Type.String(),
  object: Type.Literal('session'),
  deleted: Type.Literal(true),
})

export function signInRoutes(
  context: ManagementContext<'counters' | 'identify' | 'isAddressAllowed' | 'isBehindTls' | 'shared'>,
): Route[] {
  const tag = 'Sessions'
  return [
    plainRoute(context, {
      method: 'POST',
      path: '/v1/auth/login',
      operationId: 'authLogin',
      summary: 'Opens a session with email and password, or with the rights of an API key',
      tag,
      scope: 'public',
      body,
      answer: sessionSchema,
      audit: { action: 'login', resource_type: 'session' },
      handle: login,
    }),
    plainRoute(context, {
      method: 'POST',
      path: '/v1/auth/logout',
      operationId: 'authLogout',
      summary: 'Ends the caller’s session',
      tag,
      scope: null,
      listener: 'main',
      body: Type.Object({}, { additionalProperties: false }),
      isBodyOptional: true,
      answer: deletedSession,
      audit: { action: 'logout', resource_type: 'session' },
      handle: logout,
    }),
    plainRoute(context, {
      method: 'GET',
      path: '/v1/auth/self',
      operationId: 'authSelf',
      summary: 'Returns the caller’s identity and rights',
      tag,
      scope: null,
      listener: 'main',
      answer: selfSchema,
      audit: { action: 'read', resource_type: 'session' },
      handle: async (call): Promise<JsonObject> => whoAmI(call),
    }),
  ]
}
