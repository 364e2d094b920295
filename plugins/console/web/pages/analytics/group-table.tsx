/**
 * The sources of requests and cost: groups of the log by any dimension, sorted, and as CSV with all rows in US dollars.
 */
import { load, type Row, urlOf } from '../../api.ts'
import { Alert } from '../../parts/alert.tsx'
import { formatCents, formatMs, formatNumber, textOf } from '../../parts/cells.tsx'
import { rowsPerPage, type Units } from '../../parts/csv.ts'
import { DownloadAll } from '../../parts/download.tsx'
import { Pager, pageOf, pageSize } from '../../parts/pager.tsx'
import { type Column, emptyOf, type Sorted, Table, useSorted } from '../../parts/table.tsx'
import { type Query, useQuery } from '../../query.tsx'
import { useFilters } from '../../router.tsx'
import { namelessOf } from './graphs.tsx'

type Filters = Readonly<Record<string, string | null>>

type Found = { data: readonly Row[]; total: number }

export interface Groups {
  /** The dimension. */
  group: string
  query: Query<Found>
  sorted: Sorted
  /** Returns the URL of one page of all rows, for a file. */
  urlOf: (page: number) => string
}

/** @param sort the default column for sorting */
export function useGroups(group: string, filters: Filters, sort: string): Groups {
  const [query] = useFilters()
  const sorted = useSorted(sort)
  const groupsUrl = (page: number, size: number, range: Filters) =>
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
  return {
    group,
    // The members are the requested columns.
    query: useQuery<Found>(groupsUrl(pageOf(query), pageSize, filters)),
    sorted,
    urlOf: (page) => groupsUrl(page, rowsPerPage, until(filters)),
  }
}

export function GroupTable({ groups, title }: { groups: Groups; title: string }) {
  const { query } = groups
  const rows = query.data?.data ?? []
  return (
    <section>
      <div class="head">
        <h2>By {title.toLowerCase()}</h2>
        {rows.length > 0 && (
          <DownloadAll
            name={`by-${groups.group}.csv`}
            units={units}
            load={(page, signal) => load<Found>(groups.urlOf(page), { signal })}
          />
        )}
      </div>
      {query.error !== null && <Alert onRetry={query.reload}>{query.error.message}</Alert>}
      <Table
        caption={`By ${title.toLowerCase()}`}
        sorted={groups.sorted}
        rows={rows}
        empty={emptyOf(query, 'There are no requests in this time range. Try a longer one.')}
        columns={[
          { name: 'group', label: title, render: (row) => groupOf(row, namelessOf(groups.group)) },
          ...measureColumns,
        ]}
      />
      {query.data !== null && <Pager total={query.data.total} shown={rows.length} />}
    </section>
  )
}

const measureColumns: readonly Column<Row>[] = [
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
]

const units: Units = { cost: 'cents', avg_latency: 'ms' }

/** Ends an open range, because later requests must not move rows between pages. */
const until = <F extends Readonly<Record<string, string | null>>>(filters: F): F => ({
  ...filters,
  time_of_generation_max: filters.time_of_generation_max ?? new Date().toISOString(),
})

const measures = new Set(['object', 'name', 'requests', 'cost', 'total_tokens', 'avg_latency', 'error_count'])

/** Returns the value of the dimension, whatever its name in the answer. */
function groupOf(row: Row, nameless: string): string {
  const [value] = Object.entries(row).filter(([name]) => !measures.has(name))
  return textOf(row.name ?? value?.[1] ?? nameless)
}
