/**
 * An upstream's error in the gateway's format: status kept, `provider` next to `error`, and without credentials and
 * upstream hosts.
 */

import { secretsOf } from '@gateway/config'
import { type Dialect, isObject, type JsonObject, parseJson, type UpstreamError } from '@gateway/contract'
import { type Answer, createAnswer, type ResolvedTarget } from '@gateway/flow'

const longestMessage = 4000

interface ReadUpstreamErrorOptions {
  read: Dialect['error']
  headers: Readonly<Record<string, string>>
}

/** Parses the body of an error answer, by the dialect or by common members. */
export function readUpstreamError(
  status: number,
  text: string,
  { read, headers }: ReadUpstreamErrorOptions,
): UpstreamError {
  const body = parseJson(text)
  const object = Array.isArray(body) ? body[0] : body
  const known = isObject(object) ? (read?.(status, object, headers) ?? readCommonError(status, object)) : null
  return known ?? blank(status, `The provider answered ${status}.`)
}

function readCommonError(status: number, body: JsonObject): UpstreamError | null {
  const error = isObject(body.error) ? body.error : body
  const message = [error.message, body.error, error.detail].find(
    (value) => typeof value === 'string' && value !== '',
  )
  if (typeof message !== 'string') return null
  return {
    ...blank(status, message),
    ...(typeof error.type === 'string' ? { type: error.type } : {}),
    ...(typeof error.param === 'string' ? { param: error.param } : {}),
    ...(typeof error.code === 'string' ? { code: error.code } : {}),
  }
}

function blank(status: number, message: string): UpstreamError {
  return { status, message, type: 'upstream_error', param: null, code: 'upstream_error' }
}

export function upstreamErrorAnswer(
  error: UpstreamError,
  target: ResolvedTarget,
  headers: Readonly<Record<string, string>>,
): Answer {
  const cleaned = Object.entries({ ...error.headers, ...headers }).map(([name, value]) => [
    name,
    cleanText(value, target),
  ])
  return createAnswer({
    status: error.tooLong === undefined ? error.status : tooLongError.status,
    headers: Object.fromEntries(cleaned),
    body: { ...errorBody(error, target) },
    tooLong: error.tooLong ?? null,
  })
}

export type ErrorBody = {
  error: { message: string; type: string; param: string | null; code: string }
  provider: string
}

/** The refusal of a request that is too long, for any status and code of the provider. */
const tooLongError = { status: 400, type: 'invalid_request_error', code: 'context_length_exceeded' }

/** The body of an upstream error, redacted. */
export function errorBody(given: UpstreamError, target: ResolvedTarget): ErrorBody {
  const error = given.tooLong === undefined ? given : { ...given, ...tooLongError }
  const clean = (text: string) => cleanText(text, target)
  return {
    error: {
      message: clean(error.message).slice(0, longestMessage),
      type: clean(error.type),
      param: error.param === null ? null : clean(error.param),
      code: clean(error.code),
    },
    provider: target.adapter.name,
  }
}

/** Redacts the target's secrets and host in a text. */
function cleanText(text: string, target: ResolvedTarget): string {
  let cleaned = text
  for (const secret of secretsOf(target.settings)) {
    if (secret.length >= 4) cleaned = cleaned.replaceAll(secret, '***')
  }
  if (target.baseUrl === null) return cleaned
  const { host, hostname } = new URL(target.baseUrl)
  cleaned = cleaned.replaceAll(host, '[upstream]')
  // A host name of one word could be any word of the message.
  return /[.:]/.test(hostname) ? cleaned.replaceAll(hostname, '[upstream]') : cleaned
}
