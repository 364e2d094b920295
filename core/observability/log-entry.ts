/** What is kept of a request in the store's log (management contract, section 18); no bodies, no credentials. */
import { randomUUID } from 'node:crypto'
import type { LogEntry } from '@gateway/contract'
import type { Exchange } from '../flow/exchange.ts'
import type { Spent } from '../flow/ledger.ts'
import { hooksOf, keptHooks, verdictOf } from './hook-results.ts'

/** Cents as logs say them: to a millionth. */
export const roundCents = (cents: number): number => Math.round(cents * 1e6) / 1e6

/** The entry of an inference call; null for a route that is none, and for a caller who never got in. */
export function logEntryOf(
  exchange: Exchange,
  status: number,
  durationMs: number,
  spent: Spent,
): LogEntry | null {
  const { answer, endpoint, identity, options, transport } = exchange
  const { usage, cost, isEstimate } = spent
  if (endpoint === null || identity === null) return null
  const hooks = hooksOf(exchange)
  const inputTokens = usage.promptTokens
  const outputTokens = usage.completionTokens
  return {
    id: timeOrderedId(Date.now()),
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
      ai_model: textOf(exchange.body.model),
      config: configOf(exchange),
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
      request_url: transport.path,
      request_method: transport.method,
      is_success: status >= 200 && status < 300,
      mode: exchange.node?.strategy?.mode ?? 'single',
      last_used_option: answer?.index ?? null,
      stream: exchange.body.stream === true,
      is_partial: exchange.streamError !== null || transport.isClosed(),
      retry_count: answer?.retries ?? 0,
      time_to_first_token:
        exchange.firstByteMs === null || answer?.stream == null ? null : Math.round(exchange.firstByteMs),
      guardrail_verdict: verdictOf(hooks),
      hook_results: keptHooks(hooks),
      metadata: { ...options?.metadata },
      source: 'gateway',
    },
  }
}

const textOf = (value: unknown) => (typeof value === 'string' ? value.slice(0, 200) : null)

/** Only the id of a saved one: an inline config may hold a credential. */
function configOf({ node, options }: Exchange): string | null {
  const config = options?.config ?? null
  // What no config was found by may be anything, a credential too.
  return node === null || config === null || config.trimStart().startsWith('{') ? null : config.slice(0, 255)
}

/** An id in the order of its time (UUID version 7, RFC 9562): an index over such ids grows at its end, not everywhere. */
function timeOrderedId(nowMs: number): string {
  const time = nowMs.toString(16).padStart(12, '0')
  // Behind the version a random UUID has what this one needs, variant included; node makes those in stock.
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}
