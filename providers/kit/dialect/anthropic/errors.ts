/**
 * Errors: `{type: "error", error: {type, message}}`, as an answer or as an event in a stream that began with 200.
 * Reference: https://platform.claude.com/docs/en/api/errors
 */
import type { ErrorType } from '@anthropic-ai/sdk/resources/shared'
import { isObject, type JsonObject, type UpstreamError, UpstreamFault } from '@gateway/contract'
import { withContextLength } from '../../context-length.ts'

/** The status for each type of an error inside a stream. */
const statuses: Partial<Record<ErrorType | 'request_too_large', number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  conflict_error: 409,
  request_too_large: 413,
  rate_limit_error: 429,
  api_error: 500,
  timeout_error: 504,
  overloaded_error: 529,
}

/** Reads an error body; null when it is not one. */
export function anthropicError(status: number, body: JsonObject): UpstreamError | null {
  const { error } = body
  if (!isObject(error) || typeof error.message !== 'string') return null
  const details = isObject(error.details) ? error.details : {}
  return withContextLength({
    status,
    message: error.message,
    type: typeof error.type === 'string' ? error.type : 'upstream_error',
    param: null,
    code: typeof details.error_code === 'string' ? details.error_code : 'upstream_error',
  })
}

/** The status of an error event; 502 for a type that the vendor does not list. */
function statusOfType(type: unknown): number {
  const known: Readonly<Record<string, number | undefined>> = statuses
  return (typeof type === 'string' && Object.hasOwn(known, type) ? known[type] : undefined) ?? 502
}

/** The error of an `error` event, or of an error body with status 200. */
export function faultOf(event: JsonObject): UpstreamFault {
  const type = isObject(event.error) ? event.error.type : undefined
  const status = statusOfType(type)
  const message = 'The provider ended the stream with an error.'
  const blank = { status, message, type: 'upstream_error', param: null, code: 'upstream_error' }
  return new UpstreamFault(anthropicError(status, event) ?? blank)
}
