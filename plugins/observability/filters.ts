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

type Fields = Partial<Record<LogField, readonly (string | number)[]>>

/** Columns whose filters have their names and accept any value. */
const plainFields = ['trace_id', 'span_id', 'error_code', 'ai_model'] as const

/** Filters by the slug or the id of an object. */
const slugsOrIds: readonly [name: string, slug: LogField, id: LogField][] = [
  ['virtual_keys', 'provider', 'provider_id'],
  ['configs', 'config', 'config_id'],
  ['prompt_slug', 'prompt_slug', 'prompt_id'],
]

export async function readFilters(
  call: Call,
  written: Written,
  faultAt: FaultAt = invalidQuery,
): Promise<Filters> {
  const read = createReader(written, faultAt)
  const filter: LogFilter = {}
  const fields = readFields(read, faultAt)
  // Replays and shadows have no caller that waited for their answers.
  if (fields.source === undefined) filter.except = { source: hiddenSources }
  const keys = read.list('api_key_ids')
  if (keys !== null) fields.api_key_id = await keyIds(call, keys)
  const models = read.list('ai_org_model')
  if (models !== null) filter.anyOf = models.map((pair) => readModel(pair, faultAt))
  const bounds = ranges.flatMap(([name, field]) => {
    const range = read.range(name)
    return range === null ? [] : [[field, range] as const]
  })
  if (bounds.length > 0) filter.ranges = Object.fromEntries(bounds)
  const feedback = read.range('weighted_feedback')
  if (feedback !== null) filter.weighted_feedback = feedback
  const metadata = readMetadata(written.metadata, faultAt)
  if (metadata !== null) filter.metadata = metadata
  const search = read.text('search')
  if (search !== null) filter.search = search
  if (Object.keys(fields).length > 0) filter.fields = fields
  const either = slugsOrIds.flatMap(([name, slug, id]) => {
    const values = read.list(name)
    return values === null ? [] : [{ [slug]: values, [id]: values.filter(isId) }]
  })
  if (either.length > 0) filter.either = either
  return {
    filter,
    min: read.time('time_of_generation_min') ?? read.time('created_at.gte'),
    max: read.time('time_of_generation_max') ?? read.time('created_at.lte'),
  }
}

/** Reads values by name. An empty value counts as not sent. */
function createReader(written: Written, faultAt: FaultAt) {
  const text = (name: string) => {
    const value = written[name]
    return value === undefined || value === null || value === '' ? null : String(value)
  }
  const number = (name: string): number | undefined => {
    const value = text(name)
    if (value === null) return undefined
    const number = Number(value)
    if (value.trim() === '' || !Number.isFinite(number)) throw faultAt(name, 'must be a number')
    return number
  }
  return {
    text,
    list(name: string) {
      const value = text(name)
      return value === null ? null : commaList(value)
    },
    time(name: string): number | null {
      const value = text(name)
      if (value === null) return null
      const time = parseTime(value)
      if (time === null) throw faultAt(name, 'must be an ISO 8601 time')
      return time
    },
    range(name: string) {
      const [min, max] = [number(`${name}_min`), number(`${name}_max`)]
      if (min === undefined && max === undefined) return null
      return { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) }
    },
  }
}

/** The columns that must have one of several values. */
function readFields(read: ReturnType<typeof createReader>, faultAt: FaultAt): Fields {
  const fields: Fields = {}
  const statuses = read.list('status_code')
  if (statuses !== null) {
    if (!statuses.every((status) => /^\d{3}$/.test(status)))
      throw faultAt('status_code', 'must be HTTP statuses')
    fields.response_status_code = statuses.map(Number)
  }
  for (const name of plainFields) {
    const values = read.list(name)
    if (values !== null) fields[name] = values
  }
  const endpoints = read.list('endpoint_type')
  if (endpoints !== null && !endpoints.every((id) => endpointTypes.has(id)))
    throw faultAt('endpoint_type', 'must be a comma-separated list of endpoint ids')
  if (endpoints !== null) fields.endpoint_type = endpoints
  const caches = read.list('cache_status')
  if (caches !== null && !caches.every((status) => cacheStatuses.has(status)))
    throw faultAt('cache_status', `must be a comma-separated list of ${[...cacheStatuses].join(', ')}`)
  if (caches !== null) fields.cache_status = caches
  const named = read.list('source')
  const unknown = named?.find((source) => !sources.includes(source))
  if (unknown !== undefined)
    throw faultAt('source', unknownName({ what: 'source', written: unknown, known: [...sources] }))
  if (named !== null) fields.source = named
  return fields
}

/** One of `ai_org_model`. */
function readModel(pair: string, faultAt: FaultAt): LogMatch {
  const at = pair.indexOf('__')
  if (at === -1) throw faultAt('ai_org_model', 'must be a comma-separated list of ORG__MODEL')
  return { ai_org: [pair.slice(0, at)], ai_model: [pair.slice(at + 2)] }
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
