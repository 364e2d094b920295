/** Bodies and errors of OAuth endpoints (RFC 6749): forms in, JSON out. */
import { isObject, type JsonObject, type ServiceAnswer, type ServiceRequest } from '@gateway/contract'

export type OauthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'invalid_target'
  | 'invalid_redirect_uri'
  | 'invalid_client_metadata'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'access_denied'

export class OauthFault extends Error {
  readonly code: OauthErrorCode
  readonly status: number

  constructor(code: OauthErrorCode, message: string, status = code === 'invalid_client' ? 401 : 400) {
    super(message)
    this.code = code
    this.status = status
  }
}

export const uncached = { 'cache-control': 'no-store', pragma: 'no-cache' }

function oauthError(fault: OauthFault): ServiceAnswer {
  const challenge = fault.status === 401 ? { 'www-authenticate': 'Basic realm="oauth"' } : {}
  return {
    status: fault.status,
    headers: { ...uncached, ...challenge },
    body: { error: fault.code, error_description: fault.message },
  }
}

const maxBytes = 65_536

type SentForm = Pick<ServiceRequest, 'headers' | 'bodyStream'>

async function readText({ bodyStream }: Pick<SentForm, 'bodyStream'>): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of bodyStream ?? []) {
    size += chunk.length
    if (size > maxBytes) throw new OauthFault('invalid_request', 'The body is too large.', 413)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** Reads a form. A parameter that occurs twice is refused. */
export async function readForm(request: SentForm): Promise<ReadonlyMap<string, string>> {
  if (!/^application\/x-www-form-urlencoded(?:;|$)/i.test(request.headers['content-type'] ?? ''))
    throw new OauthFault('invalid_request', 'Send application/x-www-form-urlencoded.')
  const form = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(await readText(request))) {
    if (form.has(name))
      throw new OauthFault('invalid_request', `"${name.slice(0, 50)}" must occur only once.`)
    if (value !== '') form.set(name, value)
  }
  return form
}

export async function readJsonObject(request: ServiceRequest): Promise<JsonObject> {
  const invalid = () => new OauthFault('invalid_client_metadata', 'The body must be a JSON object.')
  let parsed: unknown
  try {
    parsed = JSON.parse(await readText(request))
  } catch (error) {
    if (error instanceof OauthFault) throw error
    throw invalid()
  }
  if (!isObject(parsed)) throw invalid()
  return parsed as JsonObject
}

/** Returns protocol errors as OAuth answers; other errors are handled as on every route. */
export async function answering(run: () => Promise<ServiceAnswer>): Promise<ServiceAnswer> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof OauthFault) return oauthError(error)
    throw error
  }
}
