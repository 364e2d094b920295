/**
 * The envelope of every answer, `{result, success, errors: [{code, message}]}`, and the errors in it.
 * Reference: https://developers.cloudflare.com/fundamentals/api/how-to/make-api-calls/
 * Errors: {@link UpstreamFault} for an envelope of errors; `upstream_invalid_response` for one without a result.
 */
import { GatewayError, isObject, type JsonObject, type UpstreamError, UpstreamFault } from '@gateway/contract'
import { compatibleError, compatibleFault, objectsOf, textOf, withContextLength } from '@gateway/provider-kit'

/** Reads an error body; null when it is not one. */
export function workersError(status: number, body: JsonObject): UpstreamError | null {
  const errors = objectsOf(body.errors)
  const messages = errors.map(({ message }) => textOf(message)).filter((message) => message !== '')
  if (messages.length === 0) return compatibleError(status, body)
  const [code] = errors.map((error) => error.code)
  return withContextLength({
    status,
    message: messages.join('; '),
    type: 'upstream_error',
    param: null,
    code: typeof code === 'number' || typeof code === 'string' ? String(code) : 'upstream_error',
  })
}

/** Throws the failure in an answer with status 200 or in an event. */
export function throwFailure(body: JsonObject): void {
  const isFailure = body.success === false || (objectsOf(body.errors).length > 0 && !isObject(body.result))
  if (!isFailure) {
    const fault = body.choices === undefined ? compatibleFault(body) : null
    if (fault !== null) throw fault
    return
  }
  const blank = { type: 'upstream_error', param: null, code: 'upstream_error' }
  const message = 'The provider answered with an error.'
  throw new UpstreamFault(workersError(502, body) ?? { status: 502, message, ...blank })
}

/** The content of the envelope; some custom hosts send it without the envelope. */
export function resultOf(body: JsonObject): JsonObject {
  throwFailure(body)
  if (body.result === undefined) return body
  if (isObject(body.result)) return body.result
  throw new GatewayError('upstream_invalid_response', 'The provider answered without a result.')
}
