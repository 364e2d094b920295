/**
 * Verifies signed tokens (RFC 7519) with public keys. The algorithm must be on the list, which has only asymmetric
 * ones: a token with `none`, or with a symmetric algorithm that would use a public key as its secret, is refused
 * without reading it.
 */
import { isObject } from '@gateway/contract'
import { errors, type JWTVerifyGetKey, jwtVerify } from 'jose'
import type { Refused, TokenResult, TokenRules } from './token.ts'

/** Asymmetric ones. */
export const algorithms = [
  ...(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const),
  ...(['ES256', 'ES384', 'ES512', 'EdDSA'] as const),
]

/**
 * Verifies a token's signature, times, audience and issuer.
 * @throws Error if the keys cannot be fetched or used
 */
export async function verifyToken(
  token: string,
  keys: JWTVerifyGetKey,
  { rules, nowMs }: { rules: TokenRules; nowMs: number },
): Promise<TokenResult> {
  try {
    const { payload, protectedHeader } = await jwtVerify(token, keys, {
      algorithms: [...rules.algorithms],
      ...(rules.audience.length > 0 ? { audience: [...rules.audience] } : {}),
      ...(rules.issuer.length > 0 ? { issuer: [...rules.issuer] } : {}),
      maxTokenAge: rules.maxAgeSeconds,
      clockTolerance: rules.toleranceSeconds,
      currentDate: new Date(nowMs),
    })
    const header: unknown = protectedHeader
    const claims: unknown = payload
    return { claims: isObject(claims) ? claims : {}, header: isObject(header) ? header : {} }
  } catch (error) {
    const refused = refusalOf(error)
    if (refused !== null) return refused
    throw isReadable(error) ? error : new Error('a key of the key set cannot be used', { cause: error })
  }
}

/** Null if the token is not the cause. */
function refusalOf(error: unknown): Refused | null {
  if (error instanceof errors.JWTExpired)
    return { reason: error.claim === 'iat' ? 'jwt_too_old' : 'jwt_expired', claim: error.claim }
  if (error instanceof errors.JWTClaimValidationFailed) {
    const { claim, reason } = error
    if (reason === 'missing') return { reason: 'jwt_claim_missing', claim }
    const isEarly = reason === 'check_failed' && (claim === 'nbf' || claim === 'iat')
    return { reason: isEarly ? 'jwt_not_yet_valid' : 'jwt_claim_mismatch', claim }
  }
  if (error instanceof errors.JOSEAlgNotAllowed) return { reason: 'jwt_algorithm_not_allowed' }
  if (error instanceof errors.JWKSNoMatchingKey) return { reason: 'jwt_key_not_found' }
  if (error instanceof errors.JWKSMultipleMatchingKeys) return { reason: 'jwt_kid_missing' }
  if (error instanceof errors.JWSSignatureVerificationFailed) return { reason: 'jwt_signature_invalid' }
  if (
    error instanceof errors.JWSInvalid ||
    error instanceof errors.JWTInvalid ||
    error instanceof errors.JOSENotSupported
  )
    return { reason: 'jwt_malformed' }
  return null
}

/** The library's own type errors may quote a key. */
const isReadable = (error: unknown): boolean => error instanceof Error && !(error instanceof TypeError)
