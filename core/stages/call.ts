/**
 * The provider call: the body in the provider's dialect, its answer in the caller's. A client dialect that the
 * provider does not support is translated to chat completions or embeddings and back. It also forwards proxied
 * bodies, opens sessions, and learns the provider's limits from the answer. A failure before the first byte becomes
 * the target's answer, on which retries and fallbacks can act; only internal errors are thrown. Errors: 400
 * `invalid_body` and `unsupported_endpoint` for requests that the provider does not take, `invalid_header`,
 * `invalid_config`, `invalid_cursor` and `host_not_allowed`; 404 `not_found`; 408 `request_timeout`,
 * `first_token_timeout`, `stream_idle_timeout` and `stream_total_timeout`; 499 `client_closed_request`; 502
 * `upstream_unreachable` and `upstream_invalid_response`; 503 `dependency_unavailable`, `overloaded` and
 * `shutting_down`; and those of the provider and its package.
 */

import { type CallContext, type HttpEndpoint, isObject, type ProcedureEndpoint } from '@gateway/contract'
import {
  type Answer,
  type AnswerStream,
  type Attempt,
  andThen,
  appended,
  type CheckPorts,
  type ConfigNode,
  createSpanId,
  elapsedMs,
  type LimitPorts,
  type MaybePromise,
  nodePath,
  originOf,
  type Ports,
  type ResolvedTarget,
  type RoomPorts,
  recordDecision,
  required,
  streamTotalMs,
  type Targeted,
  tellsLimits,
} from '@gateway/flow'
import { learnLimits } from '@gateway/routing'
import { hidesUsage } from '@gateway/streaming'
import {
  type AttemptClocks,
  type AttemptSignal,
  answerBounds,
  callHttp,
  callProcedure,
  callProxy,
  createAttemptSignal,
  createCallIo,
  failedAnswer,
  watchIdleTime,
} from '@gateway/upstream'
import { findTranslation, implementationOf } from '../endpoints/index.ts'
import { preparePrices, pricedOf } from '../metering/index.ts'
import { becauseOf } from '../observability/index.ts'
import { callSession } from '../sessions/index.ts'

export async function call(
  exchange: Targeted,
  ports: CheckPorts & LimitPorts & RoomPorts & Ports<'workspaces'>,
): Promise<Answer> {
  const { node, target } = exchange
  const clocks = clocksOf(exchange, node)
  const signal = clocks === null ? null : createAttemptSignal(exchange.leaving, clocks)
  const attempt = beginAttempt(exchange, target)
  let final: Answer | null = null
  try {
    const sent = send(ports, exchange, target, signal)
    const prices = preparePrices(pricedOf(exchange, attempt))
    const answer = await (prices === undefined ? sent : withPrices(sent, prices))
    if (answer.status < 300 && attempt.outcome === 'nothing')
      attempt.outcome = answer.stream === null ? 'whole' : 'stream'
    signal?.answered()
    if (answer.stream === null) signal?.clear()
    const stream = answer.stream === null || signal === null ? answer.stream : signal.over(answer.stream)
    final = { ...answer, ...originOf(node, target, exchange.input.beforeResults), stream }
  } catch (error) {
    signal?.clear()
    final = failedAnswer(exchange, signal?.reason() ?? error)
  } finally {
    attempt.endedAt = performance.now()
    if (target.isStored && final !== null && mayTellLimits(exchange, final))
      learnLimits(ports, exchange, final)
    recordCall(exchange, attempt, final)
  }
  return final
}

/** The price list is loaded while the first call is made. */
const withPrices = async (sent: MaybePromise<Answer>, prices: Promise<void>): Promise<Answer> =>
  (await Promise.all([sent, prices]))[0]

/** Whether the answer may tell something about the provider's limits. */
const mayTellLimits = ({ attempt: { sent } }: Targeted, answer: Answer): boolean =>
  answer.fault === null && (sent !== null || tellsLimits(answer.headers, answer.status))

/**
 * Records the call's result.
 * @param answer null for an internal error; a stream has its first content already
 */
function recordCall(exchange: Targeted, attempt: Attempt, answer: Answer | null): void {
  const { body } = exchange.input
  const { ledger } = exchange.request
  const { isHedge } = exchange.attempt
  const duration_ms = Math.round(attempt.endedAt - attempt.startedAt)
  const because = answer === null ? null : becauseOf(answer)
  recordDecision(exchange, {
    step: 'call',
    path: nodePath(exchange),
    at_ms: elapsedMs(exchange),
    attempt: ledger.attempts.indexOf(attempt),
    provider: attempt.target.adapter.name,
    model: typeof body.model === 'string' ? body.model.slice(0, 200) : null,
    status: typeof because === 'number' ? because : undefined,
    fault: typeof because === 'string' ? because : undefined,
    duration_ms,
    first_token_ms: answer?.stream == null ? undefined : duration_ms,
    hedge: isHedge,
    aborted: exchange.leaving.aborted,
  })
}

function beginAttempt(exchange: Targeted, target: ResolvedTarget): Attempt {
  const { last, sent, isHedge } = exchange.attempt
  const { body } = exchange.input
  const attempt: Attempt = {
    target,
    endpoint: exchange.endpoint,
    body,
    leaving: exchange.leaving,
    wire: null,
    text: last !== null && last.body === body ? last.text : null,
    startedAt: performance.now(),
    endedAt: 0,
    answeredModel: null,
    usage: null,
    outcome: 'nothing',
    spanId: exchange.request.ledger.trace === null ? null : createSpanId(),
  }
  exchange.attempt = { last: attempt, sent, isHedge }
  const { ledger } = exchange.request
  ledger.attempts = appended(ledger.attempts, attempt)
  return attempt
}

/** The remaining timeouts of an attempt: those of the request, otherwise of the config; null if none is set. */
function clocksOf(exchange: Targeted, node: ConfigNode): AttemptClocks | null {
  const options = exchange.options
  const wholeMs = options.requestTimeoutMs ?? node.requestTimeoutMs
  const requestMs = wholeMs === null ? null : wholeMs - exchange.request.ledger.queuedMs
  if (exchange.input.body.stream !== true) return requestMs === null ? null : { ...noClocks, requestMs }
  const firstTokenMs = options.firstTokenTimeoutMs ?? node.streamClocks?.firstTokenMs ?? null
  const totalLimitMs = streamTotalMs(exchange)
  const totalMs =
    totalLimitMs === null ? null : totalLimitMs - (performance.now() - exchange.request.startedAt)
  const isLimited = [requestMs, firstTokenMs, totalMs, ownIdleMs(exchange, node)].some((ms) => ms !== null)
  return isLimited ? { requestMs, firstTokenMs, totalMs, totalLimitMs } : null
}

/** The idle timeout of the request or its config. */
const ownIdleMs = ({ options }: Targeted, { streamClocks }: ConfigNode): number | null =>
  options.streamIdleTimeoutMs ?? streamClocks?.idleMs ?? null

const noClocks: AttemptClocks = { requestMs: null, firstTokenMs: null, totalMs: null, totalLimitMs: null }

/** Fires at the timeouts of an attempt; null when only the caller can end it. */
type Signal = AttemptSignal | null

function send(
  ports: CheckPorts & LimitPorts & Ports<'workspaces'>,
  exchange: Targeted,
  target: ResolvedTarget,
  signal: Signal,
): MaybePromise<Answer> {
  const asked = exchange.endpoint
  if (asked.session !== null)
    return callSession(ports, exchange, { protocol: asked.session, io: ioOf(exchange, signal) })
  if (asked.isProxied) return noting(exchange, callProxy(exchange, target, ioOf(exchange, signal)))
  const translated = asked.translation === null ? null : findTranslation(asked, target.adapter)
  const declared = target.adapter.endpoints[asked.id]
  const isFixed = declared !== undefined && declared.kind !== 'choice'
  const endpoint = isFixed
    ? declared
    : implementationOf(exchange, target, { endpoint: asked, isTranslated: translated !== null })
  if (endpoint !== null) return callEndpoint(exchange, target, endpoint, signal)
  return required(translated, 'translation')(exchange, target, async (chat) =>
    send(ports, chat, target, signal),
  )
}

const ioOf = (exchange: Targeted, signal: Signal) =>
  createCallIo(exchange.workspace, signal?.cancellation ?? exchange.leaving, {
    bounds: () => answerBounds(exchange),
    streamBegan: signal?.began ?? nothing,
  })

const nothing = () => undefined

function callEndpoint(
  exchange: Targeted,
  target: ResolvedTarget,
  endpoint: HttpEndpoint | ProcedureEndpoint,
  signal: Signal,
): MaybePromise<Answer> {
  const context = createContext(exchange, target)
  const io = ioOf(exchange, signal)
  return noting(
    exchange,
    endpoint.kind === 'procedure'
      ? callProcedure(exchange, target, { endpoint, context, io, watch: watchOf(exchange, signal) })
      : callHttp(exchange, { target, endpoint, context, io }),
  )
}

const noting = (exchange: Targeted, answered: MaybePromise<Answer>): MaybePromise<Answer> =>
  andThen(answered, (answer) => noteAnswer(exchange, answer))

/** Applies the idle timeout to the stream of a procedure; the streams of HTTP calls have their own. */
function watchOf(exchange: Targeted, signal: Signal): (stream: AnswerStream) => AnswerStream {
  const idleMs = ownIdleMs(exchange, exchange.node)
  return (stream) => (idleMs === null || signal === null ? stream : watchIdleTime(stream, idleMs, signal))
}

/**
 * Notes the usage and the model of a whole answer, before it is translated to the caller's dialect. Those of a stream
 * are read while it arrives (`createStreamUsage` of `@gateway/streaming`).
 */
function noteAnswer({ endpoint, attempt: { last: attempt } }: Targeted, answer: Answer): Answer {
  const { body, status } = answer
  if (attempt === null || body === null || status >= 300) return answer
  const { format, readUsage } = endpoint
  attempt.usage = readUsage === null ? format.usageOf(body, null) : readUsage(body)
  const { model = body.modelVersion } = body
  if (typeof model === 'string') attempt.answeredModel = model
  return answer
}

const createId = (prefix: string) => prefix + crypto.randomUUID().replaceAll('-', '')

function createContext(exchange: Targeted, target: ResolvedTarget): CallContext {
  const { body } = exchange.input
  const options = exchange.options
  const streamOptions = body.stream_options
  const isAsked = isObject(streamOptions) && streamOptions.include_usage === true
  const isHidden = body.stream === true && hidesUsage(exchange)
  const node = exchange.node
  return {
    endpoint: exchange.endpoint.id,
    settings: target.settings,
    request: body,
    strict: options.strict ?? node.strict ?? true,
    marksPrompt: node.marksPrompt,
    includeUsage: isAsked || isHidden,
    hidesUsage: isHidden,
    now: Date.now,
    id: createId,
    files: exchange.input.files,
    form: exchange.input.form,
  }
}
