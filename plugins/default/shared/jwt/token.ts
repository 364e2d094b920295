/** The result for a token: its claims, or why it is refused. */
import type { JsonObject } from '@gateway/contract'

/** The reason why a token is refused; the same reasons as for tokens that authenticate to the gateway. */
type Refusal =
  | 'jwt_missing'
  | 'jwt_malformed'
  | 'jwt_algorithm_not_allowed'
  | 'jwt_kid_missing'
  | 'jwt_key_not_found'
  | 'jwt_signature_invalid'
  | 'jwt_inactive'
  | 'jwt_expired'
  | 'jwt_not_yet_valid'
  | 'jwt_too_old'
  | 'jwt_claim_missing'
  | 'jwt_claim_mismatch'

export interface Refused {
  reason: Refusal
  /** The invalid claim. */
  claim?: string
}

export interface Accepted {
  claims: JsonObject
  /** The token's protected header. Empty for a token without one. */
  header: JsonObject
}

export type TokenResult = Accepted | Refused

/** Rules that apply to every token. */
export interface TokenRules {
  algorithms: readonly string[]
  audience: readonly string[]
  issuer: readonly string[]
  maxAgeSeconds: number
  toleranceSeconds: number
}

/** Extracts the token from a header: `Bearer TOKEN`, or the token alone. */
export function tokenOf(header: string): string {
  return header.replace(/^\s*bearer\s+/i, '').trim()
}
