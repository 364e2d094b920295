/** GET `/analytics/graphs/…` (management.md section 19): usage over time, with zeros for empty buckets. */
import type { FeedbackGroup, Json, JsonObject, LogGroup, Route } from '@gateway/contract'
import { GatewayError, ownMember } from '@gateway/contract'
import {
  type Call,
  invalidQuery,
  type ManagementContext,
  plainRoute,
  toIso,
} from '@gateway/control-plane/engine'
import { binLimit, bucketOf, percentile, unknownName } from '@gateway/domain'
import { Type } from '@sinclair/typebox'
import { type AnalyticsRange, analyticsRange } from './analytics-range.ts'
import { cents, emptyGroup, hitsOf, percent, ratio, rounded, sumOf, totalsReadBy } from './columns.ts'
import { analyticsQuery, analyticsRoute, groupingOf, requireGrouping } from './groups.ts'
import { dayMs } from './retention.ts'

interface Graph {
  needsHistogram?: boolean
  needsUsers?: boolean
  /** The number that the parts of a total add up to; graphs without one show the groups with the most requests. */
  sizeOf?(group: LogGroup): number
  /** The fields of a bucket, and of the whole range. */
  read(group: LogGroup): JsonObject
}

const time = (group: LogGroup, rank: number) => rounded(percentile(group.histogram, rank))

const graphs: Readonly<Record<string, Graph>> = {
  requests: { read: ({ requests }) => ({ total: requests }) },
  cost: {
    sizeOf: ({ cost }) => cost,
    read: ({ cost, requests }) => ({ total: cents(cost), avg: cents(ratio(cost, requests)) }),
  },
  tokens: {
    sizeOf: ({ req_units, res_units }) => req_units + res_units,
    read: ({ req_units, res_units, requests }) => ({
      total: req_units + res_units,
      avg: rounded(ratio(req_units + res_units, requests)),
    }),
  },
  latency: {
    needsHistogram: true,
    read: (group) => ({
      avg: rounded(ratio(group.response_time, group.requests)),
      p50: time(group, 0.5),
      p90: time(group, 0.9),
      p99: time(group, 0.99),
    }),
  },
  users: { needsUsers: true, read: ({ users }) => ({ total: users }) },
  'users/requests': {
    needsUsers: true,
    read: ({ requests, users }) => ({ total: requests, unique: users, avg: rounded(ratio(requests, users)) }),
  },
  errors: { sizeOf: ({ errors }) => errors, read: ({ errors }) => ({ total: errors }) },
  'errors/rate': { read: ({ errors, requests }) => ({ rate: percent(errors, requests) }) },
  'requests/rescued': {
    read: ({ rescued_by_retry, rescued_by_fallback }) => ({
      retry: rescued_by_retry,
      fallback: rescued_by_fallback,
    }),
  },
  'cache/hit-rate': {
    read: (group) => ({
      total: hitsOf(group),
      rate: percent(hitsOf(group), group.cacheable),
      simple_hits: group.simple_hits,
      semantic_hits: group.semantic_hits,
      cumulative_savings: cents(group.saved_cost),
    }),
  },
  'cache/latency': { read: (group) => ({ avg: rounded(ratio(group.hit_time, hitsOf(group))) }) },
}

const query = Type.Object({
  ...analyticsQuery,
  interval: Type.Optional(Type.Union(['minute', 'hour', 'day', 'week'].map((name) => Type.Literal(name)))),
  group_by: Type.Optional(Type.String()),
})

const answer = Type.Object({
  object: Type.Literal('analytics-graph'),
  summary: Type.Record(Type.String(), Type.Unknown()),
  data_points: Type.Array(Type.Record(Type.String(), Type.Unknown())),
})

export function graphRoutes(context: ManagementContext<'logEntries' | 'logs'>): Route[] {
  const route = (name: string, operationId: string, path: string) =>
    plainRoute(context, {
      ...analyticsRoute(operationId, `Returns ${name}`),
      path: `/v1/analytics/graphs/${path}`,
      query,
      answer,
      handle: (call) =>
        draw(call, nameOf([call.request.params.graph, call.request.params.part].filter(Boolean).join('/'))),
    })
  return [
    route('usage over time', 'analyticsGraph', ':graph'),
    route('one part of usage over time', 'analyticsPartGraph', ':graph/:part'),
  ]
}

const special: Readonly<Record<string, (call: Call<'logEntries' | 'logs'>) => Promise<JsonObject>>> = {
  'errors/stacks': drawStacks,
  'errors/status-codes': drawStatusCodes,
  'latency/heatmap': drawHeatMap,
  feedbacks: (call) => drawFeedback(call, ({ total }) => ({ total })),
  'feedbacks/weighted': (call) =>
    drawFeedback(call, ({ total, weighted }) => ({ avg: rounded(ratio(weighted, total)) })),
  'feedbacks/scores': drawScores,
  'feedbacks/ai-models': drawFeedbackModels,
}

/** Spellings of clients: with a dash for the slash, or in the singular. */
const aliases: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    [...Object.keys(graphs), ...Object.keys(special)].map((name) => [name.replace('/', '-'), name]),
  ),
  'errors-stack': 'errors/stacks',
  'errors-status-code': 'errors/status-codes',
  'feedbacks/score': 'feedbacks/scores',
}

const nameOf = (written: string): string => ownMember(aliases, written) ?? written

function draw(call: Call<'logEntries' | 'logs'>, name: string): Promise<JsonObject> {
  const graph = Object.hasOwn(graphs, name) ? graphs[name] : undefined
  if (graph !== undefined)
    return call.query.group_by === undefined ? drawOne(call, graph) : drawGroups(call, graph)
  const own = Object.hasOwn(special, name) ? special[name] : undefined
  if (own === undefined) {
    const known = [...Object.keys(graphs), ...Object.keys(special)]
    const message = unknownName({ what: 'graph', written: name, known })
    throw new GatewayError('not_found', message, { param: 'path/graph' })
  }
  return own(call)
}

interface Interval {
  sizeMs: number
  offsetMs: number
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const intervals: Readonly<Record<string, Interval>> = {
  minute: { sizeMs: minuteMs, offsetMs: 0 },
  hour: { sizeMs: hourMs, offsetMs: 0 },
  day: { sizeMs: dayMs, offsetMs: 0 },
  // The epoch was a Thursday; weeks begin on Monday.
  week: { sizeMs: 7 * dayMs, offsetMs: 4 * dayMs },
}
const maxPoints = 1500

function intervalOf(call: Call, { from, to }: AnalyticsRange): Interval {
  const length = to - from
  const usual = length <= 3 * hourMs ? 'minute' : length <= 7 * dayMs ? 'hour' : 'day'
  const interval = intervals[String(call.query.interval ?? usual)] ?? { sizeMs: dayMs, offsetMs: 0 }
  if (bucketsOf({ from, to }, interval).length > maxPoints)
    throw invalidQuery(
      'interval',
      `gives more than ${maxPoints} points for this range: choose a longer interval`,
    )
  return interval
}

/** The starts of all buckets of a range. Stops counting above the limit. */
function bucketsOf({ from, to }: Pick<AnalyticsRange, 'from' | 'to'>, interval: Interval): number[] {
  const buckets: number[] = []
  for (let at = bucketOf(from, interval); at <= to && buckets.length <= maxPoints; at += interval.sizeMs)
    buckets.push(at)
  return buckets
}

const graphAnswer = (summary: JsonObject, data_points: JsonObject[]): JsonObject => ({
  object: 'analytics-graph',
  summary,
  data_points,
})

const optionsOf = ({ needsHistogram = false, needsUsers = false, read }: Graph) => ({
  totals: totalsReadBy([read]),
  histogram: needsHistogram,
  users: needsUsers,
})

async function drawOne(call: Call<'logEntries' | 'logs'>, graph: Graph): Promise<JsonObject> {
  const range = await analyticsRange(call)
  const interval = intervalOf(call, range)
  const { logEntries: log } = call.context
  const found = await log.aggregate(range.filter, { by: [], interval, ...optionsOf(graph) })
  // The same user may occur in several buckets, so users are counted over the whole range.
  const [whole = emptyGroup] =
    graph.needsUsers === true
      ? await log.aggregate(range.filter, { by: [], totals: totalsReadBy([graph.read]), users: true })
      : [sumOf(found)]
  const byBucket = new Map(found.map((group) => [group.bucket, group]))
  let saved = 0
  const points = bucketsOf(range, interval).map((at) => {
    const group = byBucket.get(at) ?? emptyGroup
    saved += group.saved_cost
    return { timestamp: toIso(at), ...graph.read({ ...group, saved_cost: saved }) }
  })
  return graphAnswer(graph.read(whole), points)
}

const mostGroups = 10

/** One series for each of the largest groups by what the graph shows, and one for all others. */
async function drawGroups(call: Call<'logEntries' | 'logs'>, graph: Graph): Promise<JsonObject> {
  const name = String(call.query.group_by)
  const grouping = groupingOf(name, 'query/group_by')
  await requireGrouping(call, grouping)
  const range = await analyticsRange(call, grouping.isOfMetadata === true ? 'query/group_by' : null)
  const interval = intervalOf(call, range)
  const { logEntries: log } = call.context
  const by = [grouping.field]
  const sums = await log.aggregate(range.filter, { by, ...optionsOf(graph) })
  const sizeOf = graph.sizeOf ?? (({ requests }: LogGroup) => requests)
  const largest = [...sums]
    .sort((left, right) => sizeOf(right) - sizeOf(left) || right.requests - left.requests)
    .slice(0, mostGroups)
  const labels = new Map<Json, string | null>(largest.map(({ values: [value = null] }) => [value, null]))
  const labelOf = ({ values: [value = null] }: LogGroup): Json => (labels.has(value) ? value : 'other')
  const found = await log.aggregate(range.filter, { by, interval, ...optionsOf(graph) })
  const wanted: Json[] = [...labels.keys(), ...(sums.length > largest.length ? ['other'] : [])]
  const buckets = bucketsOf(range, interval)
  const byPlace = new Map<string, LogGroup[]>()
  for (const group of found) {
    const place = JSON.stringify([group.bucket, labelOf(group)])
    byPlace.set(place, [...(byPlace.get(place) ?? []), group])
  }
  const points = buckets.flatMap((at) =>
    wanted.map((label) => ({
      timestamp: toIso(at),
      [name]: label,
      ...graph.read(sumOf(byPlace.get(JSON.stringify([at, label])) ?? [])),
    })),
  )
  const groups = wanted.map((label) => ({
    [name]: label,
    ...graph.read(sumOf(sums.filter((group) => labelOf(group) === label))),
  }))
  return graphAnswer({ ...graph.read(sumOf(sums)), groups }, points)
}

async function drawStacks(call: Call<'logEntries' | 'logs'>): Promise<JsonObject> {
  const range = await analyticsRange(call)
  const interval = intervalOf(call, range)
  const { logEntries: log } = call.context
  const found = await log.aggregate(range.filter, {
    by: ['response_status_code'],
    totals: ['errors'],
    interval,
  })
  const errors = found.filter((group) => group.errors > 0)
  const statsOf = (groups: readonly LogGroup[]) => {
    const counts = new Map<number, number>()
    for (const { values, requests } of groups)
      counts.set(Number(values[0]), (counts.get(Number(values[0])) ?? 0) + requests)
    return [...counts]
      .sort(([left], [right]) => left - right)
      .map(([response_status_code, count]) => ({ response_status_code, count }))
  }
  const points = bucketsOf(range, interval).map((at) => ({
    timestamp: toIso(at),
    stats: statsOf(errors.filter(({ bucket }) => bucket === at)),
  }))
  return graphAnswer({ stats: statsOf(errors) }, points)
}

async function drawStatusCodes(call: Call<'logEntries' | 'logs'>): Promise<JsonObject> {
  const { filter } = await analyticsRange(call)
  const found = await call.context.logEntries.aggregate(filter, {
    by: ['response_status_code'],
    totals: ['errors'],
  })
  const errors = found.filter((group) => group.errors > 0)
  const points = errors
    .map(({ values, requests }) => ({ status_code: Number(values[0]), count: requests }))
    .sort((left, right) => right.count - left.count || left.status_code - right.status_code)
  return graphAnswer({ total: sumOf(errors).errors }, points)
}

/** Upper bounds of the rows of a heat map, in milliseconds: 1, 2, 5, 10, … */
const rowEnds = Array.from({ length: 8 }, (_, power) => [1, 2, 5].map((digit) => digit * 10 ** power)).flat()

async function drawHeatMap(call: Call<'logEntries' | 'logs'>): Promise<JsonObject> {
  const range = await analyticsRange(call)
  const interval = intervalOf(call, range)
  const found = await call.context.logEntries.aggregate(range.filter, {
    by: [],
    interval,
    totals: [],
    histogram: true,
  })
  const points = found
    .sort((left, right) => (left.bucket ?? 0) - (right.bucket ?? 0))
    .flatMap(({ bucket, histogram }) => {
      const rows = new Map<number, number>()
      for (const [bin, count] of histogram) {
        // A bin is 2 % wide: one that exceeds the bound of a row by that much still belongs to the row.
        const end = rowEnds.find((each) => binLimit(bin) <= each * 1.02) ?? Number(rowEnds.at(-1))
        rows.set(end, (rows.get(end) ?? 0) + count)
      }
      return [...rows]
        .sort(([left], [right]) => left - right)
        .map(([bucket_ms, total]) => ({ timestamp: toIso(bucket ?? 0), bucket_ms, total }))
    })
  return graphAnswer({ total: sumOf(found).requests }, points)
}

async function drawFeedback(
  call: Call<'logEntries' | 'logs'>,
  read: (group: FeedbackGroup) => JsonObject,
): Promise<JsonObject> {
  const range = await analyticsRange(call, 'path/graph')
  const interval = intervalOf(call, range)
  const found = await call.context.logEntries.feedback.aggregate(range.filter, { by: null, interval })
  const byBucket = new Map(found.map((group) => [group.bucket, group]))
  const none: FeedbackGroup = { bucket: null, value: null, total: 0, weighted: 0 }
  const sumField = (field: 'total' | 'weighted') => found.reduce((sum, group) => sum + group[field], 0)
  const whole = { ...none, total: sumField('total'), weighted: sumField('weighted') }
  const points = bucketsOf(range, interval).map((at) => ({
    timestamp: toIso(at),
    ...read(byBucket.get(at) ?? none),
  }))
  return graphAnswer(read(whole), points)
}

const totalOf = (groups: readonly FeedbackGroup[]) => groups.reduce((sum, { total }) => sum + total, 0)

async function drawScores(call: Call<'logEntries' | 'logs'>): Promise<JsonObject> {
  const { filter } = await analyticsRange(call, 'path/graph')
  const found = await call.context.logEntries.feedback.aggregate(filter, { by: 'value' })
  const points = found
    .map(({ value, total }) => ({ score: Number(value), total }))
    .sort((left, right) => left.score - right.score)
  return graphAnswer({ total: totalOf(found) }, points)
}

async function drawFeedbackModels(call: Call<'logEntries' | 'logs'>): Promise<JsonObject> {
  const { filter } = await analyticsRange(call, 'path/graph')
  const found = await call.context.logEntries.feedback.aggregate(filter, { by: 'ai_model' })
  const points = found
    .map(({ value, total, weighted }) => ({
      ai_model: value,
      total,
      avg_weighted_feedback: rounded(ratio(weighted, total)),
    }))
    .sort((left, right) => right.total - left.total)
  return graphAnswer({ total: totalOf(found) }, points)
}
