/** How sessions are created and shown (management contract, section 8). */

import { createHash, randomBytes } from 'node:crypto'
import { type DocumentWrite, isObject, type JsonObject, type StoredDocument } from '@gateway/contract'
import { hashKeyOf, kinds, type OrganisationData, type SessionData, timeOrderedId } from '@gateway/domain'
import { type TSchema, Type } from '@sinclair/typebox'
import { toIso } from '../engine/index.ts'

export type SessionDocument = StoredDocument<SessionData>

/** The lifetime, counted from the sign-in; nothing extends it. */
export const sessionMs = 12 * 3_600_000
const tokenBytes = 24
const maxUserAgentChars = 500

const nullableText = Type.Union([Type.String(), Type.Null()])

export const sessionSchema: TSchema = Type.Object({
  object: Type.Literal('session'),
  id: Type.String(),
  user_id: nullableText,
  api_key_id: nullableText,
  created_at: Type.String(),
  last_seen_at: nullableText,
  expires_at: Type.String(),
  ip: Type.String(),
  user_agent: nullableText,
  current: Type.Boolean(),
  token: Type.Optional(Type.String({ description: 'Only the answer to the sign-in contains it.' })),
  csrf_token: Type.Optional(nullableText),
})

export interface NewSession {
  organisationId: string
  organisation: OrganisationData | null
  userId: string | null
  apiKeyId: string | null
  ip: string
  userAgent: string | undefined
  identityProvider?: SessionData['identity_provider']
  nowMs: number
}

const secret = (prefix: string) => prefix + randomBytes(tokenBytes).toString('base64url')
export const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** A new session: the write, and the members that its owner sees once. */
export function createSession(made: NewSession): { write: DocumentWrite; shown: JsonObject; token: string } {
  const token = secret('gws_')
  const data: SessionData = {
    user_id: made.userId,
    api_key_id: made.apiKeyId,
    csrf_token: secret(''),
    expires_at: toIso(made.nowMs + lifeOf(made.organisation)),
    ip: made.ip,
    user_agent: made.userAgent?.slice(0, maxUserAgentChars) ?? null,
    identity_provider: made.identityProvider ?? null,
  }
  const document = {
    kind: kinds.session,
    id: timeOrderedId(made.nowMs),
    organisation_id: made.organisationId,
    workspace_id: null,
    slug: null,
    name: null,
    status: 'active',
    created_at: made.nowMs,
    last_updated_at: made.nowMs,
    keys: [hashKeyOf(sha256(token))],
    attributes: sessionAttributes(data),
    data: { ...data },
  }
  const session = { ...document, version: 1, data }
  const { organisation } = made
  const shown = { ...presentSession(session, { organisation, lastSeenAt: null, isCurrent: true }), token }
  return { write: { op: 'put', document, expected: 0 }, shown, token }
}

/** The attributes by which sessions are found. */
export function sessionAttributes(data: SessionData): Record<string, readonly string[]> {
  const { user_id, api_key_id, identity_provider: provider } = data
  return {
    ...(user_id === null ? {} : { user_id: [user_id] }),
    ...(api_key_id === null ? {} : { api_key_id: [api_key_id] }),
    ...(provider === null || provider === undefined
      ? {}
      : {
          idp_subject: [atIssuer(provider.issuer, provider.subject)],
          ...(provider.session === null
            ? {}
            : { idp_session: [atIssuer(provider.issuer, provider.session)] }),
        }),
  }
}

/** An issuer's name for a subject, hashed so that it is short enough for an index. */
export const atIssuer = (issuer: string, name: string) => sha256(`${issuer}\n${name}`)

function lifeOf(organisation: OrganisationData | null): number {
  const settings = organisation?.settings.session_settings
  const maxTtl = isObject(settings) ? settings.max_session_ttl : null
  return typeof maxTtl === 'number' ? Math.min(sessionMs, maxTtl * 1000) : sessionMs
}

export interface SessionView {
  /** Read again because its settings may have become stricter since the sign-in. */
  organisation: OrganisationData | null
  lastSeenAt: string | null
  isCurrent: boolean
}

/** The form of a session in answers. Only the session itself sees its CSRF token. */
export function presentSession(
  { id, created_at, data }: SessionDocument,
  { organisation, lastSeenAt, isCurrent }: SessionView,
): JsonObject {
  const endsAt = Math.min(Date.parse(data.expires_at), created_at + lifeOf(organisation))
  return {
    object: 'session',
    id,
    user_id: data.user_id,
    api_key_id: data.api_key_id,
    created_at: toIso(created_at),
    last_seen_at: lastSeenAt ?? toIso(created_at),
    expires_at: toIso(endsAt),
    ip: data.ip,
    user_agent: data.user_agent,
    current: isCurrent,
    csrf_token: isCurrent ? data.csrf_token : null,
  }
}

/** The cookie with a session's token, or (null) the one that deletes it. */
export function sessionCookie(token: string | null, isSecure: boolean, maxAgeSeconds: number): string {
  return [
    `gateway_session=${token ?? ''}`,
    'Path=/',
    `Max-Age=${token === null ? 0 : Math.max(0, Math.floor(maxAgeSeconds))}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(isSecure ? ['Secure'] : []),
  ].join('; ')
}
