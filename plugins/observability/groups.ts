/** GET `/analytics/groups/{groupBy}` and the summaries (management.md section 19). */
import {
  GatewayError,
  type Json,
  type JsonObject,
  type LogGroup,
  type LogValue,
  ownMember,
  type Route,
} from '@gateway/contract'
import {
  type Call,
  commaList,
  invalidQuery,
  listAnswer,
  listSchema,
  type ManagementContext,
  nullable,
  pagingOf,
  plainRoute,
} from '@gateway/control-plane/engine'
import { pageQuery } from '@gateway/control-plane/shared'
import { metadataGroup, mustBeOneOf } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import { analyticsRange } from './analytics-range.ts'
import {
  columns,
  emptyGroup,
  hitsOf,
  needsHistogram,
  percent,
  ratio,
  rounded,
  sumOf,
  totalsReadBy,
} from './columns.ts'
import { filterProperties } from './filters.ts'
import { scopeQuery } from './logs.ts'
import { requireMetadata, requireSight, sightOf } from './sight.ts'

interface GroupBy {
  /** The column of the log. */
  field: string
  /** The member of the answer with the value. */
  member: string
  /** The kind of document that its values are ids of. */
  kind?: string
  /** Whether it shows metadata, which settings may withhold. */
  isOfMetadata?: boolean
}

const groupings: Readonly<Record<string, GroupBy>> = {
  ai_service: { field: 'ai_org', member: 'ai_service' },
  model: { field: 'ai_model', member: 'model' },
  status_code: { field: 'response_status_code', member: 'status_code' },
  api_key: { field: 'api_key_id', member: 'api_key', kind: 'api_key' },
  config: { field: 'config_id', member: 'config', kind: 'config' },
  workspace: { field: 'workspace_id', member: 'workspace', kind: 'workspace' },
  provider: { field: 'provider_id', member: 'provider', kind: 'provider' },
  prompt: { field: 'prompt_id', member: 'prompt', kind: 'prompt' },
  users: { field: 'end_user', member: 'user', isOfMetadata: true },
  'ai-models': { field: 'ai_model', member: 'model' },
}

/** The name that clients use. */
const aliases: Readonly<Record<string, string>> = { workspaces: 'workspace' }

const groupNamed = (written: string): string => ownMember(aliases, written) ?? written

const text = Type.Optional(Type.String())
export const analyticsQuery = { ...scopeQuery, ...filterProperties }

const groupQuery = Type.Object({
  ...pageQuery.properties,
  ...analyticsQuery,
  columns: text,
  sort: text,
  order: Type.Optional(Type.Union([Type.Literal('desc'), Type.Literal('asc')])),
})

const group = Type.Object({ object: Type.Literal('analytics-group'), requests: Type.Integer() })
const numberOrTime = nullable(Type.Union([Type.Number(), Type.String()]))
const everyColumn = Object.fromEntries(Object.keys(columns).map((name) => [name, numberOrTime]))

export const analyticsRoute = (operationId: string, summary: string) => ({
  method: 'GET' as const,
  operationId,
  summary,
  tag: 'Analytics',
  scope: 'analytics.view',
  checksScope: true,
  authorise: (call: Call) => requireSight(call, 'analytics.view'),
  audit: { action: 'list', resource_type: 'analytics' },
})

export function groupRoutes(context: ManagementContext<'logEntries' | 'logs'>): Route[] {
  return [
    plainRoute(context, {
      ...analyticsRoute('analyticsGroupList', 'Returns usage by group'),
      path: '/v1/analytics/groups/:groupBy',
      aliases: ['/v1/logs/groups/:groupBy'],
      query: groupQuery,
      answer: listSchema(group),
      handle: (call) => listGroups(call, groupingOf(groupNamed(call.request.params.groupBy ?? ''))),
    }),
    plainRoute(context, {
      ...analyticsRoute('analyticsMetadataGroupList', 'Returns usage by a metadata key'),
      path: '/v1/analytics/groups/metadata/:key',
      aliases: ['/v1/logs/groups/metadata/:key'],
      query: groupQuery,
      answer: listSchema(group),
      handle: (call) => listGroups(call, metadataGrouping(call.request.params.key ?? '')),
    }),
    plainRoute(context, {
      ...analyticsRoute('analyticsSummary', 'Returns total usage'),
      path: '/v1/analytics/summary',
      query: Type.Object(analyticsQuery),
      answer: Type.Object({
        object: Type.Literal('analytics-summary'),
        requests: Type.Integer(),
        ...everyColumn,
      }),
      handle: summarise,
    }),
    plainRoute(context, {
      ...analyticsRoute('analyticsCacheSummary', 'Returns the use of the cache'),
      path: '/v1/analytics/summary/cache',
      query: Type.Object(analyticsQuery),
      answer: Type.Object({
        object: Type.Literal('analytics-cache-summary'),
        hits: Type.Integer(),
        avg_latency: Type.Number(),
        total_requests: Type.Integer(),
        cache_speedup: Type.Number(),
      }),
      handle: summariseCache,
    }),
  ]
}

const metadataGrouping = (key: string): GroupBy => ({
  field: metadataGroup + key,
  member: 'value',
  isOfMetadata: true,
})

const groupNames = Object.keys(groupings).filter((name) => name !== 'users' && name !== 'ai-models')

/** Errors: 400 at `param` for an unknown group. */
export function groupingOf(name: string, param = 'path/groupBy'): GroupBy {
  const known = Object.hasOwn(groupings, name) ? groupings[name] : undefined
  if (known !== undefined) return known
  if (name.startsWith(metadataGroup) && name.length > metadataGroup.length)
    return metadataGrouping(name.slice(metadataGroup.length))
  throw new GatewayError('invalid_query', `${param}: ${mustBeOneOf(groupNames, name)}`, { param })
}

/** Settings may withhold groups by metadata. */
export async function requireGrouping(call: Call, { isOfMetadata = false }: GroupBy): Promise<void> {
  if (isOfMetadata) await requireMetadata(call, await sightOf(call, 'analytics.view'))
}

function chosenColumns(call: Call): string[] {
  const { columns: written } = call.query
  const chosen = written === undefined ? [] : commaList(String(written))
  const unknown = chosen.find((name) => name !== 'requests' && !Object.hasOwn(columns, name))
  if (unknown !== undefined) {
    throw invalidQuery('columns', `must be a comma-separated list of ${Object.keys(columns).join(', ')}`)
  }
  return [...new Set(chosen)].filter((name) => name !== 'requests')
}

async function listGroups(call: Call<'logEntries' | 'logs'>, grouping: GroupBy): Promise<JsonObject> {
  await requireGrouping(call, grouping)
  const chosen = chosenColumns(call)
  const sort = String(call.query.sort ?? 'requests')
  if (sort !== 'requests' && !chosen.includes(sort))
    throw invalidQuery('sort', 'must be requests or one of `columns`')
  const { filter } = await analyticsRange(call, grouping.isOfMetadata === true ? 'path/groupBy' : null)
  const found = await call.context.logEntries.aggregate(filter, {
    by: [grouping.field],
    totals: totalsReadBy(chosen.flatMap((name) => columns[name] ?? [])),
    histogram: needsHistogram(chosen),
  })
  const sign = call.query.order === 'asc' ? 1 : -1
  const sorted = found
    .map((each) => ({ each, key: sortKey(each, sort) }))
    .sort((left, right) => sign * compare(left.key, right.key) || compareText(left.each, right.each))
    .map(({ each }) => each)
  const paging = pagingOf(call.query)
  const begin = paging.current_page * paging.page_size
  const page = sorted.slice(begin, begin + paging.page_size)
  const data = await Promise.all(page.map((each) => presentGroup(call, each, { grouping, chosen })))
  return listAnswer(data, sorted.length, paging)
}

const sortKey = (each: LogGroup, sort: string): Json =>
  sort === 'requests' ? each.requests : (columns[sort]?.(each) ?? null)

function compare(left: Json, right: Json): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right
  return String(left) < String(right) ? -1 : String(left) > String(right) ? 1 : 0
}

const textOf = ({ values: [value] }: LogGroup) => String(value ?? '')
const compareText = (left: LogGroup, right: LogGroup) => compare(textOf(left), textOf(right))

async function presentGroup(
  call: Call,
  each: LogGroup,
  { grouping, chosen }: { grouping: GroupBy; chosen: readonly string[] },
): Promise<JsonObject> {
  const [value = null] = each.values
  return {
    object: 'analytics-group',
    [grouping.member]: value,
    ...(grouping.kind === undefined ? {} : { name: await nameOf(call, grouping.kind, value) }),
    requests: each.requests,
    ...Object.fromEntries(chosen.map((name) => [name, columns[name]?.(each) ?? null])),
  }
}

/** The slug of an object, otherwise its name, also of archived objects; null if it no longer exists. */
async function nameOf(call: Call, kind: string, id: LogValue): Promise<string | null> {
  if (typeof id !== 'string') return null
  const declared = call.context.fileDocuments().find((one) => one.kind === kind && one.id === id)
  const found = declared ?? (await call.context.documents.get(kind, id))
  if (found === null || found.organisation_id !== call.organisationId) return declared?.slug ?? null
  return found.slug ?? found.name
}

const summaryTotals = totalsReadBy(Object.values(columns))

async function summarise(call: Call<'logEntries' | 'logs'>): Promise<JsonObject> {
  const { filter } = await analyticsRange(call)
  const whole = sumOf(
    await call.context.logEntries.aggregate(filter, { by: [], totals: summaryTotals, histogram: true }),
  )
  return {
    object: 'analytics-summary',
    requests: whole.requests,
    ...Object.fromEntries(Object.entries(columns).map(([name, read]) => [name, read(whole)])),
  }
}

async function summariseCache(call: Call<'logEntries' | 'logs'>): Promise<JsonObject> {
  const { filter } = await analyticsRange(call)
  const [whole = emptyGroup] = await call.context.logEntries.aggregate(filter, { by: [] })
  const hits = hitsOf(whole)
  const ofHit = ratio(whole.hit_time, hits)
  const ofMiss = ratio(whole.miss_time, whole.misses)
  return {
    object: 'analytics-cache-summary',
    hits,
    avg_latency: rounded(ofHit),
    total_requests: whole.requests,
    cache_speedup: hits === 0 || ofMiss === 0 ? 0 : percent(ofMiss - ofHit, ofMiss),
  }
}
