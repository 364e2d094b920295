/** How answers show entries and feedback (management.md section 18). */
import type { Json, JsonObject, LogEntry, LogFeedback, LogSummary } from '@gateway/contract'
import { isObject } from '@gateway/contract'
import { listSchema, nullable, timestamp, toIso } from '@gateway/control-plane/engine'
import { readBody } from '@gateway/core/domain'
import { type TSchema, Type } from '@sinclair/typebox'

const text = nullable(Type.String())
const number = nullable(Type.Number())
const flag = nullable(Type.Boolean())
const anything = Type.Unknown()

const logMembers: Record<string, TSchema> = {
  id: Type.String(),
  object: Type.Literal('log'),
  trace_id: text,
  span_id: text,
  parent_span_id: text,
  span_name: text,
  created_at: timestamp,
  workspace_id: text,
  api_key_id: text,
  key_version: number,
  user_id: text,
  endpoint_type: text,
  request_url: text,
  request_method: text,
  response_status_code: number,
  error_code: nullable(
    Type.String({
      description:
        'The code of the error that was answered, or that ended the stream after a good status. Null: none.',
    }),
  ),
  is_success: Type.Boolean(),
  ai_org: text,
  provider: text,
  ai_model: text,
  requested_model: text,
  mode: text,
  config: text,
  config_version: number,
  prompt_slug: text,
  prompt_version: number,
  last_used_option: text,
  cache_status: text,
  cache_similarity: number,
  stream: flag,
  is_partial: flag,
  retry_count: number,
  hedge_count: number,
  sticky: text,
  req_units: number,
  res_units: number,
  total_units: number,
  reasoning_units: number,
  cached_units: number,
  cost: number,
  cost_currency: Type.Literal('USD'),
  cost_known: flag,
  saved_cost: number,
  is_estimate: flag,
  response_time: number,
  time_to_first_token: number,
  upstream_time: number,
  gateway_time: number,
  guardrail_verdict: flag,
  metadata: Type.Record(Type.String(), Type.String()),
  batch_id: text,
  mcp_server: text,
  mcp_method: text,
  mcp_tool: text,
  source: text,
}

export const logSchema = Type.Object(logMembers, { additionalProperties: false, title: 'Log' })

const side = nullable(Type.Record(Type.String(), anything))

export const wholeLogSchema = Type.Object(
  {
    ...logMembers,
    request: side,
    response: side,
    transformed_request: anything,
    original_response: anything,
    hook_results: anything,
    attempts: Type.Array(anything),
    decisions: anything,
  },
  { additionalProperties: false, title: 'LogEntry' },
)

export function presentLog({ id, created_at, workspace_id, fields, metadata }: LogSummary): JsonObject {
  const { response_status_code: status = null } = fields
  const shown: JsonObject = {
    id,
    object: 'log',
    created_at: toIso(created_at),
    workspace_id,
    is_success: status !== null && status >= 200 && status <= 299,
    cost_currency: 'USD',
    metadata: { ...metadata },
  }
  // In the order of the contract.
  return Object.fromEntries(
    Object.keys(logMembers).map((name) => [
      name,
      Object.hasOwn(shown, name)
        ? (shown[name] ?? null)
        : ((fields as Readonly<Record<string, Json>>)[name] ?? null),
    ]),
  )
}

export function presentEntry(entry: LogEntry): JsonObject {
  const { details, bodies } = entry
  return {
    ...presentLog(entry),
    request: sideOf(details.request, bodies?.request),
    response: sideOf(details.response, bodies?.response),
    transformed_request: readBody(bodies?.transformed_request),
    original_response: readBody(bodies?.original_response),
    hook_results: details.hook_results ?? null,
    attempts: Array.isArray(details.attempts) ? details.attempts : [],
    decisions: details.decisions ?? null,
  }
}

/** A request or an answer with its body. */
const sideOf = (side: Json | undefined, body: string | null | undefined): JsonObject => ({
  ...(isObject(side) ? side : {}),
  body: readBody(body),
})

export const feedbackSchema = Type.Object(
  {
    id: Type.String(),
    object: Type.Literal('feedback'),
    trace_id: Type.String(),
    value: Type.Number(),
    weight: Type.Number(),
    metadata: Type.Record(Type.String(), anything),
    source: Type.Union([Type.Literal('api'), Type.Literal('guardrail')]),
    workspace_id: Type.String(),
    api_key_id: text,
    created_at: timestamp,
    last_updated_at: timestamp,
  },
  { additionalProperties: false, title: 'Feedback' },
)

export const presentFeedback = (one: LogFeedback): JsonObject => ({
  id: one.id,
  object: 'feedback',
  trace_id: one.trace_id,
  value: one.value,
  weight: one.weight,
  metadata: one.metadata,
  source: one.source,
  workspace_id: one.workspace_id,
  api_key_id: one.api_key_id,
  created_at: toIso(one.created_at),
  last_updated_at: toIso(one.last_updated_at),
})

export const logListSchema = listSchema(logSchema)
