/** What is kept of the calls of a service (an MCP server, an agent) in the store's log: one entry for each call. */
import type { LogEntry } from '@gateway/contract'
import type { Exchange } from '../flow/exchange.ts'
import { timeOrderedId } from '../shared/time-ordered-id.ts'

export function serviceEntriesOf(exchange: Exchange, durationMs: number): LogEntry[] {
  const { answer, identity, options, serviceCalls, transport } = exchange
  if (identity === null) return []
  const status = exchange.sentStatus ?? answer?.status ?? 499
  const now = Date.now()
  return serviceCalls.map(({ endpoint_type, fields, isError = false }, index) => ({
    id: index === 0 ? exchange.requestId : timeOrderedId(now),
    created_at: now - Math.round(durationMs),
    organisation_id: identity.organisationId,
    workspace_id: identity.workspaceId,
    fields: {
      trace_id: exchange.traceId,
      span_id: exchange.own.values.get('span-id') ?? null,
      api_key_id: identity.keyId,
      endpoint_type,
      response_status_code: status,
      response_time: Math.round(durationMs),
      ...fields,
    },
    data: {
      parent_span_id: exchange.own.values.get('parent-span-id') ?? null,
      span_name: exchange.own.values.get('span-name') ?? null,
      key_version: identity.keyVersion,
      user_id: identity.userId,
      request_url: transport.path,
      request_method: transport.method,
      is_success: status >= 200 && status < 300 && !isError,
      is_partial: exchange.streamError !== null || transport.isClosed(),
      metadata: { ...options?.metadata },
      source: 'gateway',
    },
  }))
}
