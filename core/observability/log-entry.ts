/**
 * What is kept of a request in the store's log (management contract, section 18); no bodies, no credentials. Of hooks it
 * keeps `hook_results` with verdicts and feedback, so that they are found in the trace (contract, section 5); nothing of
 * what a check found, because that may reveal a text.
 */
import type { Json, JsonObject, LogEntry } from '@gateway/contract'
import type { LateHook } from '../flow/deferred-work.ts'
import type { Exchange } from '../flow/exchange.ts'
import type { CheckResult, Feedback, HookResult } from '../flow/hook-result.ts'
import type { UsageCost } from '../flow/ledger.ts'
import { attemptEntry } from './attempts.ts'

/** Cents as logs say them: to a millionth. */
export const roundCents = (cents: number): number => Math.round(cents * 1e6) / 1e6

/** The entry of an inference call; null for a route that is none, and for a caller who never got in. */
export function logEntryOf(
  exchange: Exchange,
  status: number,
  durationMs: number,
  usageCost: UsageCost,
): LogEntry | null {
  const { answer, endpoint, identity, options, transport } = exchange
  const { usage, cost, isEstimate } = usageCost
  if (endpoint === null || identity === null) return null
  const hooks = hooksOf(exchange)
  const inputTokens = usage.promptTokens
  const outputTokens = usage.completionTokens
  return {
    id: exchange.requestId,
    created_at: Date.now() - Math.round(durationMs),
    organisation_id: identity.organisationId,
    workspace_id: identity.workspaceId,
    fields: {
      trace_id: exchange.traceId,
      span_id: exchange.own.values.get('span-id') ?? null,
      api_key_id: identity.keyId,
      endpoint_type: endpoint.id,
      response_status_code: status,
      ai_org: answer?.provider ?? null,
      provider: answer?.virtualKey ?? null,
      ai_model: textOf(exchange.body.model),
      config: configOf(exchange),
      prompt_slug: transport.origin?.prompt?.slug ?? null,
      batch_id: transport.origin?.batch_id ?? null,
      cache_status: answer?.cacheStatus ?? null,
      req_units: inputTokens,
      res_units: outputTokens,
      total_units: inputTokens + outputTokens,
      cost: roundCents(cost.cents),
      response_time: Math.round(durationMs),
    },
    data: {
      reasoning_units: usage.reasoningTokens,
      cached_units: usage.cachedTokens,
      cost_currency: 'USD',
      cost_known: cost.isKnown,
      is_estimate: isEstimate,
      parent_span_id: exchange.own.values.get('parent-span-id') ?? null,
      span_name: exchange.own.values.get('span-name') ?? null,
      key_version: identity.keyVersion,
      user_id: identity.userId,
      request_url: pathOf(exchange),
      request_method: transport.method,
      is_success: status >= 200 && status < 300,
      prompt_version: transport.origin?.prompt?.version ?? null,
      mode: exchange.node?.strategy?.mode ?? 'single',
      last_used_option: answer?.index ?? null,
      stream: exchange.body.stream === true,
      is_partial: exchange.streamError !== null || transport.isClosed(),
      retry_count: answer?.retries ?? 0,
      attempts: exchange.ledger.attemptReports.map(attemptEntry),
      time_to_first_token:
        exchange.firstByteMs === null || answer?.stream == null ? null : Math.round(exchange.firstByteMs),
      guardrail_verdict: verdictOf(hooks),
      hook_results: keptHooks(hooks),
      metadata: { ...options?.metadata },
      source: 'gateway',
    },
  }
}

/** The path that the client called. */
export const pathOf = ({ transport }: Exchange): string => transport.origin?.instead?.path ?? transport.path

const textOf = (value: unknown) => (typeof value === 'string' ? value.slice(0, 200) : null)

/** Only the id of a saved one: an inline config may hold a credential. */
function configOf({ node, options }: Exchange): string | null {
  const config = options?.config ?? null
  // What no config was found by may be anything, a credential too.
  return node === null || config === null || config.trimStart().startsWith('{') ? null : config.slice(0, 255)
}

/** Results of both phases. */
export function hooksOf({ answer, beforeResults }: Pick<Exchange, 'answer' | 'beforeResults'>): {
  before: readonly HookResult[]
  after: readonly HookResult[]
} {
  return {
    before: answer === null || answer.beforeResults.length === 0 ? beforeResults : answer.beforeResults,
    after: answer === null ? none : join(answer.afterResults, answer.lateResults),
  }
}

const none: readonly HookResult[] = []

const join = (one: readonly HookResult[], other: readonly HookResult[]) =>
  other.length === 0 ? one : [...one, ...other]

/** Whether all guardrails passed; null where none ran. */
function verdictOf({ before, after }: ReturnType<typeof hooksOf>): boolean | null {
  if (before.length + after.length === 0) return null
  return verdictOfAll([...before, ...after], null)
}

function verdictOfAll(results: readonly HookResult[], known: boolean | null): boolean | null {
  const guardrails = results.filter(({ type }) => type === 'guardrail')
  return guardrails.length === 0 ? known : known !== false && guardrails.every(({ verdict }) => verdict)
}

/** Of the entry of a request; null where no hook ran. */
function keptHooks({ before, after }: ReturnType<typeof hooksOf>): JsonObject | null {
  if (before.length === 0 && after.length === 0) return null
  return { before_request_hooks: before.map(keptHook), after_request_hooks: after.map(keptHook) }
}

/** The entry with what async hooks found, which is known when the answer is long gone. */
export function withLateHooks(entry: LogEntry, late: readonly (LateHook | null)[]): LogEntry {
  // Written by {@link keptHooks}.
  const kept = (entry.data.hook_results ?? null) as KeptHooks | null
  const found = (wanted: LateHook['phase']) =>
    late.flatMap((hook) => (hook?.phase === wanted ? [keptHook(hook.result)] : []))
  const hook_results = {
    before_request_hooks: [...(kept?.before_request_hooks ?? []), ...found('before')],
    after_request_hooks: [...(kept?.after_request_hooks ?? []), ...found('after')],
  }
  const guardrail_verdict = verdictOfAll(
    late.flatMap((hook) => hook?.result ?? []),
    (entry.data.guardrail_verdict ?? null) as boolean | null,
  )
  return { ...entry, data: { ...entry.data, guardrail_verdict, hook_results } }
}

type KeptHooks = { before_request_hooks: JsonObject[]; after_request_hooks: JsonObject[] }

const maxIdChars = 200

const keptHook = (result: HookResult): JsonObject => ({
  id: result.id.slice(0, maxIdChars),
  verdict: result.verdict,
  deny: result.deny,
  async: result.async,
  type: result.type,
  execution_time: result.execution_time,
  transformed: result.transformed,
  feedback: result.feedback === null ? null : keptFeedback(result.feedback),
  checks: result.checks.map(keptCheck),
})

/** Whole, as the feedback of callers is. */
const keptFeedback = ({ value, weight, metadata }: Feedback): JsonObject => ({
  value: value ?? null,
  weight: weight ?? 1,
  // Written as JSON in a config.
  metadata: (metadata ?? {}) as Json,
})

const keptCheck = ({ id, verdict, error, execution_time, transformed }: CheckResult): JsonObject => ({
  id,
  verdict,
  error: error === null ? null : { name: error.name },
  execution_time,
  transformed,
})
