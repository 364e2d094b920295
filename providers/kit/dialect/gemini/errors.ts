/**
 * Errors: `{error: {code, message, status, details}}` (google.rpc.Status), as an answer or as an event in a stream
 * that began with 200. The reason of an `ErrorInfo` in the details becomes the code; quotas and the time to retry become
 * headers.
 * Reference: https://ai.google.dev/gemini-api/docs/troubleshooting, https://cloud.google.com/apis/design/errors
 */
import {
  type Dialect,
  isObject,
  type Json,
  type JsonObject,
  type UpstreamError,
  UpstreamFault,
} from '@gateway/contract'
import { withContextLength } from '../../context-length.ts'
import { withQuotas } from './quotas.ts'

/** Reads an error body; null when it is not one. */
export function geminiError(status: number, body: JsonObject): UpstreamError | null {
  const { error } = body
  if (!isObject(error) || typeof error.message !== 'string') return null
  const read = withContextLength({
    status,
    message: error.message,
    type: typeof error.status === 'string' ? error.status : 'upstream_error',
    param: null,
    code: reasonOf(error.details) ?? 'upstream_error',
  })
  return withQuotas(read, body)
}

/** Reads the errors of another format at a vendor whose own errors, such as those about quotas, are Google's. */
export const withGoogleErrors =
  (read: Dialect['error']): NonNullable<Dialect['error']> =>
  (status, body, headers) => {
    const error = read?.(status, body, headers) ?? null
    return error === null ? geminiError(status, body) : withQuotas(error, body)
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
