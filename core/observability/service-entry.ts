/** Log entries of calls that services make (to MCP servers and agents), one entry per call. */
import type { Json, LogBodies, LogEntry } from '@gateway/contract'
import { keptBody, keptMetadata, keptUrl, timeOfId, timeOrderedId } from '@gateway/domain'
import type { Ended } from '@gateway/flow'
import { loggedBodies } from './log-bodies.ts'
import { errorCodeOf } from './log-entry.ts'

export function serviceEntriesOf(exchange: Ended, durationMs: number): LogEntry[] {
  const { answer, caller, options, workspace, transport } = exchange
  const { ownHeaders, record, traceId } = exchange.request
  const { serviceCalls } = record
  if (caller === null || serviceCalls.length === 0) return []
  const { identity } = caller
  const status = record.sentStatus ?? answer?.status ?? 499
  const { sides } = loggedBodies(exchange, status, () => null)
  return serviceCalls.map(({ endpoint_type, fields, request = null, response = null }, index) => {
    const id = index === 0 ? exchange.request.id : timeOrderedId(Date.now())
    return {
      id,
      created_at: timeOfId(id) ?? Date.now(),
      organisation_id: identity.organisationId,
      workspace_id: identity.workspaceId,
      fields: {
        trace_id: traceId,
        span_id: ownHeaders.values.get('span-id')?.slice(0, maxIdChars) ?? null,
        parent_span_id: ownHeaders.values.get('parent-span-id')?.slice(0, maxIdChars) ?? null,
        span_name: ownHeaders.values.get('span-name') ?? null,
        api_key_id: identity.keyId,
        key_version: identity.keyVersion,
        user_id: identity.userId,
        end_user: options?.metadata._user ?? null,
        endpoint_type,
        request_url: keptUrl(transport.path, transport.search, workspace.logs),
        request_method: transport.method,
        response_status_code: status,
        error_code: errorCodeOf(exchange, status),
        response_time: Math.round(durationMs),
        is_partial: record.streamError !== null || transport.isClosed(),
        source: 'gateway',
        ...fields,
      },
      metadata: keptMetadata(options?.metadata ?? {}, workspace.logs),
      details: sides,
      bodies:
        workspace.logs.bodies === 'full' ? bodiesOf(request, response, workspace.logs.maxBodyBytes) : null,
    }
  })
}

const maxIdChars = 128

const bodiesOf = (request: Json, response: Json, maxBytes: number): LogBodies => ({
  request: keptBody(request, maxBytes).text,
  response: keptBody(response, maxBytes).text,
  transformed_request: null,
  original_response: null,
})
