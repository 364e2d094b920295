/**
 * Sends the answer to its last byte. Errors of later stages become answers; internal errors are logged with the trace
 * id and answered with 500. A failed stream ends with one error event, or, if it has no events, with a closed
 * connection, never as if it were complete. Errors use the format of the route's clients. Errors: 500 `internal_error`.
 */

import {
  faultReason,
  GatewayError,
  isGatewayError,
  isUpstreamFault,
  type JsonObject,
  type Route,
  renderError,
  type TooLong,
} from '@gateway/contract'
import type { StreamFormat } from '@gateway/contract/dialect'
import {
  type Answer,
  type Answered,
  type AnswerHead,
  type AnswerStream,
  andThenOr,
  answered,
  copyHeaders,
  type Ended,
  type Endpoint,
  ended,
  faultAnswer,
  finalBody,
  finalFailure,
  lastAttempt,
  type MaybePromise,
  ownNames,
  type Ports,
  type Received,
  type ReportPorts,
  type Run,
  type StreamEnding,
} from '@gateway/flow'
import {
  compatibleFormat,
  createSentText,
  keepSentEvents,
  keepSentMedia,
  watchUsageOf,
  writeFramed,
} from '@gateway/streaming'
import { errorBody } from '@gateway/upstream'
import { render, StreamDenial, withResults } from '../guardrails/index.ts'
import { centsOf, withRateHeaders } from '../metering/index.ts'
import { attemptsHeader, explained, inputResultsOf, noteDenial, redactError } from '../observability/index.ts'

/** Determined only by the path, for a request that fails before it is routed. */
interface Formats {
  endpointAt(path: string): Endpoint | null
  /** The error format of a service's routes; null for the default format. */
  errorFormatAt(path: string): Route['renderError'] | null
}

/** @param run the stages that answer */
export function createRespond(
  ports: ReportPorts & Ports<'isDraining' | 'secrets'>,
  formats: Formats,
  run: Run<Received>,
): Run<Received, void> {
  return function respond(exchange) {
    return andThenOr(
      () => run(exchange),
      (answer) => send(ports, answered(exchange, answer), formats),
      (error) => send(ports, answered(exchange, errorAnswer(ports, ended(exchange), error)), formats),
    )
  }
}

function errorAnswer(ports: Ports<'log' | 'secrets'>, exchange: Ended, error: unknown): Answer {
  const fault = reportAsGatewayError(ports, exchange, { error, message: 'internal error' })
  const answer = withResults(faultAnswer(fault, { beforeResults: inputResultsOf(exchange) }))
  return exchange.request.ledger.isExplained ? explained(exchange, answer, centsOf(exchange)) : answer
}

/** Sends the answer; a stream to its end. */
function send(
  ports: ReportPorts & Ports<'isDraining' | 'secrets'>,
  exchange: Answered,
  { endpointAt, errorFormatAt }: Formats,
): MaybePromise<void> {
  const answer = inServiceFormat(exchange, errorFormatAt)
  const { stream, contentType } = answer
  const head = headOf(ports, exchange, answer)
  const { headers } = head
  const failed = failedStream(exchange, answer, formatFor(exchange, endpointAt))
  if (failed !== null) {
    headers['content-type'] = 'text/event-stream'
    headers['cache-control'] = 'no-cache'
    exchange.transport.write({ status: 200, headers }, failed)
    return
  }
  if (stream === null) {
    headers['content-type'] = contentType ?? 'application/json'
    exchange.transport.write(
      head,
      answer.text ??
        textOf(exchange, answer, {
          format: formatFor(exchange, endpointAt),
          retryAfter: headers['retry-after'] ?? null,
        }),
    )
    return
  }
  if (contentType !== null) {
    if (contentType !== '') headers['content-type'] = contentType
    return sendBytes(ports, exchange, { head, stream, contentType })
  }
  headers['content-type'] = 'text/event-stream'
  headers['cache-control'] = 'no-cache'
  return sendEvents(ports, exchange, { head, stream, format: formatFor(exchange, endpointAt) })
}

/** Records and returns the status and the headers, without those of the content. */
function headOf({ isDraining }: Ports<'isDraining'>, exchange: Answered, answer: Answer): AnswerHead {
  const { ledger, record } = exchange.request
  const { status } = answer
  // Without an applicable rate limit, the provider's rate limit headers are kept.
  const isLimited = ledger.requestRates.length + ledger.targetRates.length > 0
  const headers = isLimited ? withRateHeaders(answer.headers, ledger) : copyHeaders(answer.headers)
  addCallHeaders(headers, exchange, answer)
  const names = ownNames(exchange.request.ownHeaders.prefix)
  headers[names.traceId] = exchange.request.traceId
  const theirs = providerRequestId(headers)
  // A request that replaced this one sets its own id in the answer.
  if (theirs !== undefined && theirs !== exchange.request.id) headers[names.providerRequestId] = theirs
  headers['x-request-id'] = exchange.request.id
  if (isDraining) headers.connection = 'close'
  if (isForeign(exchange, answer)) Object.assign(headers, harmless)
  record.sentStatus = status
  const head = { status, headers }
  record.head = head
  record.firstByteMs = performance.now() - exchange.request.startedAt
  return head
}

/** Adds the headers about the call: the provider, the credential, the target, the attempts, the cache status. */
function addCallHeaders(
  headers: Record<string, string>,
  { input, request: { ledger, ownHeaders } }: Answered,
  answer: Answer,
): void {
  if (answer.index === null) return
  const names = ownNames(ownHeaders.prefix)
  headers[names.optionIndex] = answer.index
  headers[names.retryCount] = String(answer.retries)
  headers[names.cacheStatus] = answer.cacheStatus
  if (answer.cacheSimilarity !== null) headers[names.cacheSimilarity] = answer.cacheSimilarity.toFixed(4)
  const missing = (ledger.prompt ?? input.prompt)?.missing ?? null
  if (missing !== null) headers[names.missingVariables] = missing
  if (answer.provider !== null) headers[names.provider] = answer.provider
  if (answer.virtualKey !== null) headers[names.virtualKey] = answer.virtualKey
  const attempts = attemptsHeader(ledger.attemptReports)
  if (attempts !== null) headers[names.attempts] = attempts
  if (ledger.hedges > 0) headers[names.hedgeCount] = String(ledger.hedges)
}

/** A stream that is not one of events, such as audio. */
function sendBytes(
  ports: ReportPorts & Ports<'secrets'>,
  exchange: Answered,
  { head, stream, contentType }: { head: AnswerHead; stream: AnswerStream; contentType: string },
): Promise<void> {
  const attempt = lastAttempt(exchange.request.ledger)
  const watch = watchUsageOf(attempt === undefined ? '' : contentType)
  const keep = keepSent(exchange, null)
  const written = exchange.transport.writeStream(head, stream, {
    sent: (bytes) => {
      watch.chunk(bytes)
      keep(bytes)
    },
    trailer: null,
    failed: (error) => endBytes(ports, exchange, error),
  })
  return written.then(() => {
    if (attempt !== undefined) attempt.usage ??= watch.end()
  })
}

function sendEvents(
  ports: ReportPorts & Ports<'secrets'>,
  exchange: Answered,
  { head, stream, format }: { head: AnswerHead; stream: AnswerStream; format: StreamFormat },
): Promise<void> {
  let last: Buffer | null = null
  const text = createSentText(format)
  const keep = keepSent(exchange, format)
  exchange.request.ledger.sent = text
  const { framing } = exchange.request.record
  const ending: StreamEnding = {
    sent: (bytes) => {
      last = bytes
      text.push(bytes)
      keep(bytes)
    },
    trailer: format.trailer,
    failed: (error) => {
      const tooLong = isUpstreamFault(error) ? (error.upstream.tooLong ?? null) : null
      const code = failureCode(exchange, tooLong, isGatewayError(error) ? error.code : null)
      const failure = {
        sent: last,
        request: exchange.input.body,
        status: errorStatusOf(error),
        tooLong,
        code,
      }
      const event = reportStreamError(ports, exchange, error)
      const sentEvent = isGatewayError(error) ? finalBody(exchange.headers, error.code, event) : event
      return format.writeError(sentEvent, failure)
    },
  }
  return framing === null
    ? exchange.transport.writeStream(head, stream, ending)
    : writeFramed(exchange.transport, { framing, head, stream, ending })
}

/** An error on a service's route, in the service's format. */
function inServiceFormat(
  { answer, endpoint, transport }: Answered,
  errorFormatAt: Formats['errorFormatAt'],
): Answer {
  if (answer.fault === null || endpoint !== null) return answer
  const writeError = errorFormatAt(transport.path)
  if (writeError === null || writeError === undefined) return answer
  const { contentType, body } = writeError(answer.fault)
  return { ...answer, contentType, body: null, text: JSON.stringify(body) }
}

/** Events are larger than the body that they form. */
const eventOverhead = 8

/** Keeps the beginning of the sent data for the log. @param format of events; null for bytes */
function keepSent({ workspace, endpoint, request: { ledger, record } }: Ended, format: StreamFormat | null) {
  const isKept = workspace.logs.bodies === 'full' || ledger.trace?.capturesContent === true
  if (!isKept || endpoint === null) return () => undefined
  const maxBytes = workspace.logs.maxBodyBytes * eventOverhead
  const sent = format === null ? keepSentMedia(maxBytes) : keepSentEvents(endpoint.format, maxBytes)
  record.sent = sent
  return (bytes: Buffer) => sent.add(bytes)
}

/** Prevents browsers from sniffing another type or running it on the gateway's origin. */
const harmless = { 'x-content-type-options': 'nosniff', 'content-security-policy': 'sandbox' }

/** Whether its bytes and content type come from a provider unchanged. */
const isForeign = ({ endpoint }: Ended, { contentType, target }: Answer): boolean =>
  target !== null && (contentType !== null || endpoint?.isProxied === true)

/** Headers in which vendors send the id of a request. */
const requestIdNames = [
  'x-request-id',
  'request-id',
  'apim-request-id',
  'x-amzn-requestid',
  'x-goog-request-id',
]

/** The provider's own id of the call, from its headers. */
function providerRequestId(headers: Readonly<Record<string, string>>): string | undefined {
  for (const name of requestIdNames) if (headers[name] !== undefined) return headers[name]
  return undefined
}

/** The body to send, if it is not the original text. */
function textOf(
  { headers }: Pick<Ended, 'headers'>,
  { status, body, contentType, tooLong, fault }: Answer,
  { format, retryAfter }: { format: StreamFormat; retryAfter: string | null },
): string {
  if (contentType !== null) return String(body?.text ?? '')
  if (status < 400 || body === null) return JSON.stringify(body)
  const error = format.errorBody(body, { status, tooLong, retryAfter })
  return JSON.stringify(fault === null ? error : finalBody(headers, fault.code, error))
}

/**
 * The error as a stream with status 200, for clients that act on some errors only in a stream: they compact a
 * conversation that is too long, and stop repeating a denied request. The log keeps the error's status. Null for other
 * errors, which are sent with their status.
 */
function failedStream(exchange: Ended, answer: Answer, { writeFailed }: StreamFormat): string | null {
  const { body, status, tooLong, fault } = answer
  if (writeFailed === null || exchange.input.body.stream !== true || status < 400 || body === null)
    return null
  const code = failureCode(exchange, tooLong, fault?.code ?? null)
  if (code === null) return null
  return writeFailed(body, { sent: null, request: exchange.input.body, status, tooLong, code }).toString(
    'utf8',
  )
}

/** The code of a failure that the client acts on; null for errors that it understands by their status. */
function failureCode(exchange: Ended, tooLong: TooLong | null, code: string | null): string | null {
  if (tooLong !== null) return 'context_length_exceeded'
  return code === null ? null : finalFailure(exchange.headers, code)
}

/** The status of an answer with this error. */
function errorStatusOf(error: unknown): number {
  if (isUpstreamFault(error)) return error.upstream.status
  return isGatewayError(error) ? error.status : 500
}

/** Reports an error in the middle of binary data, where it cannot be sent: the connection is closed. */
function endBytes(ports: ReportPorts & Ports<'secrets'>, exchange: Ended, error: unknown): null {
  reportStreamError(ports, exchange, error)
  return null
}

const formatFor = ({ endpoint, transport }: Ended, endpointAt: Formats['endpointAt']): StreamFormat =>
  (endpoint ?? endpointAt(transport.path))?.format ?? compatibleFormat

const streamFault = new GatewayError('upstream_error', 'The provider ended the stream with an error.')

/** The maximum length of a provider's error code in the log. */
const longestCode = 100

/** Records the error of a stream, and returns the event that tells it to the caller. */
function reportStreamError(
  ports: ReportPorts & Ports<'secrets'>,
  exchange: Ended,
  error: unknown,
): JsonObject {
  if (isUpstreamFault(error)) {
    const target = exchange.answer?.target ?? null
    if (target === null) {
      exchange.request.record.streamError = streamFault.code
      return renderError(streamFault)
    }
    const body = errorBody(error.upstream, target)
    exchange.request.record.streamError = body.error.code.slice(0, longestCode)
    return body
  }
  if (error instanceof StreamDenial) {
    exchange.request.record.streamError = error.code
    noteDenial(ports, exchange, { phase: 'after', results: error.results })
    return {
      ...renderError(error),
      hook_results: render(exchange.answer?.beforeResults ?? [], error.results),
    }
  }
  const fault = reportAsGatewayError(ports, exchange, { error, message: 'a stream failed' })
  exchange.request.record.streamError = fault.code
  return renderError(fault)
}

/** The answer does not give the reason of a failed store; the log does. */
function noteStoreFault(ports: Ports<'log'>, { request: { traceId } }: Ended, error: GatewayError): void {
  if ((error.storeFault ?? null) === null) return
  ports.log.error({ trace_id: traceId, code: error.code, reason: faultReason(error) }, 'a store failed')
}

/** The error for the caller; an internal one is logged. */
function reportAsGatewayError(
  ports: Ports<'log' | 'secrets'>,
  exchange: Ended,
  { error, message }: { error: unknown; message: string },
): GatewayError {
  const { log } = ports
  if (isGatewayError(error)) {
    noteStoreFault(ports, exchange, error)
    if (error.code === 'client_closed_request')
      log.debug({ trace_id: exchange.request.traceId }, error.message)
    return error
  }
  const err = redactError(ports, exchange, error)
  log.error({ trace_id: exchange.request.traceId, err }, message)
  return new GatewayError(
    'internal_error',
    'Internal error; look for the trace id in the log of the gateway.',
    {
      cause: error,
    },
  )
}
