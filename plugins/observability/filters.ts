/**
 * The filters of lists, exports and analytics (F of management.md section 18), converted to a filter of the log.
 * Errors: 400 at the parameter for invalid numbers, times, JSON, endpoint types and cache statuses.
 */
import {
  endpointIds,
  type GatewayError,
  isObject,
  type LogField,
  type LogFilter,
  type LogMatch,
  serviceEndpoints,
} from '@gateway/contract'
import { type Call, commaList, invalidQuery, isId } from '@gateway/control-plane/engine'
import { parseTime } from '@gateway/control-plane/shared'
import { hiddenSources, kinds, unknownName } from '@gateway/domain'
import { Type } from '@sinclair/typebox'

const text = Type.Optional(Type.String({ maxLength: 8192 }))

const names = [
  ...['time_of_generation_min', 'time_of_generation_max', 'created_at.gte', 'created_at.lte'],
  ...['workspace_slug', 'status_code', 'trace_id', 'span_id', 'virtual_keys', 'configs', 'api_key_ids'],
  ...[
    'prompt_slug',
    'error_code',
    'ai_model',
    'ai_org_model',
    'endpoint_type',
    'cache_status',
    'source',
    'metadata',
    'search',
  ],
  ...['status_code', 'total_units', 'prompt_token', 'completion_token', 'cost', 'weighted_feedback'].flatMap(
    (range) => [`${range}_min`, `${range}_max`],
  ),
] as const

/** Query parameters. Every value is a string in the schema and parsed here, so that each error names its parameter. */
export const filterProperties = Object.fromEntries(names.map((name) => [name, text]))

export type Written = Readonly<Record<string, unknown>>
export type FaultAt = (name: string, message: string) => GatewayError

export interface Filters {
  /** The filter without times, which depend on the caller. */
  filter: LogFilter
  /** Milliseconds since the epoch, both inclusive. Null if not sent. */
  min: number | null
  max: number | null
}

const endpointTypes: ReadonlySet<string> = new Set([...endpointIds, ...serviceEndpoints])
const cacheStatuses: ReadonlySet<string> = new Set([
  ...['DISABLED', 'MISS', 'HIT', 'REFRESH', 'SEMANTIC HIT', 'SEMANTIC MISS'],
])

const sources: readonly string[] = ['gateway', 'custom', 'cache', ...hiddenSources]

const ranges: readonly [name: string, field: LogField][] = [
  ['status_code', 'response_status_code'],
  ['total_units', 'total_units'],
  ['prompt_token', 'req_units'],
  ['completion_token', 'res_units'],
  ['cost', 'cost'],
]

export async function readFilters(
  call: Call,
  written: Written,
  faultAt: FaultAt = invalidQuery,
): Promise<Filters> {
  const textOf = (name: string) => {
    const value = written[name]
    return value === undefined || value === null || value === '' ? null : String(value)
  }
  const listOf = (name: string) => {
    const value = textOf(name)
    return value === null ? null : commaList(value)
  }
  const numberOf = (name: string): number | undefined => {
    const value = textOf(name)
    if (value === null) return undefined
    const number = Number(value)
    if (value.trim() === '' || !Number.isFinite(number)) throw faultAt(name, 'must be a number')
    return number
  }
  const timeOf = (name: string): number | null => {
    const value = textOf(name)
    if (value === null) return null
    const time = parseTime(value)
    if (time === null) throw faultAt(name, 'must be an ISO 8601 time')
    return time
  }
  const rangeOf = (name: string) => {
    const [min, max] = [numberOf(`${name}_min`), numberOf(`${name}_max`)]
    if (min === undefined && max === undefined) return null
    return { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) }
  }
  const filter: LogFilter = {}
  const fields: Partial<Record<LogField, readonly (string | number)[]>> = {}
  const either: LogMatch[] = []
  const plain = (name: string, field: LogField) => {
    const values = listOf(name)
    if (values !== null) fields[field] = values
  }
  const statuses = listOf('status_code')
  if (statuses !== null) {
    if (!statuses.every((status) => /^\d{3}$/.test(status)))
      throw faultAt('status_code', 'must be HTTP statuses')
    fields.response_status_code = statuses.map(Number)
  }
  plain('trace_id', 'trace_id')
  plain('span_id', 'span_id')
  plain('error_code', 'error_code')
  plain('ai_model', 'ai_model')
  const endpoints = listOf('endpoint_type')
  if (endpoints !== null && !endpoints.every((id) => endpointTypes.has(id)))
    throw faultAt('endpoint_type', 'must be a comma-separated list of endpoint ids')
  if (endpoints !== null) fields.endpoint_type = endpoints
  const caches = listOf('cache_status')
  if (caches !== null && !caches.every((status) => cacheStatuses.has(status)))
    throw faultAt('cache_status', `must be a comma-separated list of ${[...cacheStatuses].join(', ')}`)
  if (caches !== null) fields.cache_status = caches
  const named = listOf('source')
  const unknown = named?.find((source) => !sources.includes(source))
  if (unknown !== undefined)
    throw faultAt('source', unknownName({ what: 'source', written: unknown, known: [...sources] }))
  // Replays and shadows have no caller that waited for their answers.
  if (named === null) filter.except = { source: hiddenSources }
  else fields.source = named
  const bySlugOrId = (name: string, slug: LogField, id: LogField) => {
    const values = listOf(name)
    if (values !== null) either.push({ [slug]: values, [id]: values.filter(isId) })
  }
  bySlugOrId('virtual_keys', 'provider', 'provider_id')
  bySlugOrId('configs', 'config', 'config_id')
  bySlugOrId('prompt_slug', 'prompt_slug', 'prompt_id')
  const keys = listOf('api_key_ids')
  if (keys !== null) fields.api_key_id = await keyIds(call, keys)
  const models = listOf('ai_org_model')
  if (models !== null) {
    filter.anyOf = models.map((pair) => {
      const at = pair.indexOf('__')
      if (at === -1) throw faultAt('ai_org_model', 'must be a comma-separated list of ORG__MODEL')
      return { ai_org: [pair.slice(0, at)], ai_model: [pair.slice(at + 2)] }
    })
  }
  const bounds = ranges.flatMap(([name, field]) => {
    const range = rangeOf(name)
    return range === null ? [] : [[field, range] as const]
  })
  if (bounds.length > 0) filter.ranges = Object.fromEntries(bounds)
  const feedback = rangeOf('weighted_feedback')
  if (feedback !== null) filter.weighted_feedback = feedback
  const metadata = readMetadata(written.metadata, faultAt)
  if (metadata !== null) filter.metadata = metadata
  const search = textOf('search')
  if (search !== null) filter.search = search
  if (Object.keys(fields).length > 0) filter.fields = fields
  if (either.length > 0) filter.either = either
  return {
    filter,
    min: timeOf('time_of_generation_min') ?? timeOf('created_at.gte'),
    max: timeOf('time_of_generation_max') ?? timeOf('created_at.lte'),
  }
}

function readMetadata(written: unknown, faultAt: FaultAt): Record<string, string> | null {
  if (written === undefined || written === null || written === '') return null
  let value: unknown = written
  if (typeof written === 'string') {
    try {
      value = JSON.parse(written)
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error
      throw faultAt('metadata', 'must be a JSON object')
    }
  }
  if (!isObject(value)) throw faultAt('metadata', 'must be a JSON object')
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => {
      if (typeof each !== 'string') throw faultAt('metadata', 'must be a JSON object of strings')
      return [key, each]
    }),
  )
}

/** Keys by id, or by slug if they have one; archived ones too. */
async function keyIds(call: Call, values: readonly string[]): Promise<string[]> {
  const slugs = values.filter((value) => !isId(value))
  const ids = values.filter(isId)
  for (const slug of slugs) {
    const { documents } = await call.documents.list(
      kinds.apiKey,
      { organisation_id: call.organisationId, search: slug },
      { offset: 0, limit: 100 },
    )
    ids.push(...documents.filter((key) => key.slug === slug || key.name === slug).map(({ id }) => id))
  }
  return ids
}

/** The filter with its times, limited to the retention of the log. A range that ends before it begins is empty. */
export function withTimes(
  { filter, min, max }: Filters,
  { from, defaultMs, nowMs }: { from: number; defaultMs: number; nowMs: number },
): LogFilter {
  const begin = min ?? (max ?? nowMs) - defaultMs
  return { ...filter, from: Math.max(from, begin), ...(max === null ? {} : { to: max + 1 }) }
}
