/**
 * A request's entry in the store's log (management contract, section 18): its columns, the details shown only with the
 * entry, and its bodies as far as `logs.bodies` allows. It contains no credentials.
 */
import {
  asJson,
  isObject,
  type Json,
  type JsonObject,
  type LogEntry,
  type LogFields,
} from '@gateway/contract'
import { keptMetadata, keptUrl } from '@gateway/domain'
import {
  type Answer,
  type CheckResult,
  type Ended,
  type Endpoint,
  elapsedMs,
  type Feedback,
  type HookResult,
  type LateHook,
  lastAttempt,
  type Received,
  recordDecision,
  type UsageCost,
} from '@gateway/flow'
import { attemptEntry } from './attempts.ts'
import { loggedBodies } from './log-bodies.ts'

/** Rounds cents as in logs, to a millionth. */
export const roundCents = (cents: number): number => Math.round(cents * 1e6) / 1e6

export interface Logged {
  status: number
  durationMs: number
  usageCost: UsageCost
  /** The endpoint of the path, for a request that failed before it was routed; null for an unknown path. */
  endpoint: Endpoint | null
  /** The body assembled from a stream. */
  streamed(): Json
}

/** The entry of an inference call; null for other routes and for unauthenticated callers. */
export function logEntryOf(exchange: Ended, logged: Logged): LogEntry | null {
  const { caller, options, workspace } = exchange
  const { id, arrivedAt, ledger, record } = exchange.request
  const { endpoint } = logged
  if (endpoint === null || caller === null || !endpoint.isLogged) return null
  const hooks = hooksOf(exchange)
  const { bodies, sides } = loggedBodies(exchange, logged.status, logged.streamed)
  return {
    id,
    created_at: arrivedAt,
    organisation_id: caller.identity.organisationId,
    workspace_id: caller.identity.workspaceId,
    fields: Object.assign(fieldsOf(exchange, logged, endpoint), record.fields),
    metadata: keptMetadata(options?.metadata ?? {}, workspace.logs),
    details: {
      request: sides.request,
      response: sides.response,
      attempts: ledger.attemptReports.map(attemptEntry),
      decisions: endedDecisions(exchange, logged),
      hook_results: keptHooks(hooks, keepsData(exchange)),
    },
    bodies,
  }
}

/**
 * Records how the request ended.
 * @param path path of the target that answered
 * @param cents cost of its answer
 */
export function recordEnd(
  exchange: Received,
  { status, path, cents }: { status: number; path: string | null; cents: number },
): void {
  if (exchange.request.ledger.decisions.at(-1)?.step === 'end') return
  recordDecision(exchange, { step: 'end', path, at_ms: elapsedMs(exchange), status, cost: roundCents(cents) })
}

export const decisionsOf = ({ request: { ledger } }: Received): JsonObject => ({
  // Plain data created by the gateway.
  decisions: ledger.decisions.map((decision) => asJson(decision)),
})

/** The complete decision trace. */
function endedDecisions(exchange: Ended, { status, usageCost }: Logged): Json {
  recordEnd(exchange, { status, path: exchange.answer?.index ?? null, cents: usageCost.cost.cents })
  return decisionsOf(exchange).decisions ?? null
}

/** The columns of the entry. */
function fieldsOf(exchange: Ended, logged: Logged, endpoint: Endpoint): Partial<LogFields> {
  const { answer, workspace, transport } = exchange
  const { ledger, ownHeaders, record, traceId } = exchange.request
  const identity = exchange.caller?.identity
  const savedConfig = exchange.config?.saved
  const { status, durationMs } = logged
  const { usage, cost, isEstimate } = logged.usageCost
  const isHit = answer?.cacheStatus === 'HIT' || answer?.cacheStatus === 'SEMANTIC HIT'
  const origin = isHit || ledger.attempts.length > 0 ? answer : null
  const upstreamMs = upstreamTime(exchange)
  const prompt = ledger.prompt ?? exchange.input.prompt
  return {
    trace_id: traceId,
    span_id: shortId(ownHeaders.values.get('span-id')),
    parent_span_id: shortId(ownHeaders.values.get('parent-span-id')),
    span_name: ownHeaders.values.get('span-name') ?? null,
    api_key_id: identity?.keyId ?? null,
    key_version: identity?.keyVersion ?? null,
    user_id: identity?.userId ?? null,
    end_user: endUserOf(exchange),
    endpoint_type: endpoint.id,
    request_url: urlOf(exchange),
    request_method: transport.method,
    response_status_code: status,
    error_code: errorCodeOf(exchange, status),
    ai_org: origin?.provider ?? null,
    provider: origin?.virtualKey ?? null,
    provider_id: providerIdOf(workspace, origin),
    ai_model: answeredModel(exchange, origin !== null),
    requested_model: textOf(record.asked?.model),
    mode: exchange.node === null ? null : (exchange.node.strategy?.mode ?? 'single'),
    config: savedConfig?.slug ?? null,
    config_id: savedConfig?.id ?? null,
    config_version: savedConfig?.version ?? null,
    prompt_slug: prompt?.slug ?? null,
    prompt_id: prompt?.id ?? null,
    prompt_version: prompt?.version ?? null,
    batch_id: transport.origin?.batch_id ?? null,
    last_used_option: answer?.index ?? null,
    cache_status: answer?.cacheStatus ?? 'DISABLED',
    cache_similarity: answer?.cacheSimilarity ?? null,
    stream: exchange.input.body.stream === true,
    is_partial: record.streamError !== null || transport.isClosed(),
    retry_count: answer?.retries ?? 0,
    hedge_count: ledger.hedges,
    is_fallback: ledger.attemptReports.some(({ reason }) => reason === 'fallback'),
    req_units: usage.promptTokens,
    res_units: usage.completionTokens,
    total_units: usage.promptTokens + usage.completionTokens,
    reasoning_units: usage.reasoningTokens,
    cached_units: usage.cachedTokens,
    cost: roundCents(cost.cents),
    saved_cost: isHit ? savedCost(exchange) : null,
    cost_known: cost.isKnown,
    is_estimate: isEstimate,
    response_time: Math.round(durationMs),
    time_to_first_token: firstTokenTime(exchange),
    upstream_time: Math.round(upstreamMs),
    gateway_time: Math.round(gatewayTime(exchange, durationMs) * 10) / 10,
    guardrail_verdict: verdictOf(hooksOf(exchange)),
    source: transport.origin?.source ?? 'gateway',
  }
}

/** The id of the stored provider that answered. */
function providerIdOf(
  { storedProviders }: Pick<Ended['workspace'], 'storedProviders'>,
  origin: Answer | null,
): string | null {
  if (origin?.virtualKey == null) return null
  return storedProviders.get(origin.virtualKey)?.id ?? null
}

/** What the call would have cost without the cache. */
function savedCost({ request: { record } }: Ended): number | null {
  const saved = record.savedCost?.() ?? null
  return saved === null ? null : roundCents(saved)
}

/** The time of a stream's first token. */
function firstTokenTime({ answer, request: { record } }: Ended): number | null {
  return record.firstByteMs === null || answer?.stream == null ? null : Math.round(record.firstByteMs)
}

/** The gateway's own code, else the provider's. */
export function errorCodeOf(
  { answer, request: { record } }: Pick<Ended, 'answer' | 'request'>,
  status: number,
): string | null {
  if (record.streamError !== null) return record.streamError
  if (answer?.fault) return answer.fault.code
  if (status < 400 || !isObject(answer?.body) || !isObject(answer.body.error)) return null
  return textOf(answer.body.error.code)
}

/** The URL with its query, if the client called the endpoint directly. */
const urlOf = (exchange: Ended): string => {
  const { origin, search } = exchange.transport
  return keptUrl(exchange.request.path, origin === null ? search : '', exchange.workspace.logs)
}

const maxIdText = 128
const shortId = (id: string | undefined) => id?.slice(0, maxIdText) ?? null

const textOf = (value: unknown) => (typeof value === 'string' ? value.slice(0, 200) : null)

/** The end user that the application named. */
function endUserOf({ options, request: { record } }: Ended): string | null {
  const { _user: named } = options?.metadata ?? {}
  return named ?? textOf(record.asked?.user)
}

/** The model that the answer reports, or else the requested one; null if no model was called. */
function answeredModel(
  { answer, input: { body }, request: { ledger } }: Ended,
  isAsked: boolean,
): string | null {
  if (!isAsked) return null
  const attempt = lastAttempt(ledger)
  return textOf(attempt?.answeredModel ?? answer?.body?.model ?? attempt?.body.model ?? body.model)
}

/** The time spent waiting for targets, including streams up to their last byte. */
export function upstreamTime({ answer, request: { ledger } }: Ended): number {
  const streaming = answer?.stream == null ? undefined : lastAttempt(ledger)
  let sum = 0
  for (const each of ledger.attempts) {
    const { startedAt, endedAt, outcome } = each
    const isStreaming = each === streaming && outcome === 'stream'
    sum += (isStreaming ? performance.now() : Math.max(startedAt, endedAt)) - startedAt
  }
  return sum
}

/** The time that the gateway itself took, without targets and without the waits before retries. */
export const gatewayTime = (exchange: Ended, durationMs: number): number =>
  Math.max(0, durationMs - upstreamTime(exchange) - exchange.request.ledger.waitedMs)

/** Whether findings of checks may be logged. They may not if a check has removed text. */
const keepsData = ({ workspace, request: { record } }: Ended): boolean =>
  workspace.logs.bodies !== 'none' && (record.changed === null || workspace.logs.keepsOriginal)

/** The results of input checks: on the body, and on tool calls that a service made. */
export const inputResultsOf = ({ input, request }: Pick<Ended, 'input' | 'request'>): readonly HookResult[] =>
  join(request.record.toolResults, input.beforeResults)

/** The results of both phases. */
export function hooksOf(exchange: Pick<Ended, 'answer' | 'input' | 'request'>): {
  before: readonly HookResult[]
  after: readonly HookResult[]
} {
  const { answer } = exchange
  return {
    before:
      answer === null || answer.beforeResults.length === 0 ? inputResultsOf(exchange) : answer.beforeResults,
    after: answer === null ? none : join(answer.afterResults, answer.lateResults),
  }
}

const none: readonly HookResult[] = []

const join = (one: readonly HookResult[], other: readonly HookResult[]) =>
  other.length === 0 ? one : one.length === 0 ? other : [...one, ...other]

/** Whether all guardrails passed; null when none ran. */
function verdictOf({ before, after }: ReturnType<typeof hooksOf>): boolean | null {
  if (before.length + after.length === 0) return null
  return verdictOfAll([...before, ...after], null)
}

function verdictOfAll(results: readonly HookResult[], known: boolean | null): boolean | null {
  const guardrails = results.filter(({ type }) => type === 'guardrail')
  return guardrails.length === 0 ? known : known !== false && guardrails.every(({ verdict }) => verdict)
}

/** The hook results of an entry; null when no hook ran. */
function keptHooks({ before, after }: ReturnType<typeof hooksOf>, hasData: boolean): JsonObject | null {
  if (before.length === 0 && after.length === 0) return null
  const kept = (result: HookResult) => keptHook(result, hasData)
  return { before_request_hooks: before.map(kept), after_request_hooks: after.map(kept) }
}

/** Adds the results of async hooks, which arrive after the answer, to the entry. */
export function withLateHooks(
  entry: LogEntry,
  late: readonly (LateHook | null)[],
  exchange: Ended,
): LogEntry {
  const kept = isObject(entry.details.hook_results) ? (entry.details.hook_results as KeptHooks) : null
  const hasData = keepsData(exchange)
  const found = (wanted: LateHook['phase']) =>
    late.flatMap((hook) => (hook?.phase === wanted ? [keptHook(hook.result, hasData)] : []))
  const hook_results = {
    before_request_hooks: [...(kept?.before_request_hooks ?? []), ...found('before')],
    after_request_hooks: [...(kept?.after_request_hooks ?? []), ...found('after')],
  }
  const guardrail_verdict = verdictOfAll(
    late.flatMap((hook) => hook?.result ?? []),
    entry.fields.guardrail_verdict ?? null,
  )
  return {
    ...entry,
    fields: { ...entry.fields, guardrail_verdict },
    details: { ...entry.details, hook_results },
  }
}

type KeptHooks = { before_request_hooks: JsonObject[]; after_request_hooks: JsonObject[] }

const maxIdChars = 200

const keptHook = (result: HookResult, hasData: boolean): JsonObject =>
  isKeptWhole(result, hasData)
    ? (asJson(result) as JsonObject)
    : {
        id: result.id.slice(0, maxIdChars),
        verdict: result.verdict,
        deny: result.deny,
        async: result.async,
        type: result.type,
        execution_time: result.execution_time,
        transformed: result.transformed,
        feedback: result.feedback === null ? null : keptFeedback(result.feedback),
        checks: result.checks.map((check) => keptCheck(check, hasData)),
      }

/** Whether the result itself can be logged, as most can: without a copy. */
const isKeptWhole = ({ id, feedback, checks }: HookResult, hasData: boolean): boolean =>
  hasData &&
  feedback === null &&
  id.length <= maxIdChars &&
  checks.every(
    ({ data, error, explanation }) =>
      error === null && explanation === undefined && boundedData(data) === data,
  )

/** The value is an integer, like in callers' feedback. */
const keptFeedback = ({ value, weight, metadata }: Feedback): JsonObject => ({
  value: value ?? null,
  weight: weight ?? 1,
  // The metadata was JSON in a config.
  metadata: (metadata ?? {}) as Json,
})

function keptCheck(result: CheckResult, hasData: boolean): JsonObject {
  const { id, verdict, data, execution_time, transformed } = result
  const error = result.error === null ? null : { name: result.error.name }
  return hasData
    ? { id, verdict, data: boundedData(data), error, execution_time, transformed }
    : { id, verdict, error, execution_time, transformed }
}

const maxDataChars = 16_384

/** A check's findings, which are plain data, unless they are too large. */
const boundedData = (data: unknown): Json =>
  JSON.stringify(data ?? null).length > maxDataChars ? null : ((data ?? null) as Json)
