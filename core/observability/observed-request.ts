/** Describes a completed request for the observer. */
import {
  isObject,
  type Json,
  type JsonObject,
  type ObservedAttempt,
  type ObservedRequest,
} from '@gateway/contract'
import { type Attempt, type Ended, hasLost, type UsageCost } from '@gateway/flow'
import { gatewayTime } from './log-entry.ts'

export interface Observed {
  /** Milliseconds since the epoch. */
  arrivedAt: number
  durationMs: number
  usageCost: UsageCost
  /** The first and the last events of a stream that was sent; empty for any other answer. */
  ends(): JsonObject[]
  /** The body assembled from a stream. */
  streamed(): Json
}

export function observedRequest(exchange: Ended, observed: Observed): ObservedRequest {
  const { answer, endpoint, options, transport } = exchange
  const { id, ledger, record, traceId } = exchange.request
  const identity = exchange.caller?.identity
  const { arrivedAt, durationMs, usageCost } = observed
  const wasCalled = ledger.attempts.length > 0
  return {
    arrivedAt,
    durationMs,
    trace: ledger.trace,
    traceId,
    requestId: id,
    method: transport.method,
    route: exchange.route?.target.path ?? null,
    status: record.sentStatus ?? answer?.status ?? 499,
    error: answer?.fault?.code ?? record.streamError,
    isClosed: transport.isClosed(),
    endpoint: endpoint?.id ?? record.serviceCalls[0]?.endpoint_type ?? null,
    organisationId: identity?.organisationId ?? null,
    workspaceId: identity?.workspaceId || null,
    keyId: identity?.keyId ?? null,
    userId: identity?.userId ?? record.fields.user_id ?? null,
    config: exchange.config?.saved?.slug ?? null,
    targetPath: answer?.index ?? null,
    provider: answer?.provider ?? null,
    cacheStatus: endpoint === null || options === null ? null : (answer?.cacheStatus ?? null),
    isStream: answer?.stream != null,
    costCents: wasCalled && usageCost.cost.isKnown ? usageCost.cost.cents : null,
    overheadMs: wasCalled ? gatewayTime(exchange, durationMs) : null,
    attempts: wasCalled ? attemptsOf(exchange, observed) : none,
  }
}

const none: readonly ObservedAttempt[] = []

function attemptsOf(exchange: Ended, observed: Observed): ObservedAttempt[] {
  const { attempts, decisions } = exchange.request.ledger
  const answeredBy = attempts.findLast((attempt) => attempt.outcome !== 'nothing' && !hasLost(attempt))
  return attempts.map((attempt, index) => {
    const own = attempt === answeredBy && exchange.answer?.cacheStatus !== 'HIT'
    const call = decisions.find((each) => each.step === 'call' && each.attempt === index)
    return attemptOf(exchange, attempt, { call: call ?? {}, observed: own ? observed : null })
  })
}

const wasAnswered = ({ outcome }: Attempt) => outcome === 'whole' || outcome === 'stream'

interface AttemptOptions {
  call: { [field: string]: unknown }
  observed: Observed | null
}

/** @param observed the attempt whose answer the caller received */
function attemptOf(exchange: Ended, attempt: Attempt, { call, observed }: AttemptOptions): ObservedAttempt {
  const { answer } = exchange
  const { startedAt, ledger, record } = exchange.request
  const { target, body, usage, endpoint } = attempt
  const isStream = attempt.outcome === 'stream'
  const endedMs = attempt.endedAt === 0 ? performance.now() - startedAt : attempt.endedAt - startedAt
  const isHere = observed !== null && ledger.trace?.isSampled === true
  const said = isHere ? (isStream ? observed.ends() : [answer?.body ?? {}]) : []
  return {
    spanId: attempt.spanId,
    startedMs: attempt.startedAt - startedAt,
    endedMs: observed !== null && isStream ? observed.durationMs : endedMs,
    firstTokenMs: isStream ? endedMs : null,
    endpoint: endpoint.id,
    provider: target.adapter.name,
    virtualKey: target.slug,
    address:
      target.baseUrl !== null && target.baseUrl === target.adapter.baseUrl ? hostOf(target.baseUrl) : null,
    path: textOf(call.path),
    isStream,
    isHedge: call.hedge === true,
    requestModel: textOf(body.model),
    responseModel: textOf(attempt.answeredModel),
    responseId: firstText(said, idOf),
    finishReasons: said.length === 0 ? noReasons : finishReasonsOf(said),
    inputTokens: usage?.promptTokens ?? null,
    outputTokens: usage?.completionTokens ?? null,
    status: typeof call.status === 'number' ? call.status : wasAnswered(attempt) ? 200 : null,
    fault: textOf(call.fault) ?? (observed !== null && isStream ? record.streamError : null),
    content:
      isHere && ledger.trace?.capturesContent === true
        ? { input: inputOf(body), output: isStream ? observed.streamed() : (answer?.body ?? null) }
        : null,
  }
}

const longestText = 200
const textOf = (value: unknown) => (typeof value === 'string' ? value.slice(0, longestText) : null)

/** Only default hosts are cached, of which there are few. */
const hosts = new Map<string, string | null>()

function hostOf(url: string): string | null {
  let host = hosts.get(url)
  if (host === undefined) {
    host = URL.canParse(url) ? new URL(url).hostname : null
    hosts.set(url, host)
  }
  return host
}

function inputOf({ messages, input, prompt, system }: JsonObject): Json {
  const text = messages ?? input ?? prompt ?? null
  return system === undefined ? text : { system, messages: text }
}

function firstText(bodies: readonly JsonObject[], read: (body: JsonObject) => unknown): string | null {
  for (const body of bodies) {
    const text = textOf(read(body))
    if (text !== null && text !== '') return text
  }
  return null
}

const memberOf = (holder: unknown, name: string): unknown => (isObject(holder) ? holder[name] : undefined)

/** The id in a whole answer or an event, in each format. */
const idOf = ({ id, responseId, message, response }: JsonObject): unknown =>
  id ?? responseId ?? memberOf(message, 'id') ?? memberOf(response, 'id')

const noReasons: readonly string[] = []
/** The maximum number of reasons, because an answer may have many choices with arbitrary reasons. */
const mostReasons = 16

function finishReasonsOf(bodies: readonly JsonObject[]): readonly string[] {
  const found: string[] = []
  const add = (value: unknown) => {
    const reason = textOf(value)
    if (reason === null || reason === 'in_progress' || found.includes(reason)) return
    if (found.length < mostReasons) found.push(reason)
  }
  for (const { choices, candidates, stop_reason, delta, response, status, object } of bodies) {
    if (Array.isArray(choices)) for (const choice of choices) add(memberOf(choice, 'finish_reason'))
    if (Array.isArray(candidates))
      for (const candidate of candidates) add(memberOf(candidate, 'finishReason'))
    add(stop_reason)
    add(memberOf(delta, 'stop_reason'))
    add(memberOf(response, 'status') ?? (object === 'response' ? status : undefined))
  }
  return found
}
