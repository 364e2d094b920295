/**
 * `jwt_validation` of an integration: verifies the calling user's token before anything is sent upstream, with keys or
 * by introspection. Errors: 401 `jwt_…`, 403 `forbidden` for claim values, 503 when the keys are unavailable.
 */
import { type ErrorCode, GatewayError, isObject, type Json, type JsonObject } from '@gateway/contract'
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose'
import type { Visit } from './visit.ts'

const defaultAlgorithms = ['RS256', 'ES256']
const maxAgeMs = 3_600_000
const toleranceSeconds = 5

/**
 * The token that the client sent for the upstream: in `authorization`, or in the header that the integration names. An
 * introspection endpoint reads tokens of any form.
 */
export function personToken({ request, place }: Pick<Visit, 'request' | 'place'>): string | null {
  const { jwt_validation: rules } = place.integration.data.configurations
  const name = isObject(rules) && typeof rules.headerKey === 'string' ? rules.headerKey.toLowerCase() : null
  const isOpaque = isObject(rules) && typeof rules.introspectEndpoint === 'string'
  const own = name === null || name === 'authorization' ? undefined : request.headers[name]
  const sent = isOpaque ? (request.bearer ?? request.jwt) : request.jwt
  const written = own === undefined ? sent : own.replace(/^Bearer\s+/i, '').trim()
  return written !== null && (isOpaque ? anyToken : jwtShape).test(written) ? written : null
}

const jwtShape = /^[\w-]+\.[\w-]+\.[\w-]+$/
/** `b64token` of RFC 6750. */
const anyToken = /^[A-Za-z0-9\-._~+/]{1,8192}=*$/

export async function checkJwt(visit: Visit): Promise<void> {
  const { jwt_validation: rules } = visit.place.integration.data.configurations
  if (!isObject(rules)) return
  const token = personToken(visit)
  if (token === null)
    throw refused(
      'jwt_malformed',
      typeof rules.introspectEndpoint === 'string'
        ? 'This MCP server requires a token of the calling user.'
        : 'This MCP server requires a JWT of the calling user.',
    )
  const claims = await verify(visit, rules, token)
  for (const name of Array.isArray(rules.requiredClaims) ? rules.requiredClaims : [])
    if (claims[String(name)] === undefined)
      throw refused('jwt_claim_missing', `The JWT has no claim "${String(name)}".`)
  for (const [name, wanted] of Object.entries(isObject(rules.claimValues) ? rules.claimValues : {}))
    if (!fits(claims[name] as Json | undefined, wanted ?? null))
      throw new GatewayError(
        'forbidden',
        `The claim "${name}" of the JWT does not have the value that this MCP server requires.`,
      )
}

const refused = (code: ErrorCode, message: string) => new GatewayError(code, message)

/** Whether a claim has the value: equal to it, one of several, or a list that contains it. */
function fits(found: Json | undefined, wanted: Json): boolean {
  const values = Array.isArray(wanted) ? wanted : [wanted]
  const have = Array.isArray(found) ? found : [found]
  return have.some((one) => one !== undefined && values.includes(one))
}

async function verify(visit: Visit, rules: JsonObject, token: string): Promise<JWTPayload> {
  if (typeof rules.introspectEndpoint === 'string') return introspect(visit, rules.introspectEndpoint, token)
  const algorithms = Array.isArray(rules.algorithms) ? rules.algorithms.map(String) : defaultAlgorithms
  try {
    return await verifyBy(await keysOf(visit, rules, false), token, algorithms)
  } catch (error) {
    if (!(error instanceof errors.JWKSNoMatchingKey) || typeof rules.jwksUri !== 'string')
      throw asFault(error)
  }
  try {
    return await verifyBy(await keysOf(visit, rules, true), token, algorithms)
  } catch (error) {
    throw asFault(error)
  }
}

async function verifyBy(keys: JSONWebKeySet, token: string, algorithms: string[]): Promise<JWTPayload> {
  const options = { algorithms, clockTolerance: toleranceSeconds, requiredClaims: ['exp'] }
  return (await jwtVerify(token, createLocalJWKSet(keys), options)).payload
}

async function keysOf(
  { runtime }: Visit,
  { jwks, jwksUri }: JsonObject,
  isRenewed: boolean,
): Promise<JSONWebKeySet> {
  // Stored settings have passed their schema.
  if (isObject(jwks)) return jwks as JsonObject & JSONWebKeySet
  const url = String(jwksUri)
  const { keySets } = runtime.context
  try {
    const keys = (isRenewed ? await keySets.renew(url) : null) ?? (await keySets.get(url, maxAgeMs))
    return { keys: keys as JSONWebKeySet['keys'] }
  } catch (error) {
    throw new GatewayError('dependency_unavailable', 'The keys for the JWT cannot be fetched.', {
      cause: error,
    })
  }
}

async function introspect({ runtime }: Visit, url: string, token: string): Promise<JWTPayload> {
  const { status, bytes } = await runtime.context.fetch({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: new URLSearchParams({ token }).toString(),
  })
  const said: unknown = status === 200 ? parse(bytes) : null
  if (!isObject(said))
    throw new GatewayError('dependency_unavailable', 'The introspection endpoint did not answer.')
  if (said.active !== true) throw refused('jwt_expired', 'The token is not active.')
  return said as JWTPayload
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return null
  }
}

function asFault(error: unknown): unknown {
  if (error instanceof errors.JWTExpired) return refused('jwt_expired', 'The JWT has expired.')
  if (error instanceof errors.JWTClaimValidationFailed) {
    return error.claim === 'nbf'
      ? refused('jwt_not_yet_valid', 'The JWT is not valid yet.')
      : refused('jwt_claim_missing', `The JWT has no valid claim "${error.claim}".`)
  }
  if (error instanceof errors.JOSEAlgNotAllowed)
    return refused('jwt_algorithm_not_allowed', 'The JWT is signed with an algorithm that is not allowed.')
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys)
    return refused('jwt_key_not_found', 'No key of the issuer matches the JWT.')
  if (error instanceof errors.JWSSignatureVerificationFailed)
    return refused('jwt_signature_invalid', 'The signature of the JWT is wrong.')
  if (error instanceof errors.JOSEError) return refused('jwt_malformed', 'The JWT cannot be read.')
  return error
}
