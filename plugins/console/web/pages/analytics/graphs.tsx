/** Graphs of the analytics API as charts: the list of graphs, and the component that loads and draws one. */
import { useRef } from 'preact/hooks'
import { type Row, urlOf } from '../../api.ts'
import { rowOf, rowsOf } from '../../json.ts'
import { Alert } from '../../parts/alert.tsx'
import { formatCents, formatMs, formatNumber, textOf } from '../../parts/cells.tsx'
import { Chart, type Series } from '../../parts/chart.tsx'
import type { Units } from '../../parts/csv.ts'
import { HeatMap } from '../../parts/heat-map.tsx'
import { useSeen } from '../../parts/seen.tsx'
import { useQuery } from '../../query.tsx'

export interface Graph {
  /** The name in the API. */
  name: string
  title: string
  fields: readonly (readonly [string, string])[]
  kind?: 'lines' | 'heat'
  /** Whether its parts add up and can be stacked. */
  isSum?: boolean
  /** Whether a point without a value stands for a time without requests. */
  hasGaps?: boolean
  /** Whether each point includes all earlier ones. */
  isCumulative?: boolean
  format: (value: unknown) => string
  /** Units of the members of a point that are not plain numbers. */
  units?: Units
}

const percent = (value: unknown) => `${formatNumber(value)}%`

export const graphs: readonly Graph[] = [
  { name: 'requests', title: 'Requests', fields: [['total', 'Requests']], isSum: true, format: formatNumber },
  { name: 'errors', title: 'Errors', fields: [['total', 'Errors']], isSum: true, format: formatNumber },
  {
    name: 'cost',
    title: 'Cost',
    fields: [['total', 'Cost']],
    isSum: true,
    format: formatCents,
    units: { total: 'cents', avg: 'cents' },
  },
  {
    name: 'latency',
    title: 'Latency',
    kind: 'lines',
    hasGaps: true,
    fields: [
      ['p50', 'p50'],
      ['p90', 'p90'],
      ['p99', 'p99'],
    ],
    format: formatMs,
    units: { avg: 'ms', p50: 'ms', p90: 'ms', p99: 'ms' },
  },
  { name: 'tokens', title: 'Tokens', fields: [['total', 'Tokens']], isSum: true, format: formatNumber },
  {
    name: 'cache/hit-rate',
    title: 'Cache savings',
    fields: [['cumulative_savings', 'Saved']],
    isCumulative: true,
    format: formatCents,
    units: { cumulative_savings: 'cents', rate: 'percent' },
  },
  { name: 'latency/heatmap', title: 'Latency heat map', kind: 'heat', fields: [], format: formatMs },
  {
    name: 'errors/rate',
    title: 'Error rate',
    kind: 'lines',
    fields: [['rate', 'Error rate']],
    format: percent,
    units: { rate: 'percent' },
  },
  {
    name: 'requests/rescued',
    title: 'Rescued requests',
    fields: [
      ['retry', 'By a retry'],
      ['fallback', 'By a fallback'],
    ],
    format: formatNumber,
  },
  {
    name: 'cache/hits',
    title: 'Cache hits',
    fields: [
      ['simple_hits', 'Exact'],
      ['semantic_hits', 'By meaning'],
    ],
    format: formatNumber,
    units: { cumulative_savings: 'cents', rate: 'percent' },
  },
  {
    name: 'cache/rate',
    title: 'Cache hit rate',
    kind: 'lines',
    fields: [['rate', 'Hit rate']],
    format: percent,
    units: { cumulative_savings: 'cents', rate: 'percent' },
  },
  { name: 'users', title: 'Users', fields: [['total', 'Users']], format: formatNumber },
  {
    name: 'feedbacks/weighted',
    title: 'Feedback',
    kind: 'lines',
    fields: [['avg', 'Mean value']],
    format: formatNumber,
  },
]

/** Charts that show other members of the same graph. */
const sources: Readonly<Record<string, string>> = {
  'cache/hits': 'cache/hit-rate',
  'cache/rate': 'cache/hit-rate',
}

/** The dimensions by which requests can be grouped, with their labels. */
export const dimensions = [
  ['ai-models', 'Model'],
  ['provider', 'Provider'],
  ['api_key', 'Key'],
  ['config', 'Config'],
  ['workspace', 'Workspace'],
  ['users', 'User'],
  ['prompt', 'Prompt'],
  ['ai_service', 'Service'],
  ['status_code', 'Status'],
] as const

/** Names for requests without a value of a dimension. */
export const namelessOf = (dimension: string): string =>
  `no ${(dimensions.find(([name]) => name === dimension)?.[1] ?? 'value').toLowerCase()}`

export const pointsOf = (row: Row | null): Row[] => rowsOf(row?.data_points)

const dayMs = 86_400_000

function stepOf(times: readonly string[]): number {
  const [first = '', last = ''] = [times[0], times.at(-1)]
  return times.length > 1 ? (Date.parse(last) - Date.parse(first)) / (times.length - 1) : 0
}

/** Days and weeks of the API begin at midnight UTC, so their labels are UTC dates. Shorter times are local. */
function labelsOf(times: readonly string[]): string[] {
  const step = stepOf(times)
  const options: Intl.DateTimeFormatOptions =
    step >= dayMs
      ? { day: 'numeric', month: 'short', timeZone: 'UTC' }
      : { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }
  return times.map((time) => new Date(time).toLocaleString('en', options))
}

/** Several objects may have the same name. */
function uniqueNames(names: readonly string[]): string[] {
  const seen = new Map<string, number>()
  return names.map((name) => {
    const count = (seen.get(name) ?? 0) + 1
    seen.set(name, count)
    return count === 1 ? name : `${name} (${count})`
  })
}

/** One line per group; ids of objects are shown as names. */
function groupedSeries(
  points: readonly Row[],
  times: readonly string[],
  { graph, named }: { graph: Graph; named: Named },
): Series[] {
  const [[field] = ['total']] = graph.fields
  const values = new Map<string, number[]>()
  const places = new Map(times.map((time, index) => [time, index]))
  for (const point of points) {
    const group = textOf(point[named.dimension])
    const line = values.get(group) ?? new Array<number>(times.length).fill(0)
    line[places.get(String(point.timestamp)) ?? 0] = Number(point[field] ?? 0)
    values.set(group, line)
  }
  const found = [...values].filter(([, line]) => line.some((value) => value !== 0))
  const names = uniqueNames(
    found.map(([group]) => named.names.get(group) ?? (group === '–' ? named.nameless : group)),
  )
  return found.map(([, line], index) => ({ name: names[index] ?? '', values: line }))
}

function plainSeries(points: readonly Row[], { fields, isCumulative, hasGaps }: Graph): Series[] {
  const isGap = (point: Row) => fields.every(([field]) => Number(point[field] ?? 0) === 0)
  return fields.map(([field, name]) => {
    if (hasGaps === true)
      return { name, values: points.map((point) => (isGap(point) ? null : Number(point[field] ?? 0))) }
    const values = points.map((point) => Number(point[field] ?? 0))
    return {
      name,
      values: isCumulative === true ? values.map((value, index) => value - (values[index - 1] ?? 0)) : values,
    }
  })
}

export interface Named {
  dimension: string
  /** The name of each id, if the dimension's values are ids. */
  names: ReadonlyMap<string, string>
  /** The name for requests without a value. */
  nameless: string
}

/**
 * Returns the names of the largest groups.
 * @param path null to load nothing
 */
export function useNames(
  dimension: string | null,
  filters: Readonly<Record<string, string | null>>,
): Named | null {
  const isOfObjects =
    dimension !== null && ['provider', 'api_key', 'config', 'workspace', 'prompt'].includes(dimension)
  const { data, isBusy, error } = useQuery(
    isOfObjects
      ? urlOf('/v1/analytics/groups/{groupBy}', {
          path: { groupBy: dimension },
          query: { ...filters, page_size: 20, columns: 'cost' },
        })
      : null,
  )
  if (dimension === null || (isBusy && error === null)) return null
  return {
    dimension,
    nameless: namelessOf(dimension),
    names: new Map(
      (data?.data ?? []).flatMap((row: Row) =>
        typeof row.name === 'string' ? [[textOf(row[dimension]), row.name] as const] : [],
      ),
    ),
  }
}

interface Props {
  graph: Graph
  /** The time range and other filters, under the API's names. */
  filters: Readonly<Record<string, string | null>>
  /** The dimension by which bars are stacked, if they add up. */
  named: Named | null
}

export function useGraph({ graph, filters, named }: Props, isWanted = true) {
  const isGrouped = named !== null && graph.isSum === true
  const source = sources[graph.name] ?? graph.name
  const [name, part] = source.split('/')
  const asked = { ...filters, ...(isGrouped ? { group_by: named.dimension } : {}) }
  const query = useQuery(
    !isWanted
      ? null
      : part === undefined
        ? urlOf('/v1/analytics/graphs/{graph}', { path: { graph: name }, query: asked })
        : urlOf('/v1/analytics/graphs/{graph}/{part}', { path: { graph: name, part }, query: asked }),
  )
  return { ...query, isGrouped }
}

/**
 * Shows one graph. Each graph is loaded separately, so its errors do not hide the others, and only when it is in view,
 * because requests of graphs below the fold would delay the content above them.
 */
export function GraphCard(props: Props) {
  const card = useRef<HTMLDivElement>(null)
  const isSeen = useSeen(card)
  const { data, error, isBusy, isGrouped, reload } = useGraph(props, isSeen)
  if (error !== null) return <Alert onRetry={reload}>{`${props.graph.title}: ${error.message}`}</Alert>
  return (
    <div ref={card} class="card" aria-busy={isBusy || !isSeen ? 'true' : 'false'}>
      <GraphChart graph={props.graph} data={data} named={isGrouped ? props.named : null} />
    </div>
  )
}

const mostTimes = 1500

/** The heat map only lists times with requests. */
function withoutGaps(times: readonly string[]): readonly string[] {
  if (times.length < 2) return times
  const at = times.map((time) => Date.parse(time))
  const step = Math.min(...at.slice(1).map((time, index) => time - (at[index] ?? 0)))
  const [first = 0, last = 0] = [at[0], at.at(-1)]
  const count = Math.round((last - first) / step) + 1
  if (!(step > 0) || count > mostTimes) return times
  return Array.from({ length: count }, (_, index) => new Date(first + index * step).toISOString())
}

export function GraphChart({ graph, data, named }: { graph: Graph; data: Row | null; named: Named | null }) {
  const points = pointsOf(data)
  const found = [...new Set(points.map(({ timestamp }) => String(timestamp)))]
  const times = graph.kind === 'heat' ? withoutGaps(found) : found
  const labels = uniqueNames(labelsOf(times))
  const title = stepOf(times) >= dayMs ? `${graph.title} (days in UTC)` : graph.title
  if (graph.kind === 'heat') {
    const places = new Map(times.map((time, index) => [time, index]))
    const cells = points.map((point) => ({
      column: places.get(String(point.timestamp)) ?? 0,
      end: Number(point.bucket_ms),
      count: Number(point.total),
    }))
    return <HeatMap title={title} labels={labels} cells={cells} formatEnd={graph.format} />
  }
  // A summary has groups if the points do.
  const isGrouped = named !== null && rowOf(data?.summary).groups !== undefined
  const series = isGrouped ? groupedSeries(points, times, { graph, named }) : plainSeries(points, graph)
  return (
    <Chart
      title={title}
      kind={graph.kind === 'lines' ? 'lines' : 'bars'}
      labels={labels}
      series={series}
      format={graph.format}
      isLoading={data === null}
    />
  )
}
