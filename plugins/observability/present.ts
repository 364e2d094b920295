/** How answers show entries and feedback (management.md section 18). */
import type {
  Json,
  JsonObject,
  LogColumn,
  LogColumnKind,
  LogEntry,
  LogFeedback,
  LogField,
  LogSummary,
} from '@gateway/contract'
import { isObject, logColumns } from '@gateway/contract'
import { listSchema, nullable, timestamp, toIso } from '@gateway/control-plane/engine'
import { logFieldNames, readBody } from '@gateway/domain'
import { type SchemaOptions, type TSchema, Type } from '@sinclair/typebox'

const text = nullable(Type.String())
const anything = Type.Unknown()

const byKind: Readonly<Record<LogColumnKind, (options: SchemaOptions) => TSchema>> = {
  name: Type.String,
  text: Type.String,
  integer: Type.Integer,
  real: Type.Number,
  boolean: Type.Boolean,
}

const shownColumns = logFieldNames.flatMap((name): [LogField, TSchema][] => {
  const { kind, description, isInternal = false }: LogColumn = logColumns[name]
  if (isInternal) return []
  const value = byKind[kind](description === undefined ? {} : { description })
  return [[name, nullable(value)]]
})

const logMembers: Readonly<Record<string, TSchema>> = {
  id: Type.String(),
  object: Type.Literal('log'),
  created_at: timestamp,
  workspace_id: text,
  is_success: Type.Boolean(),
  cost_currency: Type.Literal('USD'),
  metadata: Type.Record(Type.String(), Type.String()),
  ...Object.fromEntries(shownColumns),
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
  return {
    id,
    object: 'log',
    created_at: toIso(created_at),
    workspace_id,
    is_success: status !== null && status >= 200 && status <= 299,
    cost_currency: 'USD',
    metadata: { ...metadata },
    ...Object.fromEntries(shownColumns.map(([name]) => [name, fields[name] ?? null])),
  }
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
