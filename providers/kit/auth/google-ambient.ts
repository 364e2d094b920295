/**
 * The process's own Google identity: the file in GOOGLE_APPLICATION_CREDENTIALS (a service account, or workload
 * identity federation with a token from a file or a URL), otherwise the metadata server of the machine.
 * Reference: https://docs.cloud.google.com/docs/authentication/application-default-credentials,
 * https://google.aip.dev/auth/4117 (external accounts)
 * Errors: `dependency_unavailable` without an identity, `invalid_config` for an invalid file, and those of
 * `google-token.ts`.
 */
import {
  GatewayError,
  isObject,
  type Json,
  type JsonObject,
  type ProviderFetchAnswer,
  type ProviderIo,
} from '@gateway/contract'
import { parseObject } from '../chat/values.ts'
import { serviceAccountToken } from './google-service-account.ts'
import { checkTokenUrl, postForm, readAnswer, scope, tokenFrom, unavailable } from './google-token.ts'
import type { Expiring } from './token-cache.ts'

/** Settings of the process, never of a caller. */
export interface Surroundings {
  environment: Readonly<Record<string, string | undefined>>
  readFile(path: string): Promise<string>
}

/** A metadata server, if present, answers immediately. */
const metadataTimeoutMs = 3000

/** A token of the process's own identity. */
export async function ambientToken(surroundings: Surroundings, io: ProviderIo): Promise<Expiring<string>> {
  const path = surroundings.environment.GOOGLE_APPLICATION_CREDENTIALS
  if (path === undefined || path === '') return metadataToken(surroundings, io)
  const credentials = await readCredentials(path, surroundings)
  if (credentials.type === 'service_account') return serviceAccountToken(credentials, io)
  if (credentials.type === 'external_account') return federatedToken(credentials, surroundings, io)
  throw unusable(`credentials of type ${String(credentials.type)} are not supported`)
}

async function metadataToken({ environment }: Surroundings, io: ProviderIo): Promise<Expiring<string>> {
  const host = environment.GCE_METADATA_HOST ?? 'metadata.google.internal'
  const path = '/computeMetadata/v1/instance/service-accounts/default/token'
  const answer = await io.fetch({
    method: 'GET',
    url: `http://${host}${path}?scopes=${encodeURIComponent(scope)}`,
    headers: { 'metadata-flavor': 'Google' },
    isAmbient: true,
    timeoutMs: metadataTimeoutMs,
  })
  return tokenFrom(answer, io)
}

async function readCredentials(path: string, surroundings: Surroundings): Promise<JsonObject> {
  const parsed = parseObject(await readText(path, surroundings))
  if (parsed === null) throw unusable('the file is not a JSON object')
  return parsed
}

/** The message omits the path, which callers must not see. */
async function readText(path: string, { readFile }: Surroundings): Promise<string> {
  try {
    return await readFile(path)
  } catch (error) {
    throw new GatewayError('dependency_unavailable', "The process's own credentials cannot be read.", {
      cause: error,
    })
  }
}

/** Federation: exchanges a token of another issuer, and can impersonate a service account with the result. */
async function federatedToken(
  credentials: JsonObject,
  surroundings: Surroundings,
  io: ProviderIo,
): Promise<Expiring<string>> {
  const { audience, subject_token_type: type, service_account_impersonation_url: impersonation } = credentials
  if (typeof audience !== 'string' || typeof type !== 'string') {
    throw unusable('audience and subject_token_type are required')
  }
  const url = checkTokenUrl(credentials.token_url, 'token_url', io)
  const token = await postForm(
    url,
    {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      audience,
      scope,
      subject_token_type: type,
      subject_token: await subjectToken(credentials.credential_source, surroundings, io),
    },
    io,
  )
  if (typeof impersonation !== 'string') return token
  return impersonate(checkTokenUrl(impersonation, 'service_account_impersonation_url', io), token.value, io)
}

async function subjectToken(
  source: Json | undefined,
  surroundings: Surroundings,
  io: ProviderIo,
): Promise<string> {
  if (!isObject(source)) throw unusable('credential_source is required')
  const text = await sourceText(source, surroundings, io)
  const { format } = source
  if (!isObject(format) || format.type !== 'json') return text.trim()
  const token = parseObject(text)?.[String(format.subject_token_field_name)]
  if (typeof token !== 'string') throw unusable('the subject token cannot be read')
  return token
}

async function sourceText(
  { file, url, headers }: JsonObject,
  surroundings: Surroundings,
  io: ProviderIo,
): Promise<string> {
  if (typeof file === 'string') return readText(file, surroundings)
  if (typeof url !== 'string') throw unusable('only a token from a file or a URL is supported')
  const answer = await io.fetch({ method: 'GET', url, headers: textsOf(headers), isAmbient: true })
  if (answer.status !== 200) throw unavailable()
  return answer.bytes.toString('utf8')
}

function textsOf(headers: Json | undefined): Record<string, string> {
  const entries = Object.entries(isObject(headers) ? headers : {})
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]))
}

async function impersonate(url: string, token: string, io: ProviderIo): Promise<Expiring<string>> {
  const answer: ProviderFetchAnswer = await io.fetch({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ scope: [scope], lifetime: '3600s' }),
  })
  const { accessToken, expireTime } = readAnswer(answer)
  const expiresAt = typeof expireTime === 'string' ? Date.parse(expireTime) : Number.NaN
  if (typeof accessToken !== 'string' || Number.isNaN(expiresAt)) throw unavailable()
  return { value: accessToken, expiresAt }
}

function unusable(reason: string): GatewayError {
  return new GatewayError('invalid_config', `The process's own credentials cannot be used: ${reason}.`)
}
