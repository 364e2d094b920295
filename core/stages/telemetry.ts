/**
 * Sets the trace id on the way in. After the last byte, records metrics, one log line, and the entry in the store's log.
 * None of them contains credentials, and only the entry contains bodies.
 */
import { isObject, type Json, type JsonObject, type LogEntry, type Phase, parseJson } from '@gateway/contract'
import {
  afterAll,
  beginTrace,
  type Ended,
  type Endpoint,
  ended,
  type HookResult,
  type Ledger,
  type Ports,
  type Received,
  readTraceParent,
  type Stage,
} from '@gateway/flow'
import { parseEvents } from '@gateway/streaming'
import { noUsageCost, usageCostOf } from '../metering/index.ts'
import {
  attemptText,
  endedAttempts,
  gatewayTime,
  hooksOf,
  type Logged,
  logEntryOf,
  observedRequest,
  roundCents,
  serviceEntriesOf,
  upstreamTime,
  withLateHooks,
} from '../observability/index.ts'

type EndpointAt = (path: string) => Endpoint | null

/** @param endpointAt the endpoint of a path, for a request that fails before it is routed */
export function createTelemetry(
  ports: Ports<'inFlight' | 'logRequest' | 'metrics' | 'observer' | 'shadows'>,
  endpointAt: EndpointAt,
): Stage<Received, Received, void> {
  return function telemetry(exchange, next) {
    const { request } = exchange
    request.traceId = traceIdOf(exchange) ?? request.traceId
    const { observer } = ports
    if (observer?.traces === true) request.ledger.trace = beginTrace(exchange, observer)
    ports.inFlight.begin('request')
    return afterAll(
      () => next(exchange),
      () => {
        ports.inFlight.end('request')
        end(ports, ended(exchange), endpointAt)
      },
    )
  }
}

function end(
  ports: Ports<'inFlight' | 'logRequest' | 'metrics' | 'observer' | 'shadows'>,
  exchange: Ended,
  endpointAt: EndpointAt,
): void {
  const { observer } = ports
  // This runs first, because nothing below may prevent settlements.
  const { ledger, record, startedAt, stores } = exchange.request
  const hooks = ledger.deferred.begin()
  const durationMs = performance.now() - startedAt
  const nowMs = Date.now()
  const { attempts } = ledger
  const usageCost = attempts.length === 0 ? noUsageCost : usageCostOf(exchange, attempts, nowMs)
  const { answer, caller, endpoint } = exchange
  const entry = recordRequest(ports, exchange, {
    status: record.sentStatus ?? answer?.status ?? 499,
    durationMs,
    usageCost,
    endpoint: endpoint ?? (caller === null ? null : endpointAt(exchange.transport.path)),
    streamed: () => streamedBody(exchange),
  })
  if (record.serviceCalls.length > 0)
    for (const called of serviceEntriesOf(exchange, durationMs)) stores.logs.add(called)
  keep(ports, exchange, entry, hooks)
  if (record.shadows !== null && entry !== null) ports.shadows.start(exchange, entry)
  if (observer !== null) {
    const observed = observedRequest(exchange, {
      arrivedAt: nowMs - durationMs,
      durationMs,
      usageCost,
      ends: () => eventsOf(Buffer.concat(ledger.sent?.ends() ?? [])),
      streamed: () => streamedBody(exchange),
    })
    // The steps of async hooks follow later.
    if (hooks.length === 0) observer.ended(observed)
    else void Promise.allSettled(hooks).then(() => observer.ended(observed))
  }
}

/** The entry in the store's log, including async hooks: the entry waits for them. */
function keep(
  ports: Ports<'inFlight'>,
  exchange: Ended,
  entry: LogEntry | null,
  hooks: ReturnType<Ledger['deferred']['begin']>,
): void {
  if (entry === null) return
  const { logs } = exchange.request.stores
  if (hooks.length === 0) {
    logs.add(entry)
    return
  }
  ports.inFlight.begin()
  const done = () => ports.inFlight.end()
  const complete = Promise.all(hooks).then((late) => withLateHooks(entry, late, exchange))
  logs.addLater(entry, complete)
  complete.then(done, done)
}

/**
 * A trace id must be printable and short, because it is sent in a header and written to every log line. The name of an
 * unset variable from a client's settings is not an id: it would put all of the client's sessions into one trace.
 */
const plainId = /^(?!\$\{)[\x21-\x7e]{1,128}$/
function traceIdOf(exchange: Received): string | null {
  const { headers } = exchange.transport
  const own = exchange.request.ownHeaders.values.get('trace-id')
  if (own !== undefined) return plainId.test(own) ? own : null
  const { traceparent } = headers
  return traceparent === undefined ? null : (readTraceParent(traceparent)?.traceId ?? null)
}

function recordRequest(
  ports: Ports<'logRequest' | 'metrics'>,
  exchange: Ended,
  logged: Logged,
): LogEntry | null {
  measure(ports.metrics, exchange, logged)
  const attempts = endedAttempts(exchange)
  for (const attempt of attempts) ports.metrics.attempts.record(attempt)
  const entry = logEntryOf(exchange, logged)
  ports.logRequest(logLineOf(exchange, logged, attempts))
  return entry
}

const endpointLabelOf = ({ endpoint, request: { record } }: Ended): string | undefined =>
  endpoint?.id ?? record.serviceCalls[0]?.endpoint_type

function measure(
  metrics: Ports<'metrics'>['metrics'],
  exchange: Ended,
  { status, durationMs, usageCost }: Logged,
): void {
  const { answer } = exchange
  const { ledger, record } = exchange.request
  const endpoint = endpointLabelOf(exchange) ?? 'other'
  const provider = answer?.provider ?? 'none'
  metrics.requests.inc({ endpoint, provider, status })
  metrics.requestSeconds.observe({ endpoint }, durationMs / 1000)
  if (record.firstByteMs !== null && answer?.stream)
    metrics.firstByteSeconds.observe({ endpoint }, record.firstByteMs / 1000)
  const code = answer?.fault?.code ?? null
  if (code !== null) metrics.errors.inc({ code })
  if (usageCost !== noUsageCost && !usageCost.isEstimate) {
    const model = usageCost.cost.isKnown ? (modelOf(exchange) ?? null) : null
    const { promptTokens: prompt, completionTokens: completion } = usageCost.usage
    metrics.tokens.record({ provider, model, prompt, completion })
  }
  if (ledger.attempts.length > 0) {
    metrics.upstreamSeconds.observe({ provider }, upstreamTime(exchange) / 1000)
    metrics.overheadSeconds.observe({}, gatewayTime(exchange, durationMs) / 1000)
    if (usageCost.cost.isKnown) metrics.cost.inc({ provider }, usageCost.cost.cents)
  }
}

function logLineOf(
  exchange: Ended,
  { status, durationMs, usageCost }: Logged,
  attempts: ReturnType<typeof endedAttempts>,
) {
  const { answer } = exchange
  const { path, record, traceId } = exchange.request
  const identity = exchange.caller?.identity
  const usage = usageCost === noUsageCost ? null : usageCost.usage
  const called = record.serviceCalls[0]?.fields
  // One literal: members after a spread would be added to the object one by one. JSON omits undefined ones.
  return {
    level: status >= 500 ? ('warn' as const) : ('info' as const),
    time: new Date().toISOString(),
    trace_id: traceId,
    method: exchange.transport.method,
    path,
    endpoint: endpointLabelOf(exchange),
    mcp_server: called?.mcp_server,
    mcp_method: called?.mcp_method,
    mcp_tool: called?.mcp_tool,
    status,
    duration_ms: round(durationMs),
    first_byte_ms: record.firstByteMs === null ? undefined : round(record.firstByteMs),
    key: identity?.name,
    workspace: identity?.workspace,
    provider: answer?.provider ?? undefined,
    virtual_key: answer?.virtualKey ?? undefined,
    model: modelOf(exchange),
    target: answer?.index ?? undefined,
    retries: answer?.retries || undefined,
    attempts: attempts.length < 2 ? undefined : attempts.slice(0, mostAttempts).map(attemptText),
    cache: answer?.cacheStatus,
    prompt_tokens: usage?.promptTokens,
    completion_tokens: usage?.completionTokens,
    cached_units: usage?.cachedTokens || undefined,
    reasoning_units: usage?.reasoningTokens || undefined,
    cost: usage === null ? undefined : roundCents(usageCost.cost.cents),
    cost_known: usage === null ? undefined : usageCost.cost.isKnown,
    is_estimate: (usage !== null && usageCost.isEstimate) || undefined,
    hooks: hookLines(exchange),
    error: answer?.fault?.code ?? undefined,
    stream_error: record.streamError ?? undefined,
    outcome: exchange.transport.isClosed() ? 'client_closed_request' : undefined,
  }
}

const streamedBody = ({ request: { record } }: Ended): Json => record.sent?.read() ?? null

/** The maximum in a log line; the log entry contains all of them. */
const mostAttempts = 50

/** Verdicts and feedback, by phase. Findings are left out, because they may reveal text. */
function hookLines(exchange: Ended): object[] | undefined {
  const { before, after } = hooksOf(exchange)
  if (before.length === 0 && after.length === 0) return undefined
  return before
    .map((result) => hookLine('before', result))
    .concat(after.map((result) => hookLine('after', result)))
}

function hookLine(phase: Phase, { id, verdict, deny, execution_time, feedback, checks }: HookResult): object {
  const isBroken = checks.some(({ error }) => error !== null)
  return {
    id: id.slice(0, 200),
    phase,
    verdict,
    deny,
    execution_time,
    errors: isBroken ? checks.flatMap((check) => (check.error === null ? [] : check.id)) : undefined,
    feedback: feedback === null ? undefined : { value: feedback.value, weight: feedback.weight },
  }
}

const round = (milliseconds: number) => Math.round(milliseconds * 1000) / 1000

function modelOf(exchange: Ended): string | undefined {
  const { model } = exchange.input.body
  return typeof model === 'string' ? model.slice(0, 200) : undefined
}

const eventsOf = (bytes: Buffer): JsonObject[] =>
  parseEvents(bytes)
    .map(({ data }) => parseJson(data))
    .filter(isObject)
