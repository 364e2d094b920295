/**
 * Records the session and the user that a coding agent names, as the trace of the request and the user of its log
 * entry.
 */
import type { JsonObject } from '@gateway/contract'
import { beginTrace, type Ports, type Routed, readAgentIds } from '@gateway/flow'

/** A trace id from the caller and the user of the key take precedence. */
export function noteAgent(ports: Ports<'observer'>, exchange: Routed, body: JsonObject): void {
  const { headers, request } = exchange
  const { identity } = exchange.caller
  const { ledger, record } = request
  const { session, user } = readAgentIds(headers, body)
  if (user !== null && (identity?.userId ?? null) === null) record.fields.user_id = user
  if (session === null || request.traceId !== request.id) return
  request.traceId = session
  if (ledger.trace !== null && ports.observer !== null) ledger.trace = beginTrace(exchange, ports.observer)
}
