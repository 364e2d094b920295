/** Key sets (RFC 7517) as the verification of tokens takes them. */
import type { JsonObject } from '@gateway/contract'
import { createLocalJWKSet, type JWTVerifyGetKey } from 'jose'

/** By the list, so that a key that is used again is imported once. */
const imported = new WeakMap<readonly JsonObject[], JWTVerifyGetKey>()

/** Keys of kinds that are not used stay unused. */
export function keySetOf(keys: readonly JsonObject[]): JWTVerifyGetKey {
  const known = imported.get(keys)
  if (known !== undefined) return known
  const usable = keys.filter((key): key is JsonObject & { kty: string } => typeof key.kty === 'string')
  const made = createLocalJWKSet({ keys: usable })
  imported.set(keys, made)
  return made
}
