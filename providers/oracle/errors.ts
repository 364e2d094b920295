/**
 * Errors: `{code, message}` as an answer or as an event, and answers that report a failure.
 * Reference: https://docs.oracle.com/iaas/Content/API/References/apierrors.htm
 */
import { isObject, type JsonObject, type UpstreamError, UpstreamFault } from '@gateway/contract'
import { compatibleError, textOf, withContextLength } from '@gateway/provider-kit'

/** Reads an error body; null when it is not one. */
export function oracleError(status: number, body: JsonObject): UpstreamError | null {
  if (typeof body.message !== 'string') return compatibleError(status, body)
  const code = typeof body.code === 'number' ? String(body.code) : textOf(body.code)
  return withContextLength({
    status,
    message: body.message === '' ? `The provider answered ${status}.` : body.message,
    type: 'upstream_error',
    param: null,
    code: code === '' ? 'upstream_error' : code,
  })
}

/** The fault in an error event; null for other events. */
export function eventFault(event: JsonObject): UpstreamFault | null {
  const isError = isObject(event.error) || (typeof event.message === 'string' && event.code !== undefined)
  if (!isError) return null
  const code = Number(event.code)
  const status = Number.isInteger(code) && code >= 400 && code <= 599 ? code : 502
  const error = oracleError(status, event)
  return error === null ? null : new UpstreamFault(error)
}

/** The fault for an answer whose model failed. */
export function failedAnswer({ errorMessage }: JsonObject): UpstreamFault {
  return new UpstreamFault({
    status: 502,
    message: textOf(errorMessage) || 'The model of the provider failed.',
    type: 'upstream_error',
    param: null,
    code: 'upstream_error',
  })
}
