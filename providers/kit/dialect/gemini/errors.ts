/**
 * Errors: `{error: {code, message, status, details}}` (google.rpc.Status), as an answer or as an event in a stream
 * that began with 200. The reason of an `ErrorInfo` in the details becomes the code.
 * Reference: https://ai.google.dev/gemini-api/docs/troubleshooting, https://cloud.google.com/apis/design/errors
 */
import { isObject, type Json, type JsonObject, type UpstreamError, UpstreamFault } from '@gateway/contract'
import { withContextLength } from '../../context-length.ts'

/** Reads an error body; null when it is not one. */
export function geminiError(status: number, body: JsonObject): UpstreamError | null {
  const { error } = body
  if (!isObject(error) || typeof error.message !== 'string') return null
  return withContextLength({
    status,
    message: error.message,
    type: typeof error.status === 'string' ? error.status : 'upstream_error',
    param: null,
    code: reasonOf(error.details) ?? 'upstream_error',
  })
}

function reasonOf(details: Json | undefined): string | null {
  if (!Array.isArray(details)) return null
  const info = details.find((detail) => isObject(detail) && typeof detail.reason === 'string')
  return isObject(info) && typeof info.reason === 'string' ? info.reason : null
}

/** @throws UpstreamFault when an event of a stream contains an error */
export function throwError(event: JsonObject): void {
  const { error } = event
  if (error === undefined || error === null) return
  const code = isObject(error) ? error.code : undefined
  const status = typeof code === 'number' && code >= 400 && code <= 599 ? code : 502
  const message = 'The provider ended the stream with an error.'
  const blank = { status, message, type: 'upstream_error', param: null, code: 'upstream_error' }
  throw new UpstreamFault(geminiError(status, event) ?? blank)
}
