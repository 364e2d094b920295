/**
 * Asks an authorisation server whether a token is active (RFC 7662), and checks times, audience and issuer in its
 * answer. Answers can be cached by the token's hash. Errors: those of the call, and of an invalid answer.
 */
import { createHash } from 'node:crypto'
import { type CheckIo, isObject, type Json, type JsonObject } from '@gateway/contract'
import { decodeProtectedHeader } from 'jose'
import type { Refused, TokenResult, TokenRules } from './token.ts'

export interface IntrospectionOptions {
  endpoint: string
  contentType: 'application/x-www-form-urlencoded' | 'application/json'
  clientId: string | undefined
  clientSecret: string | undefined
  /** 0: answers are not cached. */
  cacheSeconds: number
}

/** The most cached answers; beyond it the oldest is removed. */
const maxKept = 1000

/** Makes the function that introspects tokens. */
export function createIntrospection(
  options: IntrospectionOptions,
  rules: TokenRules,
): (token: string, io: CheckIo) => Promise<TokenResult> {
  const kept = new Map<string, { claims: JsonObject; until: number }>()

  async function claimsOf(token: string, io: CheckIo): Promise<JsonObject> {
    if (options.cacheSeconds === 0) return ask(token, options, io)
    const key = createHash('sha256').update(token).digest('base64')
    const known = kept.get(key)
    if (known !== undefined && known.until > io.now()) return known.claims
    const claims = await ask(token, options, io)
    kept.delete(key)
    const [oldest] = kept.keys()
    if (oldest !== undefined && kept.size >= maxKept) kept.delete(oldest)
    kept.set(key, { claims, until: io.now() + options.cacheSeconds * 1000 })
    return claims
  }

  return async (token, io) => {
    const claims = await claimsOf(token, io)
    if (claims.active !== true) return { reason: 'jwt_inactive' }
    return refusalOf(claims, rules, io.now() / 1000) ?? { claims, header: headerOf(token) }
  }
}

async function ask(token: string, options: IntrospectionOptions, io: CheckIo): Promise<JsonObject> {
  const { endpoint, contentType, clientId, clientSecret = '' } = options
  const fields = { token, token_type_hint: 'access_token' }
  const isForm = contentType === 'application/x-www-form-urlencoded'
  const answer = await io.fetch({
    method: 'POST',
    url: endpoint,
    headers: {
      accept: 'application/json',
      'content-type': contentType,
      ...(clientId === undefined ? {} : { authorization: basic(clientId, clientSecret) }),
    },
    body: isForm ? new URLSearchParams(fields).toString() : JSON.stringify(fields),
  })
  if (answer.status !== 200)
    throw new Error(`the introspection endpoint answered with status ${answer.status}`)
  const claims = readJson(answer.bytes)
  if (!isObject(claims) || typeof claims.active !== 'boolean')
    throw new Error('the introspection endpoint’s answer does not say whether the token is active')
  return claims
}

/** Both are form-encoded first (RFC 6749, 2.3.1). */
function basic(id: string, secret: string): string {
  const encode = (text: string) => new URLSearchParams({ '': text }).toString().slice(1)
  return `Basic ${Buffer.from(`${encode(id)}:${encode(secret)}`).toString('base64')}`
}

function readJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return null
  }
}

/** An opaque token has no header. */
function headerOf(token: string): JsonObject {
  try {
    const header: unknown = decodeProtectedHeader(token)
    return isObject(header) ? header : {}
  } catch {
    return {}
  }
}

function refusalOf(claims: JsonObject, rules: TokenRules, nowSeconds: number): Refused | null {
  const { toleranceSeconds, maxAgeSeconds } = rules
  const { exp, nbf, iat } = claims
  if (typeof exp === 'number' && exp + toleranceSeconds <= nowSeconds)
    return { reason: 'jwt_expired', claim: 'exp' }
  if (typeof nbf === 'number' && nbf - toleranceSeconds > nowSeconds)
    return { reason: 'jwt_not_yet_valid', claim: 'nbf' }
  if (typeof iat === 'number' && iat + maxAgeSeconds + toleranceSeconds < nowSeconds)
    return { reason: 'jwt_too_old', claim: 'iat' }
  return mismatchOf('aud', claims.aud, rules.audience) ?? mismatchOf('iss', claims.iss, rules.issuer)
}

function mismatchOf(claim: string, value: Json | undefined, wanted: readonly string[]): Refused | null {
  if (wanted.length === 0) return null
  if (value === undefined || value === null) return { reason: 'jwt_claim_missing', claim }
  const values: readonly Json[] = Array.isArray(value) ? value : [value]
  return values.some((one) => typeof one === 'string' && wanted.includes(one))
    ? null
    : { reason: 'jwt_claim_mismatch', claim }
}
