/**
 * Maps failed upstream calls to errors. No message names a host, a path or an address; the original error is kept as
 * `cause`, for the log.
 */

import { type ErrorCode, GatewayError, isGatewayError } from '@gateway/contract'
import { errors } from 'undici'

interface Row {
  code: ErrorCode
  message: string
}

const unreachable: Row = {
  code: 'upstream_unreachable',
  message: 'The provider could not be reached, or closed the connection before it answered.',
}

const unreadable: Row = {
  code: 'upstream_invalid_response',
  message: 'The provider answered something that is not HTTP.',
}

const broken: Row = {
  code: 'upstream_invalid_response',
  message: 'The provider ended its answer prematurely.',
}

const stalled: Row = { code: 'request_timeout', message: 'The provider stalled in the middle of its answer.' }

const shuttingDown: Row = { code: 'shutting_down', message: 'The gateway is shutting down.' }

const badHeader: Row = {
  code: 'invalid_header',
  message: 'A header of the provider request contains characters not allowed in HTTP.',
}

/** undici's codes (https://undici.nodejs.org/#/docs/api/Errors) that are not about the connection. */
const rows: Readonly<Record<string, Row>> = {
  UND_ERR_HEADERS_TIMEOUT: {
    code: 'request_timeout',
    message: 'The provider did not start to answer in time.',
  },
  UND_ERR_HEADERS_OVERFLOW: unreadable,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: unreadable,
  UND_ERR_INVALID_ARG: badHeader,
  UND_ERR_NOT_SUPPORTED: badHeader,
  UND_ERR_DESTROYED: shuttingDown,
  UND_ERR_CLOSED: shuttingDown,
}

/** A call that failed before its answer began. */
export function connectionFault(error: unknown): GatewayError {
  if (isGatewayError(error)) return error
  const row = error instanceof errors.HTTPParserError ? unreadable : (rows[codeOf(error)] ?? unreachable)
  return new GatewayError(row.code, row.message, { cause: error })
}

/** An answer that failed before its end. */
export function brokenAnswer(error: unknown): GatewayError {
  if (isGatewayError(error)) return error
  const row = codeOf(error) === 'UND_ERR_BODY_TIMEOUT' ? stalled : broken
  return new GatewayError(row.code, row.message, { cause: error })
}

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
