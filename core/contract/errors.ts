/**
 * All errors that the gateway raises: one table of codes, one class, one renderer. The table gives each code its HTTP
 * status and type (contract section 3); the code is the metric label.
 */
import type { JsonObject } from './json.ts'

interface CodeRow {
  status: number
  type: string
}

const table = {
  invalid_json: { status: 400, type: 'invalid_request_error' },
  invalid_config: { status: 400, type: 'invalid_request_error' },
  invalid_header: { status: 400, type: 'invalid_request_error' },
  invalid_body: { status: 400, type: 'invalid_request_error' },
  invalid_query: { status: 400, type: 'invalid_request_error' },
  invalid_cursor: { status: 400, type: 'invalid_request_error' },
  invalid_file: { status: 400, type: 'invalid_request_error' },
  schema_too_complex: { status: 400, type: 'invalid_request_error' },
  invalid_template: { status: 400, type: 'invalid_request_error' },
  unknown_provider: { status: 400, type: 'invalid_request_error' },
  unsupported_endpoint: { status: 400, type: 'invalid_request_error' },
  no_provider: { status: 400, type: 'invalid_request_error' },
  host_not_allowed: { status: 400, type: 'invalid_request_error' },
  no_model: { status: 400, type: 'invalid_request_error' },
  no_condition_matched: { status: 400, type: 'invalid_request_error' },
  unknown_target: { status: 400, type: 'invalid_request_error' },
  all_weights_zero: { status: 400, type: 'invalid_request_error' },
  unknown_guardrail: { status: 400, type: 'invalid_request_error' },
  unknown_check: { status: 400, type: 'invalid_request_error' },
  unknown_scope: { status: 400, type: 'invalid_request_error' },
  inline_config_blocked: { status: 400, type: 'invalid_request_error' },
  inline_provider_blocked: { status: 400, type: 'invalid_request_error' },
  inline_custom_host_blocked: { status: 400, type: 'invalid_request_error' },
  inline_forward_headers_blocked: { status: 400, type: 'invalid_request_error' },
  missing_api_key: { status: 401, type: 'authentication_error' },
  invalid_api_key: { status: 401, type: 'authentication_error' },
  expired_api_key: { status: 401, type: 'authentication_error' },
  session_expired: { status: 401, type: 'authentication_error' },
  totp_required: { status: 401, type: 'authentication_error' },
  jwt_malformed: { status: 401, type: 'authentication_error' },
  jwt_algorithm_not_allowed: { status: 401, type: 'authentication_error' },
  jwt_kid_missing: { status: 401, type: 'authentication_error' },
  jwt_key_not_found: { status: 401, type: 'authentication_error' },
  jwt_signature_invalid: { status: 401, type: 'authentication_error' },
  jwt_expired: { status: 401, type: 'authentication_error' },
  jwt_not_yet_valid: { status: 401, type: 'authentication_error' },
  jwt_too_old: { status: 401, type: 'authentication_error' },
  jwt_claim_missing: { status: 401, type: 'authentication_error' },
  jwt_claim_mismatch: { status: 401, type: 'authentication_error' },
  jwt_organisation_unknown: { status: 401, type: 'authentication_error' },
  jwt_workspace_unknown: { status: 403, type: 'permission_error' },
  jwt_no_scopes: { status: 403, type: 'permission_error' },
  jwt_not_configured: { status: 403, type: 'permission_error' },
  missing_scope: { status: 403, type: 'permission_error' },
  model_not_allowed: { status: 403, type: 'permission_error' },
  forbidden: { status: 403, type: 'permission_error' },
  not_found: { status: 404, type: 'not_found_error' },
  previous_response_not_found: { status: 404, type: 'not_found_error' },
  unknown_config: { status: 404, type: 'not_found_error' },
  unknown_prompt: { status: 404, type: 'not_found_error' },
  unknown_virtual_key: { status: 404, type: 'not_found_error' },
  method_not_allowed: { status: 405, type: 'invalid_request_error' },
  request_timeout: { status: 408, type: 'timeout_error' },
  first_token_timeout: { status: 408, type: 'timeout_error' },
  stream_idle_timeout: { status: 408, type: 'timeout_error' },
  stream_total_timeout: { status: 408, type: 'timeout_error' },
  conflict: { status: 409, type: 'invalid_request_error' },
  precondition_failed: { status: 412, type: 'invalid_request_error' },
  usage_limit_exceeded: { status: 412, type: 'budget_error' },
  body_too_large: { status: 413, type: 'invalid_request_error' },
  unsupported_media_type: { status: 415, type: 'invalid_request_error' },
  rate_limit_exceeded: { status: 429, type: 'rate_limit_error' },
  capacity_exhausted: { status: 429, type: 'rate_limit_error' },
  guardrail_denied: { status: 446, type: 'hooks_failed' },
  client_closed_request: { status: 499, type: 'client_error' },
  internal_error: { status: 500, type: 'internal_error' },
  upstream_error: { status: 502, type: 'upstream_error' },
  upstream_unreachable: { status: 502, type: 'upstream_error' },
  upstream_invalid_response: { status: 502, type: 'upstream_error' },
  circuit_open: { status: 503, type: 'upstream_error' },
  store_unavailable: { status: 503, type: 'service_error' },
  dependency_unavailable: { status: 503, type: 'service_error' },
  overloaded: { status: 503, type: 'service_error' },
  shutting_down: { status: 503, type: 'service_error' },
} satisfies Record<string, CodeRow>

/** The codes of the table; an upstream's error may have another code. */
export type ErrorCode = keyof typeof table

/** All error codes, in the order of the table. */
export const errorCodes = Object.keys(table) as readonly ErrorCode[]

/** One of several errors: its place and its message. `param` is a JSON path such as `/messages/0/role`. */
export interface Fault {
  param: string
  code: ErrorCode
  message: string
}

export interface ErrorOptions {
  param?: string | undefined
  /** All errors, if there are several. */
  details?: Fault[] | undefined
  /** Response headers sent with it, such as `retry-after`. */
  headers?: Record<string, string> | undefined
  /** Details for the log only; never rendered. */
  cause?: unknown
  /**
   * The error that a failed store reported, without values and secrets, such as `SQLITE_FULL: database or disk is
   * full`.
   */
  storeFault?: string | null | undefined
}

const mark = Symbol.for('gateway.error')

/** An error with a code of the table. Recognised by {@link isGatewayError}, across copies of this package. */
export class GatewayError extends Error {
  readonly [mark] = true
  readonly code: ErrorCode
  readonly status: number
  readonly type: string
  readonly param: string | null
  readonly details: Fault[] | null
  readonly headers: Record<string, string> | null
  /** The error that a failed store reported. For the log only; never rendered. */
  readonly storeFault: string | null

  constructor(code: ErrorCode, message: string, options: ErrorOptions = {}) {
    super(message, { cause: options.cause })
    const row: CodeRow = table[code]
    this.code = code
    this.status = row.status
    this.type = row.type
    this.param = options.param ?? null
    this.details = options.details ?? null
    this.headers = options.headers ?? null
    this.storeFault = options.storeFault ?? null
  }
}

export function isGatewayError(error: unknown): error is GatewayError {
  return typeof error === 'object' && error !== null && mark in error
}

/** The maximum number of details; more would not help the reader. */
const maxDetails = 100

/** A caller's key or value may be as long as the body, so errors quote only its beginning. */
const maxParamChars = 500
const maxMessageChars = 2000

const shorten = (text: string, maxChars: number) =>
  text.length > maxChars ? `${text.slice(0, maxChars)}…` : text

/**
 * One error for one or many problems: the first gives code, status and `param`, `details` has the first 100.
 * @param where the place of the problems in the message, such as the name of a header
 */
export function faultsError(faults: readonly Fault[], where?: string): GatewayError {
  const told = faults.slice(0, maxDetails).map(({ param, code, message }) => ({
    param: shorten(param, maxParamChars),
    code,
    message: shorten(message, maxMessageChars),
  }))
  const [first] = told
  if (first === undefined) return new GatewayError('internal_error', 'An error without a fault was raised.')
  const more = faults.length > 1 ? ` (and ${faults.length - 1} more, see details)` : ''
  const place = where === undefined ? '' : `${where}: `
  return new GatewayError(first.code, `${place}${first.param}: ${first.message}${more}`, {
    param: first.param,
    details: told,
  })
}

/** The body of an error answer (contract section 3). */
export function renderError(error: GatewayError): JsonObject {
  const body: JsonObject = {
    message: error.message,
    type: error.type,
    param: error.param,
    code: error.code,
  }
  if (error.details !== null) {
    body.details = error.details.map(({ param, code, message }) => ({
      param,
      code,
      message,
    }))
  }
  return { error: body }
}

const upstreamMark = Symbol.for('gateway.upstream-fault')

/** An upstream's error in the gateway's format, with its status and, if present, its code. */
export interface UpstreamError {
  /** HTTP status; 502 when the error came inside a 200 stream without a status. */
  status: number
  message: string
  type: string
  param: string | null
  code: string
  /** Set if the request has more tokens than the model accepts. Callers get the wording of their own format. */
  tooLong?: TooLong
  /**
   * What the body says about limits and retries, as the headers that other providers send: `retry-after`,
   * `x-ratelimit-…`. Lower-case names. The headers of the answer override them.
   */
  headers?: Readonly<Record<string, string>>
}

/** A request that is too long for its model: its tokens and the model's maximum, where they are known. */
export interface TooLong {
  tokens: number | null
  maximum: number | null
}

/** Thrown by a dialect's stream translator when an event carries an upstream's error, and by a procedure for an answer. */
export class UpstreamFault extends Error {
  readonly [upstreamMark] = true
  readonly upstream: UpstreamError
  /** Headers of the answer, if any: `retry-after` is for retries and callers. Lower-case names. */
  readonly headers: Readonly<Record<string, string>>

  constructor(upstream: UpstreamError, headers: Readonly<Record<string, string>> = {}) {
    super(upstream.message)
    this.upstream = upstream
    this.headers = headers
  }
}

export function isUpstreamFault(error: unknown): error is UpstreamFault {
  return typeof error === 'object' && error !== null && upstreamMark in error
}
