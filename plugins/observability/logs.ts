/** GET `/logs`, `/logs/{id}`, `/traces/{traceId}` and DELETE `/logs` (management.md section 18). */
import {
  GatewayError,
  type JsonObject,
  type LogFilter,
  type LogPage,
  logSorts,
  type Route,
} from '@gateway/contract'
import {
  type Call,
  invalidQuery,
  isId,
  listAnswer,
  type ManagementContext,
  notFound,
  type PlainRoute,
  pagingOf,
  plainRoute,
} from '@gateway/control-plane/engine'
import { pageQuery } from '@gateway/control-plane/shared'
import { Type } from '@sinclair/typebox'
import { filterProperties, readFilters, withTimes } from './filters.ts'
import {
  feedbackSchema,
  logListSchema,
  logSchema,
  presentEntry,
  presentFeedback,
  presentLog,
  wholeLogSchema,
} from './present.ts'
import { dayMs, retentionOf } from './retention.ts'
import { requireSight, type Sight, sightOf } from './sight.ts'

const weekMs = 7 * dayMs
const text = Type.Optional(Type.String())

export const scopeQuery = { workspace_id: text, organisation_id: text }

const listQuery = Type.Object({
  ...pageQuery.properties,
  ...scopeQuery,
  ...filterProperties,
  after: text,
  sort: Type.Optional(
    Type.Union([Type.Literal('created_at'), ...logSorts.map((name) => Type.Literal(name))], {
      description: 'Entries without the value come last. Cannot be combined with after, except created_at.',
    }),
  ),
  order: Type.Optional(Type.Union([Type.Literal('desc'), Type.Literal('asc')])),
})

const audit = (action: string) => ({ action, resource_type: 'log' })

const routes: readonly PlainRoute<'logEntries' | 'logs'>[] = [
  {
    method: 'GET',
    path: '/v1/logs',
    operationId: 'logList',
    summary: 'Lists log entries, newest first unless sorted otherwise',
    tag: 'Logs',
    scope: 'logs.list',
    checksScope: true,
    authorise: (call) => requireSight(call, 'logs.list'),
    query: listQuery,
    answer: logListSchema,
    audit: audit('list'),
    handle: list,
  },
  {
    method: 'DELETE',
    path: '/v1/logs',
    operationId: 'logErase',
    summary: 'Erases the log entries of a user',
    tag: 'Logs',
    scope: 'logs.delete',
    query: Type.Object({ ...scopeQuery, metadata: text }),
    answer: Type.Object({ deleted: Type.Integer() }),
    audit: audit('delete'),
    handle: erase,
  },
  {
    method: 'GET',
    path: '/v1/logs/:id',
    operationId: 'logRead',
    summary: 'Returns a log entry with its bodies, or the newest one of a trace',
    tag: 'Logs',
    scope: 'logs.view',
    checksScope: true,
    authorise: (call) => requireSight(call, 'logs.view'),
    query: Type.Object(scopeQuery),
    answer: wholeLogSchema,
    audit: audit('read'),
    handle: readOne,
  },
  {
    method: 'GET',
    path: '/v1/traces/:traceId',
    operationId: 'traceRead',
    summary: 'Lists the calls of a trace, oldest first, with their feedback',
    tag: 'Logs',
    scope: 'logs.list',
    checksScope: true,
    authorise: (call) => requireSight(call, 'logs.list'),
    query: Type.Object(scopeQuery),
    answer: Type.Object({
      object: Type.Literal('list'),
      total: Type.Integer(),
      data: Type.Array(logSchema),
      trace_id: Type.String(),
      feedback: Type.Array(feedbackSchema),
    }),
    audit: audit('read'),
    handle: readTrace,
  },
]

export const logRoutes = (context: ManagementContext<'logEntries' | 'logs'>): Route[] =>
  routes.map((route) => plainRoute(context, route))

/** The filter of a list. A search reads bodies and requires the right to see them. */
export async function listFilter(call: Call<'logs'>): Promise<LogFilter> {
  const sight = await sightOf(call, 'logs.list')
  const filters = await readFilters(call, call.query)
  const seen = filters.filter.search === undefined ? sight : await sightOf(call, 'logs.view')
  const { logsFrom } = await retentionOf(call)
  return { ...withTimes(filters, { from: logsFrom, defaultMs: weekMs, nowMs: call.nowMs }), ...seen }
}

async function list(call: Call<'logEntries' | 'logs'>): Promise<JsonObject> {
  const filter = await listFilter(call)
  const paging = pagingOf(call.query)
  const { logEntries: log } = call.context
  const order = call.query.order === 'asc' ? 'asc' : 'desc'
  const total = await log.count(filter)
  const after = await cursorOf(call)
  const sort = logSorts.find((name) => name === call.query.sort)
  if (after !== null && sort !== undefined)
    throw invalidQuery('sort', 'must be created_at with after, which is a place in time')
  if (after === null) {
    const offset = paging.current_page * paging.page_size
    const page: LogPage = { offset, limit: paging.page_size, order, ...(sort === undefined ? {} : { sort }) }
    const found = offset >= total ? [] : await log.list(filter, page)
    return listAnswer(found.map(presentLog), total, paging)
  }
  const found = await log.list(filter, { after, limit: paging.page_size + 1, order })
  const page = found.slice(0, paging.page_size)
  return {
    ...listAnswer(page.map(presentLog), total, paging),
    has_more: found.length > page.length,
  }
}

async function cursorOf(call: Call<'logEntries' | 'logs'>): Promise<string | null> {
  const { after } = call.query
  if (after === undefined) return null
  const known = await visibleEntry(call, String(after), await sightOf(call, 'logs.list'))
  if (known === null) {
    const message = 'The entry does not exist, or the caller may not see it.'
    throw new GatewayError('invalid_cursor', message, { param: 'query/after' })
  }
  return known
}

/** The id of an entry within the retention, or null. */
async function visibleEntry(
  call: Call<'logEntries' | 'logs'>,
  id: string,
  sight: Sight,
): Promise<string | null> {
  if (!isId(id)) return null
  const { logsFrom } = await retentionOf(call)
  const [found] = await call.context.logEntries.list({ ids: [id], from: logsFrom, ...sight }, { limit: 1 })
  return found?.id ?? null
}

async function readOne(call: Call<'logEntries' | 'logs'>): Promise<JsonObject> {
  const sight = await sightOf(call, 'logs.view')
  const { logEntries: log } = call.context
  const { id = '' } = call.request.params
  const { logsFrom } = await retentionOf(call)
  const ofTrace = async () => {
    const [newest] = await log.list({ fields: { trace_id: [id] }, from: logsFrom, ...sight }, { limit: 1 })
    return newest?.id ?? null
  }
  const found = (await visibleEntry(call, id, sight)) ?? (await ofTrace())
  const [entry] = found === null ? [] : await log.read([found])
  if (entry === undefined) throw notFound('path/id', 'log entry')
  return presentEntry(entry)
}

/** The most entries shown for one trace. */
const maxSpans = 1000

async function readTrace(call: Call<'logEntries' | 'logs'>): Promise<JsonObject> {
  const sight = await sightOf(call, 'logs.list')
  const { logEntries: log } = call.context
  const { traceId = '' } = call.request.params
  const { logsFrom } = await retentionOf(call)
  const filter = { fields: { trace_id: [traceId] }, from: logsFrom, ...sight }
  const found = await log.list(filter, { limit: maxSpans, order: 'asc' })
  if (found.length === 0) throw notFound('path/traceId', 'trace')
  const workspace_ids = [...new Set(found.flatMap(({ workspace_id }) => workspace_id ?? []))]
  const feedback = await log.feedback.list(
    { organisation_id: call.organisationId, workspace_ids, trace_ids: [traceId] },
    { offset: 0, limit: maxSpans },
  )
  return {
    object: 'list',
    total: found.length,
    data: found.map(presentLog),
    trace_id: traceId,
    feedback: feedback.reverse().map(presentFeedback),
  }
}

const erasedAtOnce = 500

/** Erases entries with their bodies, and those that aggregates have not counted yet. */
async function erase(call: Call<'logEntries' | 'logs'>): Promise<JsonObject> {
  const sight = await sightOf(call, 'logs.delete')
  const read = await readFilters(call, { metadata: call.query.metadata })
  // Replays of the user's requests, too.
  const { except: _, ...filter } = read.filter
  const { _user: user } = filter.metadata ?? {}
  if (user === undefined || user === '') throw invalidQuery('metadata', 'must name a user: {"_user": "…"}')
  const { logEntries: log } = call.context
  // The user's latest requests may not be written yet.
  await call.context.logs.flush()
  let deleted = 0
  for (;;) {
    const gone = await log.erase({ ...filter, ...sight }, erasedAtOnce)
    deleted += gone
    if (gone === 0) break
  }
  await call.commit([], { action: 'delete', resource_type: 'log', resource_id: null, details: { deleted } })
  return { deleted }
}
