/**
 * Errors of AWS services: `{message}` (or `Message`, `__type`) with a status, and exceptions inside event streams.
 * Reference: https://docs.aws.amazon.com/bedrock/latest/APIReference/CommonErrors.html,
 * https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ConverseStream.html#API_runtime_ConverseStream_Errors
 */
import { type JsonObject, type UpstreamError, UpstreamFault } from '@gateway/contract'
import { withContextLength } from '../context-length.ts'

/** The status for each exception inside a stream. */
const statuses: Readonly<Record<string, number>> = {
  accessdeniedexception: 403,
  badgatewayexception: 502,
  conflictexception: 409,
  dependencyfailedexception: 424,
  expiredtokenexception: 403,
  internalfailure: 500,
  internalserverexception: 500,
  modelerrorexception: 424,
  modelnotreadyexception: 429,
  modelstreamerrorexception: 424,
  modeltimeoutexception: 408,
  resourcenotfoundexception: 404,
  servicequotaexceededexception: 400,
  serviceunavailableexception: 503,
  throttlingexception: 429,
  unrecognizedclientexception: 403,
  validationexception: 400,
}

/** The status for the name of an exception; 502 for one that the vendor does not list. */
function statusOfException(type: string): number {
  const name = type.toLowerCase()
  return (Object.hasOwn(statuses, name) ? statuses[name] : undefined) ?? 502
}

/** Reads an error body; null when it is not one. The exception's name can be in a header only. */
export function awsError(
  status: number,
  body: JsonObject,
  { 'x-amzn-errortype': named }: Readonly<Record<string, string>> = {},
): UpstreamError | null {
  const message = [body.message, body.Message].find((value) => typeof value === 'string')
  const type = exceptionName(named ?? [body.__type, body.code].find((value) => typeof value === 'string'))
  if (typeof message !== 'string' && type === null) return null
  return awsErrorOf(status, type, typeof message === 'string' ? message : '')
}

/** An error in the gateway's format. */
export function awsErrorOf(status: number, type: string | null, message: string): UpstreamError {
  const said = withoutRequest(message)
  return withContextLength({
    status,
    message: said === '' ? `The provider answered ${type ?? status}.` : said,
    type: type ?? 'upstream_error',
    param: null,
    code: type ?? 'upstream_error',
  })
}

/** The fault of an exception inside a stream. */
export function awsStreamFault(type: string, message: string): UpstreamFault {
  return new UpstreamFault(awsErrorOf(statusOfException(type), capitalised(type), message))
}

/** The message for a refused signature repeats the whole request, including the session token. */
function withoutRequest(message: string): string {
  const at = message.indexOf('The Canonical String')
  return (at === -1 ? message : message.slice(0, at)).trim()
}

/** `com.amazonaws.bedrock#ThrottlingException:http://…` is a `ThrottlingException`. */
function exceptionName(written: unknown): string | null {
  if (typeof written !== 'string') return null
  const name = written.split(':')[0]?.split('#').at(-1)?.trim() ?? ''
  return /^[\w.-]{1,100}$/.test(name) ? name : null
}

/** Event streams write the exception's name in camel case, answers in Pascal case. */
const capitalised = (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1)
