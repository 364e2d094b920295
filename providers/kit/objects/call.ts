/** Procedure calls to a cloud's object storage: authorized, with JSON or bytes. */
import {
  type Dialect,
  GatewayError,
  type JsonObject,
  type ProcedureAnswer,
  type ProcedureContext,
  type ProviderFetchAnswer,
  type UpstreamRequest,
} from '@gateway/contract'
import { answerFault } from '../answer-fault.ts'
import { parseObject } from '../chat/values.ts'

export type ReadError = NonNullable<Dialect['error']>

export interface ObjectCall {
  method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE'
  url: string
  headers?: Record<string, string>
  body?: string | Buffer | null
  maxBytes?: number
}

const timeoutMs = 120_000
const maxJsonBytes = 16 * 1_048_576

/** Adds the credential for the call. */
export type Authorize = (request: UpstreamRequest, context: ProcedureContext) => Promise<UpstreamRequest>

const byTarget: Authorize = (request, context) => context.authorize(request)

/** Returns an answer of any status. */
export async function callObject(
  { method, url, headers = {}, body = null, maxBytes = maxJsonBytes }: ObjectCall,
  context: ProcedureContext,
  authorize: Authorize = byTarget,
): Promise<ProviderFetchAnswer> {
  const signed = await authorize({ method, url, headers, body }, context)
  return context.fetch({
    method,
    url: signed.url,
    headers: signed.headers,
    body: body ?? undefined,
    timeoutMs,
    maxBytes,
  })
}

/** Errors: `UpstreamFault` with the provider's status; 502 `upstream_invalid_response`. */
export async function callObjectJson(
  { body, ...call }: Omit<ObjectCall, 'body'> & { body?: JsonObject },
  context: ProcedureContext,
  readError: ReadError,
): Promise<JsonObject> {
  const answer = await callObject(
    {
      ...call,
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...call.headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
    },
    context,
  )
  const text = answer.bytes.toString('utf8')
  const read = text.trim() === '' ? {} : parseObject(text)
  if (answer.status >= 400) throw answerFault(answer, read ?? {}, readError)
  if (answer.status >= 300 || read === null)
    throw new GatewayError('upstream_invalid_response', 'The provider returned an invalid answer.')
  return read
}

export const objectAnswer = (body: JsonObject): ProcedureAnswer => ({
  status: 200,
  headers: {},
  body,
  stream: null,
})

/** Ids are percent-encoded URIs: clients write them into paths unchanged, or encode them once more. */
export const objectId = (uri: string): string => encodeURIComponent(uri)

export function objectUri(id: string): string {
  try {
    return /%[0-9a-f]{2}/i.test(id) ? decodeURIComponent(id) : id
  } catch {
    return id
  }
}

/** Unix seconds for an ISO 8601 time; null without one. */
export function secondsOf(time: unknown): number | null {
  const ms = typeof time === 'string' ? Date.parse(time) : Number.NaN
  return Number.isNaN(ms) ? null : Math.floor(ms / 1000)
}
