/**
 * The provider call: the body in the provider's dialect, its answer in the caller's. A client dialect that the provider
 * does not support is translated to chat completions and back. Any failure of the target becomes its answer, on which
 * retries and fallbacks can act. Errors: 408 `request_timeout` and those of streams, 400 `host_not_allowed`, 502
 * `upstream_unreachable` and `upstream_invalid_response`, and the provider's own.
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
  const limit = clocks === null ? null : createAttemptSignal(exchange.leaving, clocks)
  const attempt = beginAttempt(exchange, target)
  let final: Answer | null = null
  try {
    const sent = send(ports, exchange, target, limit)
    const prices = preparePrices(pricedOf(exchange, attempt))
    const answer = await (prices === undefined ? sent : withPrices(sent, prices))
    if (answer.status < 300 && attempt.outcome === 'nothing')
      attempt.outcome = answer.stream === null ? 'whole' : 'stream'
    limit?.answered()
    if (answer.stream === null) limit?.clear()
    const stream = answer.stream === null || limit === null ? answer.stream : limit.over(answer.stream)
    final = { ...answer, ...originOf(node, target, exchange.input.beforeResults), stream }
  } catch (error) {
    limit?.clear()
    final = failedAnswer(exchange, limit?.reason() ?? error)
  } finally {
    attempt.endedAt = performance.now()
    if (target.isStored && final !== null && tellsMore(exchange, final)) learnLimits(ports, exchange, final)
    recordCall(exchange, attempt, final)
  }
  return final
}

/** The list of prices is loaded with the first calls. */
const withPrices = async (sent: MaybePromise<Answer>, prices: Promise<void>): Promise<Answer> =>
  (await Promise.all([sent, prices]))[0]

/** Whether the answer may tell something about the provider's limits. */
const tellsMore = ({ attempt: { sent } }: Targeted, answer: Answer): boolean =>
  answer.fault === null && (sent !== null || tellsLimits(answer.headers, answer.status))

/** Records the call's result; null: an internal error. A stream has already sent its first content. */
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

/** The timeouts of the request, which override those of the config; null if neither sets any. */
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

/** The timeouts of an attempt; null when only the caller can end it. */
type Limit = AttemptSignal | null

function send(
  ports: CheckPorts & LimitPorts & Ports<'workspaces'>,
  exchange: Targeted,
  target: ResolvedTarget,
  limit: Limit,
): MaybePromise<Answer> {
  const asked = exchange.endpoint
  if (asked.session !== null)
    return callSession(ports, exchange, { protocol: asked.session, io: ioOf(exchange, limit) })
  if (asked.isProxied) return noting(exchange, callProxy(exchange, target, ioOf(exchange, limit)))
  const translated = asked.translation === null ? null : findTranslation(asked, target.adapter)
  const declared = target.adapter.endpoints[asked.id]
  const isFixed = declared !== undefined && declared.kind !== 'choice'
  const endpoint = isFixed
    ? declared
    : implementationOf(exchange, target, { endpoint: asked, isTranslated: translated !== null })
  if (endpoint !== null) return callEndpoint(exchange, target, endpoint, limit)
  return required(translated, 'translation')(exchange, target, async (chat) =>
    send(ports, chat, target, limit),
  )
}

const ioOf = (exchange: Targeted, limit: Limit) =>
  createCallIo(exchange.workspace, limit?.cancellation ?? exchange.leaving, {
    bounds: () => answerBounds(exchange),
    streamBegan: limit?.began ?? unlimited,
  })

const unlimited = () => undefined

function callEndpoint(
  exchange: Targeted,
  target: ResolvedTarget,
  endpoint: HttpEndpoint | ProcedureEndpoint,
  limit: Limit,
): MaybePromise<Answer> {
  const context = createContext(exchange, target)
  const io = ioOf(exchange, limit)
  return noting(
    exchange,
    endpoint.kind === 'procedure'
      ? callProcedure(exchange, target, { endpoint, context, io, watch: watchOf(exchange, limit) })
      : callHttp(exchange, { target, endpoint, context, io }),
  )
}

const noting = (exchange: Targeted, answered: MaybePromise<Answer>): MaybePromise<Answer> =>
  andThen(answered, (answer) => noteUsage(exchange, answer))

/** The idle timeout for a stream that a provider generates itself. */
function watchOf(exchange: Targeted, limit: Limit): (stream: AnswerStream) => AnswerStream {
  const idleMs = ownIdleMs(exchange, exchange.node)
  return (stream) => (idleMs === null || limit === null ? stream : watchIdleTime(stream, idleMs, limit))
}

/**
 * The usage of a whole answer, read in the provider's own format, which is the most detailed; a stream is observed as
 * it is sent.
 */
function noteUsage({ endpoint, attempt: { last: attempt } }: Targeted, answer: Answer): Answer {
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
