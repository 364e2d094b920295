/**
 * Exchanges a service account's key for an access token, with the JWT bearer grant (RFC 7523), signed with RS256.
 * Reference: https://developers.google.com/identity/protocols/oauth2/service-account
 * Errors: `invalid_config` for an invalid key, and those of `google-token.ts`.
 */
import { GatewayError, type JsonObject, type ProviderIo } from '@gateway/contract'
import { type CryptoKey, importPKCS8, SignJWT } from 'jose'
import { checkTokenUrl, postForm, scope } from './google-token.ts'
import type { Expiring } from './token-cache.ts'

const grantType = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const vendorTokenUrl = 'https://oauth2.googleapis.com/token'
/** The maximum lifetime that the vendor allows. */
const lifetimeSeconds = 3600

/** Requests a token from the account's token service. */
export async function serviceAccountToken(account: JsonObject, io: ProviderIo): Promise<Expiring<string>> {
  const url = checkTokenUrl(account.token_uri ?? vendorTokenUrl, 'token_uri', io)
  const assertion = await signAssertion(account, url, io.now())
  return postForm(url, { grant_type: grantType, assertion }, io)
}

async function signAssertion(account: JsonObject, audience: string, nowMs: number): Promise<string> {
  const { client_email: email, private_key: key, private_key_id: keyId } = account
  if (typeof email !== 'string' || typeof key !== 'string') {
    throw new GatewayError('invalid_config', 'A service account requires client_email and private_key.')
  }
  const issuedAt = Math.floor(nowMs / 1000)
  return new SignJWT({ scope })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', ...(typeof keyId === 'string' ? { kid: keyId } : {}) })
    .setIssuer(email)
    .setAudience(audience)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + lifetimeSeconds)
    .sign(await importKey(key))
}

/** Keys in environment variables often have escaped line breaks. */
async function importKey(key: string): Promise<CryptoKey> {
  try {
    return await importPKCS8(key.replaceAll('\\n', '\n'), 'RS256')
  } catch {
    // The cause could quote the key.
    throw new GatewayError('invalid_config', "The service account's private_key cannot be read.")
  }
}
