/** The columns of a log entry as data: every engine derives its tables, rows and conditions from it. */
import type { LogField, LogFields, LogSource } from '@gateway/contract'

/**
 * `name`: a text shared by many entries, which engines may store once. `text`: mostly unique per entry.
 */
export type LogColumnKind = 'name' | 'text' | 'integer' | 'real' | 'boolean'

export const logColumns: Readonly<Record<LogField, LogColumnKind>> = {
  trace_id: 'text',
  span_id: 'text',
  parent_span_id: 'text',
  span_name: 'name',
  api_key_id: 'name',
  key_version: 'integer',
  user_id: 'name',
  end_user: 'name',
  endpoint_type: 'name',
  request_url: 'name',
  request_method: 'name',
  response_status_code: 'integer',
  error_code: 'name',
  ai_org: 'name',
  provider: 'name',
  provider_id: 'name',
  ai_model: 'name',
  requested_model: 'name',
  mode: 'name',
  config: 'name',
  config_id: 'name',
  config_version: 'integer',
  prompt_slug: 'name',
  prompt_id: 'name',
  prompt_version: 'integer',
  last_used_option: 'name',
  cache_status: 'name',
  cache_similarity: 'real',
  stream: 'boolean',
  is_partial: 'boolean',
  retry_count: 'integer',
  hedge_count: 'integer',
  is_fallback: 'boolean',
  sticky: 'name',
  req_units: 'integer',
  res_units: 'integer',
  total_units: 'integer',
  reasoning_units: 'integer',
  cached_units: 'integer',
  cost: 'real',
  saved_cost: 'real',
  cost_known: 'boolean',
  is_estimate: 'boolean',
  response_time: 'integer',
  time_to_first_token: 'integer',
  upstream_time: 'integer',
  gateway_time: 'real',
  guardrail_verdict: 'boolean',
  batch_id: 'name',
  mcp_server: 'name',
  mcp_method: 'name',
  mcp_tool: 'name',
  source: 'name',
}

// The table has a member for every field, by its type.
export const logFieldNames = Object.keys(logColumns) as readonly (keyof LogFields)[]

export const isLogField = (name: string): name is LogField => Object.hasOwn(logColumns, name)

/**
 * Columns kept of pruned entries besides hour, organisation and workspace, for filters and groups beyond the retention.
 */
export const aggregateFields = [
  'api_key_id',
  'user_id',
  'ai_org',
  'ai_model',
  'provider',
  'provider_id',
  'config',
  'config_id',
  'prompt_slug',
  'prompt_id',
  'response_status_code',
  'endpoint_type',
  'cache_status',
  'source',
] as const satisfies readonly LogField[]

/** Sources of requests that no caller waited for: left out unless a filter names them. */
export const hiddenSources: readonly LogSource[] = ['replay', 'shadow']

/** Longer names are truncated, because engines limit index entries. */
export const maxLogNameChars = 500
