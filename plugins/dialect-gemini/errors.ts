/**
 * Errors of the format, `{error: {code, message, status, details}}`, as an answer or as a stream event. The gateway's
 * code is the reason of an `ErrorInfo`; its path is in a `BadRequest`.
 * Reference: https://cloud.google.com/apis/design/errors, https://ai.google.dev/gemini-api/docs/troubleshooting
 */
import {
  isObject,
  type Json,
  type JsonObject,
  parseJson,
  type StreamEvent,
  type TooLong,
  UpstreamFault,
} from '@gateway/contract'
import { type ErrorAbout, faultOf } from '@gateway/contract/dialect'

/** https://github.com/googleapis/googleapis/blob/master/google/rpc/code.proto */
const statuses: ReadonlyMap<number, string> = new Map([
  [400, 'INVALID_ARGUMENT'],
  [401, 'UNAUTHENTICATED'],
  [403, 'PERMISSION_DENIED'],
  [404, 'NOT_FOUND'],
  [408, 'DEADLINE_EXCEEDED'],
  [409, 'ABORTED'],
  [412, 'FAILED_PRECONDITION'],
  [429, 'RESOURCE_EXHAUSTED'],
  [446, 'FAILED_PRECONDITION'],
  [499, 'CANCELLED'],
  [500, 'INTERNAL'],
  [501, 'UNIMPLEMENTED'],
  [502, 'UNAVAILABLE'],
  [503, 'UNAVAILABLE'],
  [504, 'DEADLINE_EXCEEDED'],
])

const typePrefix = 'type.googleapis.com/google.rpc.'

/** The error in an event or an answer; null if there is none. */
export function readError({ event, data }: StreamEvent): UpstreamFault | null {
  const body = parseJson(data)
  if (!isObject(body)) return event === 'error' ? faultOf({ message: data }) : null
  const { error } = body
  if (!isObject(error)) return null
  const { upstream } = faultOf({ ...error, code: undefined, status: error.code })
  return new UpstreamFault({
    ...upstream,
    type: typeof error.status === 'string' ? error.status : upstream.type,
    code: reasonOf(error.details) ?? upstream.code,
  })
}

function reasonOf(details: Json | undefined): string | null {
  const found = Array.isArray(details)
    ? details.find((one) => isObject(one) && typeof one.reason === 'string')
    : null
  return isObject(found) && typeof found.reason === 'string' ? found.reason : null
}

/** The gateway's error in this format. */
export function errorBody(body: JsonObject, { tooLong, status, retryAfter }: ErrorAbout): JsonObject {
  const { error, ...rest } = body
  const given = isObject(error) ? error : {}
  const { message, type, param, code, details } = given
  return {
    error: {
      code: status,
      message: tooLong === null ? (message ?? '') : lengthMessage(tooLong),
      status: statusOf(status, type),
      details: [
        ...(typeof code === 'string'
          ? [{ '@type': `${typePrefix}ErrorInfo`, reason: code, domain: 'gateway' }]
          : []),
        ...violations(param, message, details),
        ...retryInfo(retryAfter),
      ],
    },
    ...rest,
  }
}

/** Keeps the upstream's own status. */
function statusOf(status: number, type: Json | undefined): string {
  if (typeof type === 'string' && /^[A-Z][A-Z_]+$/.test(type)) return type
  return statuses.get(status) ?? (status < 500 ? 'FAILED_PRECONDITION' : 'INTERNAL')
}

function violations(
  param: Json | undefined,
  message: Json | undefined,
  details: Json | undefined,
): JsonObject[] {
  const faults = Array.isArray(details) ? details.filter(isObject) : []
  const named = faults.map(({ param: field, message: description }): JsonObject => ({ field, description }))
  const all =
    named.length === 0 && typeof param === 'string' ? [{ field: param, description: message }] : named
  return all.length === 0 ? [] : [{ '@type': `${typePrefix}BadRequest`, fieldViolations: all }]
}

function retryInfo(retryAfter: string | null): JsonObject[] {
  if (retryAfter === null || !/^\d+(?:\.\d+)?$/.test(retryAfter)) return []
  return [{ '@type': `${typePrefix}RetryInfo`, retryDelay: `${retryAfter}s` }]
}

/** The message by which this format's clients recognise a request that is too long. */
function lengthMessage({ tokens, maximum }: TooLong): string {
  const counted = tokens === null ? '' : ` (${tokens})`
  return `The input token count${counted} exceeds the maximum number of tokens allowed${maximum === null ? '' : ` (${maximum})`}.`
}
