/** Keys and tokens for the cases of the check of tokens, made here: no library that the check itself uses takes part. */
import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import type { JsonObject } from '@gateway/contract'

export interface SigningKey {
  kid: string
  alg: 'RS256' | 'ES256'
  secret: KeyObject
  /** The public half, as a key set has it. */
  jwk: JsonObject
}

export function createKey(kid: string, alg: SigningKey['alg'] = 'ES256'): SigningKey {
  const { publicKey, privateKey } =
    alg === 'RS256'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' })
  return {
    kid,
    alg,
    secret: privateKey,
    jwk: { ...(publicKey.export({ format: 'jwk' }) as JsonObject), kid, alg },
  }
}

/** The time of the tests' fixed clock in seconds, the same as in `createTestIo`. */
export const nowSeconds = 1_700_000_000

const encode = (part: JsonObject) => Buffer.from(JSON.stringify(part)).toString('base64url')

/** A token of these claims, issued a minute ago for an hour. */
export function createToken(
  { kid, alg, secret }: SigningKey,
  claims: JsonObject = {},
  { header = {}, now = nowSeconds }: { header?: JsonObject; now?: number } = {},
): string {
  const times = { iat: now - 60, exp: now + 3600 }
  const signed = `${encode({ alg, kid, typ: 'JWT', ...header })}.${encode({ ...times, ...claims })}`
  const signature = sign('sha256', Buffer.from(signed), { key: secret, dsaEncoding: 'ieee-p1363' })
  return `${signed}.${signature.toString('base64url')}`
}

/** A token that is signed by the public key, as if that were a secret; and one that is not signed at all. */
export function forgeTokens(
  { kid, jwk }: SigningKey,
  claims: JsonObject,
): { symmetric: string; unsigned: string } {
  const body = encode({ iat: nowSeconds - 60, exp: nowSeconds + 3600, ...claims })
  const symmetric = `${encode({ alg: 'HS256', kid, typ: 'JWT' })}.${body}`
  const mac = createHmac('sha256', JSON.stringify(jwk)).update(symmetric).digest('base64url')
  return { symmetric: `${symmetric}.${mac}`, unsigned: `${encode({ alg: 'none', typ: 'JWT' })}.${body}.` }
}
