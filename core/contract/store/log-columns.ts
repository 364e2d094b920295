/**
 * The columns of a log entry, for filters, lists and analytics: the one declaration of each. The tables of every engine,
 * the entry's type, its API description and its filters derive from it. A new column needs only a line here and
 * its value in `core/observability/log-entry.ts`.
 */

/**
 * `name`: a text shared by many entries, which engines may store once. `text`: mostly unique per entry.
 */
export type LogColumnKind = 'name' | 'text' | 'integer' | 'real' | 'boolean'

export interface LogColumn {
  readonly kind: LogColumnKind
  /** The description of the member in the API's answers. */
  readonly description?: string
  /** Whether the column is for filters only: answers have no such member. */
  readonly isInternal?: boolean
}

/** Times are in milliseconds, costs in US cents. Every column may be null. */
export const logColumns = {
  trace_id: { kind: 'text' },
  span_id: { kind: 'text' },
  parent_span_id: { kind: 'text' },
  span_name: { kind: 'name' },
  api_key_id: { kind: 'name' },
  key_version: { kind: 'integer' },
  user_id: { kind: 'name', description: 'The account that the key belongs to.' },
  end_user: { kind: 'name', isInternal: true },
  endpoint_type: { kind: 'name' },
  request_url: { kind: 'name' },
  request_method: { kind: 'name' },
  response_status_code: { kind: 'integer' },
  error_code: {
    kind: 'name',
    description: 'The code of the error that was answered, or that ended the stream after a good status.',
  },
  ai_org: { kind: 'name', description: 'The name of the provider.' },
  provider: { kind: 'name', description: 'The slug of the stored credential.' },
  provider_id: { kind: 'name', isInternal: true },
  ai_model: { kind: 'name', description: 'The model that answered.' },
  requested_model: { kind: 'name' },
  mode: { kind: 'name' },
  config: { kind: 'name', description: 'The slug of the saved config.' },
  config_id: { kind: 'name', isInternal: true },
  config_version: { kind: 'integer' },
  prompt_slug: { kind: 'name' },
  prompt_id: { kind: 'name', isInternal: true },
  prompt_version: { kind: 'integer' },
  last_used_option: { kind: 'name', description: 'The path of the target that answered.' },
  cache_status: { kind: 'name' },
  cache_similarity: { kind: 'real' },
  stream: { kind: 'boolean' },
  is_partial: { kind: 'boolean', description: 'Whether the answer ended before its end.' },
  retry_count: { kind: 'integer' },
  hedge_count: { kind: 'integer' },
  is_fallback: {
    kind: 'boolean',
    description: 'Whether another target was called because the one before it failed.',
  },
  sticky: { kind: 'name', description: 'How an affinity chose the target.' },
  req_units: { kind: 'integer', description: 'Input tokens.' },
  res_units: { kind: 'integer', description: 'Output tokens.' },
  total_units: { kind: 'integer' },
  reasoning_units: { kind: 'integer' },
  cached_units: { kind: 'integer' },
  cost: { kind: 'real', description: 'In US cents.' },
  saved_cost: { kind: 'real', description: 'Saved by a cache hit, in US cents.' },
  cost_known: { kind: 'boolean', description: 'Whether the price of the model is known.' },
  is_estimate: { kind: 'boolean', description: 'Whether the tokens were estimated.' },
  response_time: { kind: 'integer', description: 'In milliseconds, like the other times.' },
  time_to_first_token: { kind: 'integer' },
  upstream_time: { kind: 'integer' },
  gateway_time: { kind: 'real', description: 'What the gateway itself took.' },
  guardrail_verdict: { kind: 'boolean', description: 'Whether all guardrails passed. Null: none ran.' },
  batch_id: { kind: 'name' },
  mcp_server: { kind: 'name' },
  mcp_method: { kind: 'name' },
  mcp_tool: { kind: 'name' },
  source: { kind: 'name', description: 'gateway, custom, cache, replay or shadow.' },
} as const satisfies Record<string, LogColumn>

type Value<Kind extends LogColumnKind> = Kind extends 'boolean'
  ? boolean
  : Kind extends 'integer' | 'real'
    ? number
    : string

export type LogField = keyof typeof logColumns

export type LogFields = { [Name in LogField]: Value<(typeof logColumns)[Name]['kind']> | null }

/** The columns by which entries can be sorted, besides their time. */
export const logSorts = ['cost', 'response_time', 'time_to_first_token', 'total_units'] as const

export type LogSort = (typeof logSorts)[number]
