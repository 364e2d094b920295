/**
 * Shared by Google's token services: their hosts, requests and answers.
 * Reference: https://developers.google.com/identity/protocols/oauth2/service-account
 * Errors: `host_not_allowed`, `invalid_config`; `dependency_unavailable` for an unusable answer; `UpstreamFault` 401
 * for a refusal. No message contains sent or received text, except the error code.
 */
import {
  GatewayError,
  type JsonObject,
  type ProviderFetchAnswer,
  type ProviderIo,
  UpstreamFault,
} from '@gateway/contract'
import { parseObject } from '../chat/values.ts'
import type { Expiring } from './token-cache.ts'

/** The scope of tokens. */
export const scope = 'https://www.googleapis.com/auth/cloud-platform'

const vendorHosts = new Set([
  'oauth2.googleapis.com',
  'accounts.google.com',
  'www.googleapis.com',
  'sts.googleapis.com',
  'iamcredentials.googleapis.com',
])

/** The URL of a token service: one of the vendor's own, or one that the gateway's operator trusts. */
export function checkTokenUrl(given: unknown, name: string, io: ProviderIo): string {
  const url = typeof given === 'string' && URL.canParse(given) ? new URL(given) : null
  if (url === null) {
    throw new GatewayError('invalid_config', `The service account's ${name} must be a URL.`)
  }
  const isVendors = url.protocol === 'https:' && url.port === '' && vendorHosts.has(url.hostname)
  if (isVendors || io.isTrusted(url.href)) return url.href
  throw new GatewayError('host_not_allowed', `The service account's ${name} is not a host of the provider.`)
}

/** Sends a form to a token service. */
export async function postForm(
  url: string,
  fields: Record<string, string>,
  io: ProviderIo,
): Promise<Expiring<string>> {
  const answer = await io.fetch({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: new URLSearchParams(fields).toString(),
  })
  return readToken(readAnswer(answer), io)
}

/** A token service's answer, which must be an object. */
export function readAnswer({ status, bytes }: ProviderFetchAnswer): JsonObject {
  const body = parseObject(bytes.toString('utf8'))
  if (status === 200 && body !== null) return body
  if (status !== 400 && status !== 401 && status !== 403) throw unavailable()
  throw refused(body?.error)
}

function readToken(
  { access_token: token, expires_in: seconds }: JsonObject,
  io: ProviderIo,
): Expiring<string> {
  if (typeof token !== 'string' || token === '') throw unavailable()
  return { value: token, expiresAt: io.now() + (typeof seconds === 'number' ? seconds : 0) * 1000 }
}

/** A token with its time to live, as a metadata server and the token services return it. */
export function tokenFrom(answer: ProviderFetchAnswer, io: ProviderIo): Expiring<string> {
  return readToken(readAnswer(answer), io)
}

/** The error for a service that returned nothing usable. */
export function unavailable(): GatewayError {
  return new GatewayError('dependency_unavailable', "The provider's token service returned no token.")
}

function refused(code: unknown): UpstreamFault {
  const word = typeof code === 'string' && /^[a-z_]{1,40}$/.test(code) ? ` (${code})` : ''
  return new UpstreamFault({
    status: 401,
    message: `The provider's token service refused the credential${word}.`,
    type: 'authentication_error',
    param: null,
    code: 'upstream_error',
  })
}
