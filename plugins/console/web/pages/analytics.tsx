/** Charts over time, each also a table, and groups by any dimension. */
import { type Json, type List, type Row, withQuery } from '../api.ts'
import { Alert } from '../parts/alert.tsx'
import { formatCents, formatMs, formatNumber, textOf } from '../parts/cells.tsx'
import { Chart } from '../parts/chart.tsx'
import { csvOf, Download } from '../parts/download.tsx'
import { SelectField } from '../parts/field.tsx'
import { FilterText } from '../parts/filter-text.tsx'
import { Page } from '../parts/page.tsx'
import { Pager, pageOf, pageSize } from '../parts/pager.tsx'
import { RangeField, rangeOf } from '../parts/ranges.tsx'
import { Table } from '../parts/table.tsx'
import { useQuery } from '../query.tsx'
import { useFilters } from '../router.tsx'
import { useMay } from '../session.tsx'
import { pointsOf } from './overview.tsx'

interface Graph {
  name: string
  title: string
  fields: readonly (readonly [string, string])[]
  kind?: 'lines'
  format: (value: Json) => string
}

const percent = (value: Json) => `${formatNumber(value)} %`

const graphs: readonly Graph[] = [
  { name: 'requests', title: 'Requests', fields: [['total', 'Requests']], format: formatNumber },
  { name: 'cost', title: 'Cost', fields: [['total', 'Cost']], format: formatCents },
  { name: 'tokens', title: 'Tokens', fields: [['total', 'Tokens']], format: formatNumber },
  {
    name: 'latency',
    title: 'Latency',
    kind: 'lines',
    fields: [
      ['p50', 'p50'],
      ['p90', 'p90'],
      ['p99', 'p99'],
    ],
    format: formatMs,
  },
  { name: 'errors', title: 'Errors', fields: [['total', 'Errors']], format: formatNumber },
  {
    name: 'cache/hit-rate',
    title: 'Cache hit rate',
    kind: 'lines',
    fields: [['rate', 'Hit rate']],
    format: percent,
  },
  { name: 'users', title: 'Users', fields: [['total', 'Users']], format: formatNumber },
]

const dimensions = [
  ['ai-models', 'Model'],
  ['provider', 'Provider'],
  ['api_key', 'Key'],
  ['config', 'Config'],
  ['workspace', 'Workspace'],
  ['users', 'User'],
  ['prompt', 'Prompt'],
  ['ai_service', 'Service'],
] as const

const passed = [
  'workspace_id',
  'ai_model',
  'status_code',
  'api_key_ids',
  'virtual_keys',
  'configs',
  'metadata',
] as const

export function AnalyticsPage() {
  const [query, change] = useFilters()
  const may = useMay()
  const filters = {
    ...Object.fromEntries(passed.map((name) => [name, query.get(name)])),
    ...rangeOf(query, '7d'),
  }
  const graph = graphs.find(({ name }) => name === query.get('graph')) ?? graphs[0]
  const group = query.get('group_by') ?? 'ai-models'
  const isAllowed = may(['analytics.view'])
  const drawn = useQuery<Row>(isAllowed ? withQuery(`/v1/analytics/graphs/${graph?.name}`, filters) : null)
  const groups = useQuery<List>(
    isAllowed
      ? withQuery(`/v1/analytics/groups/${encodeURIComponent(group)}`, {
          ...filters,
          columns: 'cost,total_tokens,avg_latency,error_count',
          current_page: pageOf(query),
          page_size: pageSize,
        })
      : null,
  )
  const points = pointsOf(drawn.data)
  const rows = groups.data?.data ?? []
  const title = dimensions.find(([name]) => name === group)?.[1] ?? group
  return (
    <Page
      title="Analytics"
      isBusy={drawn.isBusy || groups.isBusy}
      error={drawn.error}
      onRetry={drawn.reload}
      scopes={['analytics.view']}
    >
      <div class="filters">
        <RangeField fallback="7d" />
        <SelectField
          label="Chart"
          value={graph?.name ?? ''}
          onChange={(name) => change({ graph: name })}
          options={graphs.map((one) => [one.name, one.title] as const)}
        />
        <SelectField
          label="Group by"
          value={group}
          onChange={(next) => change({ group_by: next })}
          options={dimensions}
        />
        <FilterText name="ai_model" label="Model" />
      </div>
      {graph !== undefined && drawn.data !== null && (
        <>
          <Chart
            title={graph.title}
            kind={graph.kind ?? 'bars'}
            labels={points.map((point) => new Date(String(point.timestamp)).toLocaleString())}
            series={graph.fields.map(([name, label]) => ({
              name: label,
              values: points.map((point) => Number(point[name] ?? 0)),
            }))}
            format={graph.format}
          />
          <Download name={`${graph.name.replaceAll('/', '-')}.csv`} text={() => csvOf(points)} />
        </>
      )}
      <section>
        <h2>By {title.toLowerCase()}</h2>
        {groups.error !== null && <Alert onRetry={groups.reload}>{groups.error.message}</Alert>}
        <Table
          caption={`By ${title.toLowerCase()}`}
          rows={rows}
          columns={[
            { name: 'group', label: title, render: (row) => groupOf(row) },
            {
              name: 'requests',
              label: 'Requests',
              isNumber: true,
              render: (row) => formatNumber(row.requests),
            },
            { name: 'cost', label: 'Cost', isNumber: true, render: (row) => formatCents(row.cost) },
            {
              name: 'total_tokens',
              label: 'Tokens',
              isNumber: true,
              render: (row) => formatNumber(row.total_tokens),
            },
            {
              name: 'avg_latency',
              label: 'Latency',
              isNumber: true,
              render: (row) => formatMs(row.avg_latency),
            },
            {
              name: 'error_count',
              label: 'Errors',
              isNumber: true,
              render: (row) => formatNumber(row.error_count),
            },
          ]}
        />
        {groups.data !== null && (
          <>
            <Pager total={groups.data.total} shown={rows.length} />
            <Download name={`by-${group}.csv`} text={() => csvOf(rows)} />
          </>
        )}
      </section>
    </Page>
  )
}

const measures = new Set(['object', 'name', 'requests', 'cost', 'total_tokens', 'avg_latency', 'error_count'])

/** The value of the dimension, under whatever name the answer has it. */
function groupOf(row: Row): string {
  const [value] = Object.entries(row).filter(([name]) => !measures.has(name))
  return textOf(row.name ?? value?.[1])
}
