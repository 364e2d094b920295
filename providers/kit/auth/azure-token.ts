/**
 * Answers of Azure's identity services: a token with its expiry, or a refusal. A refusal is the provider's 401, so
 * that a fallback can act on it; its message contains the service's error codes and none of its text.
 * Reference: https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow
 * Errors: {@link UpstreamFault} 401 for a refused credential; `dependency_unavailable` for a service that fails or
 * returns an invalid answer.
 */
import {
  GatewayError,
  type Json,
  type JsonObject,
  type ProviderFetchAnswer,
  UpstreamFault,
} from '@gateway/contract'
import { parseObject } from '../chat/values.ts'
import type { Expiring } from './token-cache.ts'

/** The lifetime of a token whose answer does not specify one. */
const defaultLifetimeMs = 300_000

/** The token of an answer. */
export function readAzureToken(answer: ProviderFetchAnswer, nowMs: number): Expiring<string> {
  const body = parseObject(answer.bytes.toString('utf8')) ?? {}
  if (answer.status >= 400 && answer.status < 500 && !isBusy(answer.status)) throw refused(body)
  const token = body.access_token
  if (answer.status !== 200 || typeof token !== 'string' || token === '') {
    throw new GatewayError(
      'dependency_unavailable',
      'The identity service of the provider returned no token.',
    )
  }
  return { value: token, expiresAt: expiryOf(body, nowMs) }
}

/** The lifetime in seconds, or the expiry in seconds since the epoch; both as number or as text. */
function expiryOf({ expires_in: lifetime, expires_on: end }: JsonObject, nowMs: number): number {
  const seconds = numberOf(lifetime)
  if (seconds !== null) return nowMs + seconds * 1000
  const endSeconds = numberOf(end)
  return endSeconds === null ? nowMs + defaultLifetimeMs : endSeconds * 1000
}

function numberOf(value: Json | undefined): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) && number > 0 ? number : null
}

/** Timeouts and rate limits are not refusals; the metadata service answers 404 and 410 while it is being updated. */
const isBusy = (status: number) => [404, 408, 410, 429].includes(status)

function refused(body: JsonObject): UpstreamFault {
  const code = typeof body.error === 'string' && /^[a-z_]{1,60}$/i.test(body.error) ? body.error : null
  const said = typeof body.error_description === 'string' ? body.error_description : ''
  const codes = [code, /\bAADSTS\d{1,9}\b/.exec(said)?.[0] ?? null].filter((each) => each !== null)
  const why = codes.length === 0 ? '' : ` (${codes.join(', ')})`
  return new UpstreamFault({
    status: 401,
    message: `The identity service of the provider refused the credential${why}.`,
    type: 'authentication_error',
    param: null,
    code: code ?? 'upstream_error',
  })
}
