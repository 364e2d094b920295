/**
 * Verifies a JWT for an organisation: algorithm, key, signature, times, issuer, audience. Errors: `jwt_…` of the
 * management contract, section 8, each with the found and the expected value; `dependency_unavailable` when the
 * issuer's keys cannot be fetched.
 */
import { type ErrorCode, GatewayError, type JsonObject, type KeySets } from '@gateway/contract'
import type { JwtSettings } from './jwt-settings.ts'
import { type DecodedToken, decodeToken } from './jwt-token.ts'

/** Loaded with the first token, because most gateways never receive one. */
let loading: Promise<typeof import('jose')> | null = null
const loadJose = () => {
  loading ??= import('jose')
  return loading
}

const fail = (code: ErrorCode, message: string, cause?: unknown) => new GatewayError(code, message, { cause })

/** The claims of a token with a valid signature; {@link checkClaims} checks its times. */
export async function verifySignature(
  token: string,
  settings: JwtSettings,
  keySets: KeySets,
): Promise<DecodedToken> {
  if (!settings.enabled || (settings.jwksUri === null && settings.jwks === null)) {
    throw fail(
      'jwt_not_configured',
      'The organisation does not accept JWTs: they are switched off, or it has no keys.',
    )
  }
  const decoded = decodeToken(token)
  const { alg, kid } = decoded.header
  if (typeof alg !== 'string' || !settings.algorithms.includes(alg)) {
    const allowed = settings.algorithms.join(', ')
    throw fail('jwt_algorithm_not_allowed', `The token's alg is ${show(alg)}; allowed: ${allowed}.`)
  }
  if (typeof kid !== 'string' || kid === '') {
    throw fail('jwt_kid_missing', 'The header of the token lacks kid.')
  }
  const jwk = await findKey(kid, alg, { settings, keySets })
  const { importJWK, compactVerify, errors } = await loadJose()
  try {
    const key = await importJWK(jwk, alg)
    await compactVerify(token, key, { algorithms: [alg] })
  } catch (error) {
    const cause = error instanceof errors.JOSEError ? error.code : 'the key does not match the algorithm'
    throw fail('jwt_signature_invalid', `The token's signature does not match the key ${show(kid)}.`, cause)
  }
  return decoded
}

async function findKey(
  kid: string,
  alg: string,
  { settings, keySets }: { settings: JwtSettings; keySets: KeySets },
): Promise<JsonObject> {
  const jwk =
    settings.jwks !== null
      ? keyWithId(settings.jwks, kid)
      : await fetchKey(settings.jwksUri ?? '', kid, { maxAgeMs: settings.cacheMaxAgeMs, keySets })
  if (jwk === undefined) {
    throw fail('jwt_key_not_found', `No key of the organisation has the kid ${show(kid)}.`)
  }
  if (jwk.alg !== undefined && jwk.alg !== alg) {
    throw fail(
      'jwt_key_not_found',
      `The key ${show(kid)} is for ${show(jwk.alg)}, the token's alg is ${alg}.`,
    )
  }
  return jwk
}

/** Errors: `dependency_unavailable`, also for a host that the guard refuses, which is not an error of the caller. */
async function fetchKey(
  url: string,
  kid: string,
  { maxAgeMs, keySets }: { maxAgeMs: number; keySets: KeySets },
): Promise<JsonObject | undefined> {
  try {
    const known = keyWithId(await keySets.get(url, maxAgeMs), kid)
    // After a failed renewal it is unknown whether the source has the key.
    return known ?? keyWithId((await keySets.renew(url)) ?? [], kid)
  } catch (cause) {
    const message = 'The keys of the token issuer cannot be fetched.'
    throw new GatewayError('dependency_unavailable', message, { cause, headers: { 'retry-after': '5' } })
  }
}

/** The keys for signatures. */
const keyWithId = (keys: readonly JsonObject[], id: string): JsonObject | undefined =>
  keys.find(({ kid, use }) => kid === id && (use === undefined || use === 'sig'))

/** A value of a token as text for a message, shortened. */
const show = (value: unknown): string =>
  value === undefined ? 'absent' : JSON.stringify(value).slice(0, 100)

/** Checks times, issuer and audience against the clock and the settings; repeated for every request with a token. */
export function checkClaims(payload: JsonObject, settings: JwtSettings, nowMs: number): void {
  checkTimes(payload, settings, nowMs)
  const { issuer, audience } = settings
  if (issuer !== null) {
    if (payload.iss === undefined) throw missing('iss')
    if (payload.iss !== issuer) throw mismatch('iss', issuer, payload.iss)
  }
  if (audience !== null) {
    if (payload.aud === undefined) throw missing('aud')
    const given = [payload.aud].flat()
    if (!audience.some((name) => given.includes(name)))
      throw mismatch('aud', audience.join(', '), payload.aud)
  }
}

function checkTimes(payload: JsonObject, settings: JwtSettings, nowMs: number): void {
  const { toleranceMs, maxTokenAgeMs } = settings
  const tolerance = `the tolerance is ${toleranceMs / 1000} s`
  const now = new Date(nowMs).toISOString()
  const expiresAt = timeClaim(payload, 'exp')
  if (expiresAt === null) throw missing('exp')
  if (expiresAt + toleranceMs <= nowMs) {
    throw fail('jwt_expired', `The token expired at ${iso(expiresAt)}; it is ${now}, ${tolerance}.`)
  }
  const notBefore = timeClaim(payload, 'nbf')
  if (notBefore !== null && notBefore - toleranceMs > nowMs) {
    throw fail('jwt_not_yet_valid', `The token is valid from ${iso(notBefore)}; it is ${now}, ${tolerance}.`)
  }
  if (maxTokenAgeMs === null) return
  const issuedAt = timeClaim(payload, 'iat')
  if (issuedAt === null) throw missing('iat')
  if (issuedAt - toleranceMs > nowMs) {
    throw fail('jwt_not_yet_valid', `The token was issued at ${iso(issuedAt)}; it is ${now}, ${tolerance}.`)
  }
  if (nowMs - issuedAt > maxTokenAgeMs + toleranceMs) {
    const age = `${maxTokenAgeMs / 1000} s`
    throw fail(
      'jwt_too_old',
      `The token was issued at ${iso(issuedAt)}; it is ${now}, at most ${age} old, ${tolerance}.`,
    )
  }
}

/** A NumericDate in milliseconds; null when the claim is missing. */
function timeClaim(payload: JsonObject, name: string): number | null {
  const value = payload[name]
  if (value === undefined) return null
  if (typeof value !== 'number' || !Number.isFinite(value) || Math.abs(value) > maxSeconds) {
    throw fail('jwt_malformed', `The claim ${name} is not a time in seconds.`)
  }
  return value * 1000
}

/** The maximum value of a date. */
const maxSeconds = 8.64e12

const iso = (timeMs: number) => new Date(timeMs).toISOString()
const missing = (name: string) => fail('jwt_claim_missing', `The token lacks the claim ${name}.`)
const mismatch = (name: string, expected: string, found: unknown) =>
  fail('jwt_claim_mismatch', `The claim ${name} is ${show(found)}; expected: ${expected}.`)
