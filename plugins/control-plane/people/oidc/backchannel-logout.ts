/**
 * Back-channel logout: the identity provider reports a sign-out, which ends the user's sessions.
 * https://openid.net/specs/openid-connect-backchannel-1_0.html Errors: 400 `invalid_body`.
 */

import {
  type DocumentWrite,
  GatewayError,
  isGatewayError,
  isObject,
  type JsonObject,
  type ServiceAnswer,
} from '@gateway/contract'
import { auditWrite } from '@gateway/domain'
import { decodeJwt } from 'jose'
import type { Call } from '../../engine/index.ts'
import { endSessionsOf } from '../end-sessions.ts'
import { atIssuer } from '../session-data.ts'
import { failureCounterOf } from '../sign-in-rate.ts'
import { providerOf } from './provider.ts'
import { type OidcSettings, oidcSettings } from './settings.ts'
import { withOidc } from './sign-in.ts'
import { verifyToken } from './verify-token.ts'

const maxBytes = 65_536
const event = 'http://schemas.openid.net/event/backchannel-logout'
const maxAgeSeconds = 300
/** The time for which a used token is remembered: its validity, plus a margin for clocks that differ. */
const usedForMs = 2 * maxAgeSeconds * 1000

const invalid = (message: string) =>
  new GatewayError('invalid_body', `/logout_token: ${message}`, { param: '/logout_token' })

export async function backchannelLogout(call: Call<'fetch' | 'keySets' | 'shared'>): Promise<ServiceAnswer> {
  const token = await readToken(call)
  const tries = { address: call.request.clientIp, account: 'backchannel-logout' }
  try {
    await failureCounterOf(call.context).run(tries, () => endSessionsBy(call, token))
  } catch (error) {
    // The standard permits only status 400.
    if (isGatewayError(error) && error.status === 401) throw invalid(error.message)
    throw error
  }
  return { status: 200, headers: { 'cache-control': 'no-store' }, body: {} }
}

/** The body is a form. */
async function readToken({ request }: Call): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request.bodyStream ?? []) {
    size += chunk.length
    if (size > maxBytes)
      throw new GatewayError('body_too_large', `The body is larger than ${maxBytes} bytes.`)
    chunks.push(chunk)
  }
  const token = new URLSearchParams(Buffer.concat(chunks).toString('utf8')).get('logout_token')
  if (token === null || token === '') throw invalid('is required, in a form body')
  return token
}

async function endSessionsBy(call: Call<'fetch' | 'keySets' | 'shared'>, token: string): Promise<void> {
  const { context, nowMs, request } = call
  const { organisationId, settings } = await addressee(call, token)
  const { issuer, jwks_uri: jwksUri = '' } = (await providerOf(context, settings)).serverMetadata()
  const signed = { token, jwksUri, issuer, audience: settings.clientId }
  const claims = await verifyToken(context, signed, { maxTokenAge: maxAgeSeconds, requiredClaims: ['jti'] })
  checkClaims(claims)
  const { sid, sub } = claims
  const attributes: Record<string, readonly string[]> =
    typeof sid === 'string'
      ? { idp_session: [atIssuer(issuer, sid)] }
      : { idp_subject: [atIssuer(issuer, String(sub))] }
  if (!(await context.shared.acquire(`logout-token:${atIssuer(issuer, String(claims.jti))}`, usedForMs))) {
    throw invalid('has already been used')
  }
  const writes: DocumentWrite[] = await endSessionsOf(call.documents, attributes, nowMs)
  const record = auditWrite(
    { request, identity: null, organisationId, nowMs, status: 200, sent: null },
    {
      action: 'logout',
      resource_type: 'session',
      resource_id: null,
      details: { method: 'backchannel', sessions: writes.length },
    },
  )
  await call.documents.commit([...writes, record])
}

/** The client that the token claims to be for, read before the token is verified. */
async function addressee(
  call: Call<'fetch' | 'shared'>,
  token: string,
): Promise<{ organisationId: string; settings: OidcSettings }> {
  const { iss, aud } = unverified(token)
  const audiences = Array.isArray(aud) ? aud : [aud]
  for (const organisation of await withOidc(call)) {
    const settings = oidcSettings(call.context, organisation)
    if (settings === null || !audiences.includes(settings.clientId)) continue
    const { issuer } = (await providerOf(call.context, settings)).serverMetadata()
    if (issuer === iss) return { organisationId: organisation.id, settings }
  }
  throw new GatewayError('invalid_api_key', 'was not issued by an identity provider of this gateway')
}

function unverified(token: string): { iss?: unknown; aud?: unknown } {
  try {
    return decodeJwt(token)
  } catch {
    throw new GatewayError('invalid_api_key', 'is not a JWT')
  }
}

function checkClaims({ events, nonce, sid, sub }: JsonObject): void {
  if (!isObject(events) || !isObject(events[event])) throw invalid('has no logout event')
  if (nonce !== undefined) throw invalid('must not have a nonce')
  if (typeof sid !== 'string' && typeof sub !== 'string') throw invalid('must have sid or sub')
}
