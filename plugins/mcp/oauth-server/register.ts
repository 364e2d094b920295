/** Dynamic client registration (RFC 7591): https or loopback redirects. */

import type { Json, JsonObject, Route, ServiceAnswer, ServiceRequest } from '@gateway/contract'
import { timeOrderedId } from '@gateway/domain'
import type { McpRuntime } from '../runtime.ts'
import { clientAnswer } from './answers.ts'
import { answering, OauthFault, readJsonObject, uncached } from './form.ts'
import { type ClientData, draftOf, newSecret, oauthKinds, sha256 } from './records.ts'
import { isLoopbackUri } from './redirects.ts'

export const registerRoute = (runtime: McpRuntime): Route => ({
  method: 'POST',
  path: '/oauth/register',
  operationId: 'oauthRegister',
  otherAnswers: { 201: clientAnswer },
  summary: 'Registers an OAuth client',
  tag: 'OAuth',
  scope: 'public',
  streamsBody: true,
  media: { body: ['application/json'] },
  handle: (request) => answering(() => register(runtime, request)),
})

/** A whole office can share one address. */
const maxPerMinute = 300

async function register({ context }: McpRuntime, request: ServiceRequest): Promise<ServiceAnswer> {
  const made = await context.shared.increment(`oauth-register:${request.clientIp}`, 60_000)
  if (made > maxPerMinute)
    throw new OauthFault(
      'invalid_request',
      'Too many registrations from this address. Try again in a minute.',
      429,
    )
  const { secret, data } = readClient(await readJsonObject(request))
  const now = context.now()
  const id = timeOrderedId(now)
  const document = draftOf(oauthKinds.client, null, { data, nowMs: now, id })
  await context.documents.commit([{ op: 'put', document, expected: 0 }])
  const answer: JsonObject = {
    client_id: id,
    client_id_issued_at: Math.floor(now / 1000),
    client_name: data.client_name,
    redirect_uris: data.redirect_uris,
    grant_types: data.grant_types,
    response_types: ['code'],
    token_endpoint_auth_method: data.token_endpoint_auth_method,
    ...(data.client_uri === null ? {} : { client_uri: data.client_uri }),
    ...(secret === null ? {} : { client_secret: secret, client_secret_expires_at: 0 }),
  }
  return { status: 201, headers: uncached, body: answer }
}

const authMethods = ['none', 'client_secret_basic', 'client_secret_post'] as const
const grants = ['authorization_code', 'refresh_token']
const maxUris = 20

function readClient(given: JsonObject): { secret: string | null; data: ClientData } {
  const invalid = (message: string) => new OauthFault('invalid_client_metadata', message)
  const {
    client_name: name,
    client_uri: uri,
    token_endpoint_auth_method: written = 'client_secret_basic',
  } = given
  const method = authMethods.find((one) => one === written)
  if (method === undefined)
    throw invalid(`"token_endpoint_auth_method" must be one of ${authMethods.join(', ')}.`)
  const types = given.grant_types ?? ['authorization_code', 'refresh_token']
  if (!Array.isArray(types) || !types.includes('authorization_code'))
    throw invalid('"grant_types" must contain authorization_code.')
  if (name !== undefined && (typeof name !== 'string' || name.length > 200))
    throw invalid('"client_name" must be a string of at most 200 characters.')
  const secret = method === 'none' ? null : newSecret('gwcs_')
  const data: ClientData = {
    client_name: typeof name === 'string' && name.trim() !== '' ? name.trim() : 'MCP client',
    redirect_uris: readRedirects(given.redirect_uris),
    grant_types: types.filter((type): type is string => grants.includes(String(type))),
    token_endpoint_auth_method: method,
    secret_hash: secret === null ? null : sha256(secret),
    used_at: null,
    client_uri: typeof uri === 'string' && uri.startsWith('https://') ? uri.slice(0, 500) : null,
  }
  return { secret, data }
}

function readRedirects(written: Json | undefined): string[] {
  const invalid = (message: string) => new OauthFault('invalid_redirect_uri', message)
  if (!Array.isArray(written) || written.length === 0 || written.length > maxUris)
    throw invalid(`"redirect_uris" must list 1 to ${maxUris} URLs.`)
  return written.map((uri) => {
    if (typeof uri !== 'string' || uri.length > 2000 || !URL.canParse(uri))
      throw invalid('"redirect_uris" contains an invalid URL.')
    const url = new URL(uri)
    const isAllowed = url.protocol === 'https:' || isLoopbackUri(url)
    if (!isAllowed)
      throw invalid('Redirect URIs must be https, or http to this machine (127.0.0.1, [::1], localhost).')
    if (url.hash !== '' || url.username !== '' || url.password !== '')
      throw invalid('Redirect URIs must not contain a fragment or a password.')
    return uri
  })
}
