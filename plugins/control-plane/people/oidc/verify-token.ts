/**
 * Verifies tokens signed by an issuer with its public keys: signature, issuer, audience and times. Errors: 401
 * `invalid_api_key`; 503 `dependency_unavailable` when the keys cannot be fetched.
 */
import { GatewayError, isObject, type JsonObject, type ServiceContext } from '@gateway/contract'
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyOptions, jwtVerify } from 'jose'

const algorithms = [
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
]
const keysForMs = 3_600_000
const clockToleranceSeconds = 30

interface Signed {
  token: string
  jwksUri: string
  issuer: string
  audience: string
}

export async function verifyToken(
  { keySets, now }: ServiceContext<'keySets' | 'now'>,
  { token, jwksUri, issuer, audience }: Signed,
  more: JWTVerifyOptions = {},
): Promise<JsonObject> {
  const options: JWTVerifyOptions = {
    issuer,
    audience,
    algorithms,
    clockTolerance: clockToleranceSeconds,
    currentDate: new Date(now()),
    ...more,
  }
  const verify = async (keys: readonly JsonObject[]) => {
    const set = { keys: [...keys] } as JSONWebKeySet
    const { payload } = await jwtVerify(token, createLocalJWKSet(set), options)
    return isObject(payload) ? payload : {}
  }
  const known = await keysOf(() => keySets.get(jwksUri, keysForMs))
  try {
    return await verify(known)
  } catch (error) {
    if (!(error instanceof errors.JWKSNoMatchingKey)) throw refused(error)
    // The issuer may have changed its keys.
    const renewed = await keysOf(() => keySets.renew(jwksUri))
    if (renewed.length === 0) throw refused(error)
    return verify(renewed).catch((second: unknown) => {
      throw refused(second)
    })
  }
}

async function keysOf(read: () => Promise<readonly JsonObject[] | null>): Promise<readonly JsonObject[]> {
  try {
    return (await read()) ?? []
  } catch (error) {
    throw new GatewayError('dependency_unavailable', 'The keys of the identity provider cannot be fetched.', {
      cause: error,
    })
  }
}

const refused = (error: unknown) =>
  new GatewayError(
    'invalid_api_key',
    `The token of the identity provider is not valid: ${error instanceof Error ? error.message : String(error)}`,
    { cause: error },
  )
