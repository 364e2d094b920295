/**
 * The entries that analytics sum up: the filter within the answerable range. Beyond the retention of logs, only hourly
 * aggregates exist, which support some filters. Errors: 400 `invalid_query` at a filter that aggregates do not support.
 */
import { GatewayError, type LogFilter } from '@gateway/contract'
import { type Call, invalidQuery } from '@gateway/control-plane/engine'
import { filterProperties, readFilters } from './filters.ts'
import { dayMs, retentionOf } from './retention.ts'
import { sightOf } from './sight.ts'

const defaultMs = 30 * dayMs

/** Filters that aggregates support. */
const known: ReadonlySet<string> = new Set([
  ...['time_of_generation_min', 'time_of_generation_max', 'created_at.gte', 'created_at.lte'],
  ...['workspace_slug', 'api_key_ids', 'ai_model', 'ai_org_model', 'virtual_keys', 'configs'],
  ...['prompt_slug', 'status_code', 'endpoint_type', 'cache_status', 'source'],
])

export interface AnalyticsRange {
  filter: LogFilter
  /** Milliseconds since the epoch; both inclusive. */
  from: number
  to: number
}

/** @param entriesOnly the `param` of the error if aggregates cannot answer this query. Null: they can */
export async function analyticsRange(
  call: Call<'logs'>,
  entriesOnly: string | null = null,
): Promise<AnalyticsRange> {
  const sight = await sightOf(call, 'analytics.view')
  const filters = await readFilters(call, call.query)
  if (filters.filter.search !== undefined) await sightOf(call, 'logs.view')
  const { logsFrom, metricsFrom } = await retentionOf(call)
  const filter = Object.keys(filterProperties).find(
    (name) => !known.has(name) && call.query[name] !== undefined,
  )
  const isOfEntries = entriesOnly !== null || filter !== undefined
  const to = filters.max ?? call.nowMs
  const begin = filters.min ?? to - defaultMs
  if (isOfEntries && filters.min !== null && filters.min < logsFrom) {
    const message = 'is not available beyond the retention of logs: choose a later start'
    if (filter !== undefined) throw invalidQuery(filter, message)
    throw new GatewayError('invalid_query', `${entriesOnly}: ${message}`, { param: entriesOnly ?? '' })
  }
  const from = Math.max(begin, isOfEntries ? logsFrom : metricsFrom)
  return { filter: { ...filters.filter, ...sight, from, to: to + 1 }, from, to }
}
