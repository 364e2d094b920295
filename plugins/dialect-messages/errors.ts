/**
 * Errors of the Messages format, `{type: "error", error: {type, message}}`, as an answer or as an `error` event in a
 * stream.
 * Reference: https://platform.claude.com/docs/en/api/errors
 */
import {
  isObject,
  type JsonObject,
  parseJson,
  type StreamEvent,
  type TooLong,
  UpstreamFault,
} from '@gateway/contract'
import { type ErrorAbout, faultOf } from '@gateway/contract/dialect'

/** The status of each error type, for errors inside a stream. */
const statuses: ReadonlyMap<unknown, number> = new Map([
  ['invalid_request_error', 400],
  ['authentication_error', 401],
  ['billing_error', 402],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['conflict_error', 409],
  ['request_too_large', 413],
  ['rate_limit_error', 429],
  ['api_error', 500],
  ['timeout_error', 504],
  ['overloaded_error', 529],
])

/** The error in an `error` event; null for other events. */
export function readError({ event, data }: StreamEvent): UpstreamFault | null {
  const body = parseJson(data)
  if (!isObject(body)) return event === 'error' ? faultOf({ message: data }) : null
  if (event !== 'error' && body.type !== 'error') return null
  const error = isObject(body.error) ? body.error : body
  const { upstream } = faultOf(error)
  const code = isObject(error.details) ? error.details.error_code : undefined
  return new UpstreamFault({
    ...upstream,
    status: statuses.get(error.type) ?? upstream.status,
    ...(typeof code === 'string' ? { code } : {}),
  })
}

/** Messages by which this format's clients recognise a request that is too long. */
const isKnownLength = /^(?:prompt is too long: \d+ tokens|input length and `max_tokens` exceed)/

/** The gateway's error with the members that clients of this format expect. */
export function errorBody(body: JsonObject, { tooLong }: Pick<ErrorAbout, 'tooLong'>): JsonObject {
  const { error } = body
  if (tooLong === null || !isObject(error) || isKnownLength.test(String(error.message)))
    return { type: 'error', ...body }
  return { type: 'error', ...body, error: { ...error, message: lengthMessage(tooLong) } }
}

function lengthMessage({ tokens, maximum }: TooLong): string {
  if (tokens === null) return `prompt is too long${maximum === null ? '' : ` (${maximum} maximum)`}`
  return `prompt is too long: ${tokens} tokens${maximum === null ? '' : ` > ${maximum} maximum`}`
}
