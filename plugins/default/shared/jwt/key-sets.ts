/** Converts key sets (RFC 7517) to the form that token verification uses. */
import type { JsonObject } from '@gateway/contract'
import { createLocalJWKSet, type JWTVerifyGetKey } from 'jose'

/** Cached by the list, so that each key is imported once. */
const imported = new WeakMap<readonly JsonObject[], JWTVerifyGetKey>()

/** Keys of unsupported kinds are ignored. */
export function keySetOf(keys: readonly JsonObject[]): JWTVerifyGetKey {
  const known = imported.get(keys)
  if (known !== undefined) return known
  const usable = keys.filter((key): key is JsonObject & { kty: string } => typeof key.kty === 'string')
  const made = createLocalJWKSet({ keys: usable })
  imported.set(keys, made)
  return made
}
