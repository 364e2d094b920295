/** Charts over time, each also a table, and groups by any dimension. */
import { load, type Row, urlOf } from '../api.ts'
import { Alert } from '../parts/alert.tsx'
import { formatCents, formatMs, formatNumber, textOf } from '../parts/cells.tsx'
import { rowsPerPage, type Units } from '../parts/csv.ts'
import { Download, DownloadAll } from '../parts/download.tsx'
import { SelectField } from '../parts/field.tsx'
import { FilterText } from '../parts/filter-text.tsx'
import { Page } from '../parts/page.tsx'
import { Pager, pageOf, pageSize } from '../parts/pager.tsx'
import { RangeField, rangeOf } from '../parts/ranges.tsx'
import { Table, useSorted } from '../parts/table.tsx'
import { useQuery } from '../query.tsx'
import { useFilters } from '../router.tsx'
import { useMay } from '../session.tsx'
import { useWorkspace } from '../workspace.tsx'
import {
  dimensions,
  type Graph,
  GraphChart,
  graphs,
  namelessOf,
  pointsOf,
  useGraph,
  useNames,
} from './graphs.tsx'

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
  const [query] = useFilters()
  const workspace = useWorkspace()
  const may = useMay()
  const filters = {
    ...Object.fromEntries(passed.map((name) => [name, query.get(name)])),
    workspace_id: query.get('workspace_id') ?? workspace,
    ...rangeOf(query, '7d'),
  }
  const graph = graphs.find(({ name }) => name === query.get('graph')) ?? graphs[0]
  if (!may(['analytics.view']) || graph === undefined)
    return <Page title="Analytics" scopes={['analytics.view']} />
  return <Charts key={graph.name} graph={graph} filters={filters} />
}

interface Props {
  graph: Graph
  filters: Readonly<Record<string, string | null>>
}

function Charts({ graph, filters }: Props) {
  const [query, change] = useFilters()
  const group = query.get('group_by') ?? 'ai-models'
  const isStacked = query.get('stacked') !== 'false'
  const named = useNames(isStacked ? group : null, filters)
  const drawn = useGraph({ graph, filters, named })
  const sorted = useSorted('requests')
  const groupsUrl = (page: number, size: number, range: typeof filters) =>
    urlOf('/v1/analytics/groups/{groupBy}', {
      path: { groupBy: group },
      query: {
        ...range,
        columns: 'cost,total_tokens,avg_latency,error_count',
        sort: sorted.by,
        order: sorted.isAscending ? 'asc' : 'desc',
        current_page: page,
        page_size: size,
      },
    })
  const groups = useQuery(groupsUrl(pageOf(query), pageSize, filters))
  // The members are the requested columns.
  const rows: readonly Row[] = groups.data?.data ?? []
  const title = dimensions.find(([name]) => name === group)?.[1] ?? group
  return (
    <Page
      title="Analytics"
      isBusy={drawn.isBusy || groups.isBusy}
      error={drawn.error}
      onRetry={drawn.reload}
      scopes={['analytics.view']}
      actions={
        <Download
          name={`${graph.name.replaceAll('/', '-')}.csv`}
          rows={pointsOf(drawn.data)}
          units={graph.units ?? {}}
          label="CSV of the chart"
        />
      }
    >
      <div class="filters few">
        <RangeField fallback="7d" />
        <SelectField
          label="Chart"
          value={graph.name}
          onChange={(name) => change({ graph: name })}
          options={graphs.map((one) => [one.name, one.title] as const)}
        />
        <SelectField
          label="Group by"
          value={group}
          onChange={(next) => change({ group_by: next })}
          options={dimensions}
        />
        <FilterText name="ai_model" label="Model" placeholder="Such as gpt-4o" />
        {graph.isSum === true && (
          <label class="switch">
            <input
              type="checkbox"
              checked={isStacked}
              onChange={(event) => change({ stacked: event.currentTarget.checked ? null : 'false' })}
            />{' '}
            Stacked by {title.toLowerCase()}
          </label>
        )}
      </div>
      {drawn.data !== null && (
        <GraphChart graph={graph} data={drawn.data} named={drawn.isGrouped ? named : null} />
      )}
      <section>
        <div class="head">
          <h2>By {title.toLowerCase()}</h2>
          {rows.length > 0 && (
            <DownloadAll
              name={`by-${group}.csv`}
              units={units}
              load={(page, signal) => load(groupsUrl(page, rowsPerPage, until(filters)), { signal })}
            />
          )}
        </div>
        {groups.error !== null && <Alert onRetry={groups.reload}>{groups.error.message}</Alert>}
        <Table
          caption={`By ${title.toLowerCase()}`}
          sorted={sorted}
          rows={rows}
          empty="There are no requests in this time range. Try a longer one."
          columns={[
            { name: 'group', label: title, render: (row) => groupOf(row, namelessOf(group)) },
            {
              name: 'requests',
              sort: 'requests',
              label: 'Requests',
              isNumber: true,
              render: (row) => formatNumber(row.requests),
            },
            {
              name: 'cost',
              sort: 'cost',
              label: 'Cost',
              isNumber: true,
              render: (row) => formatCents(row.cost),
            },
            {
              name: 'total_tokens',
              sort: 'total_tokens',
              label: 'Tokens',
              isNumber: true,
              render: (row) => formatNumber(row.total_tokens),
            },
            {
              name: 'avg_latency',
              sort: 'avg_latency',
              label: 'Latency',
              isNumber: true,
              render: (row) => formatMs(row.avg_latency),
            },
            {
              name: 'error_count',
              sort: 'error_count',
              label: 'Errors',
              isNumber: true,
              render: (row) => formatNumber(row.error_count),
            },
          ]}
        />
        {groups.data !== null && <Pager total={groups.data.total} shown={rows.length} />}
      </section>
    </Page>
  )
}

const units: Units = { cost: 'cents', avg_latency: 'ms' }

/** Ends a range that is open, so that later requests do not move rows from one page to the next. */
const until = <F extends Readonly<Record<string, string | null>>>(filters: F): F => ({
  ...filters,
  time_of_generation_max: filters.time_of_generation_max ?? new Date().toISOString(),
})

const measures = new Set(['object', 'name', 'requests', 'cost', 'total_tokens', 'avg_latency', 'error_count'])

/** The value of the dimension, whatever its name in the answer. */
function groupOf(row: Row, nameless: string): string {
  const [value] = Object.entries(row).filter(([name]) => !measures.has(name))
  return textOf(row.name ?? value?.[1] ?? nameless)
}
