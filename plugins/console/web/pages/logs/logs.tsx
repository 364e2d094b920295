/** The log: filters, which are in the URL under the API's names, and a page of entries. */
import { urlOf, withQuery } from '../../api.ts'
import { cacheOptions } from '../../parts/cache-text.ts'
import { endpointOptions, endpointText } from '../../parts/endpoint-text.ts'
import { SelectField } from '../../parts/field.tsx'
import { FilterText } from '../../parts/filter-text.tsx'
import { Filters } from '../../parts/filters.tsx'
import { KeyFilter } from '../../parts/key-filter.tsx'
import { Page } from '../../parts/page.tsx'
import { Pager, pageOf, pageSize } from '../../parts/pager.tsx'
import { RangeField, rangeOf } from '../../parts/ranges.tsx'
import { SavedViews } from '../../parts/saved-views.tsx'
import { Search } from '../../parts/search.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { Table, useSorted } from '../../parts/table.tsx'
import { useQuery } from '../../query.tsx'
import type { Options } from '../../resources/declare.ts'
import { Link, root, useFilters } from '../../router.tsx'
import { useMay } from '../../session.tsx'
import { useWorkspace } from '../../workspace.tsx'
import { ErrorGroups } from './error-groups.tsx'
import { LiveTail } from './live-tail.tsx'
import { ColumnChoice, useLogColumns } from './log-columns.tsx'

/** The names of the filters in the API. */
const passed = [
  'status_code',
  'error_code',
  'status_code_min',
  'ai_model',
  'ai_org_model',
  'api_key_ids',
  'virtual_keys',
  'configs',
  'cache_status',
  'metadata',
  'search',
  'trace_id',
  'span_id',
  'prompt_slug',
  'endpoint_type',
  'workspace_id',
  'workspace_slug',
  'cost_min',
  'cost_max',
  'total_units_min',
  'total_units_max',
  'sort',
  'order',
] as const

const firstError = '400'
const statuses = [
  '200',
  '246',
  '400',
  '401',
  '403',
  '404',
  '408',
  '412',
  '429',
  '446',
  '500',
  '502',
  '503',
  '504',
]

/** A link may hold several, separated by commas. */
const endpointsWith = (chosen: string): Options =>
  chosen === '' || endpointOptions.some(([id]) => id === chosen)
    ? endpointOptions
    : [...endpointOptions, [chosen, chosen.split(',').map(endpointText).join(', ')]]

/** The filters of the address, without what only arranges the list. */
const listOf = (query: URLSearchParams): Record<string, string> =>
  Object.fromEntries(
    [...query].filter(
      ([name]) => !['group', 'live', 'current_page', 'sort', 'order', 'columns'].includes(name),
    ),
  )

/** The address of a new replay of the requests in the list. */
function replayOf(query: URLSearchParams): string {
  const { range: _, ...filters } = listOf(query)
  return withQuery(`${root}/replays/new`, { ...filters, ...rangeOf(query) })
}

/** Shown instead of an empty list, with advice. */
const Nothing = ({ isFiltered }: { isFiltered: boolean }) => (
  <>
    No request matches. Try a longer time range
    {isFiltered ? (
      ' or fewer filters.'
    ) : (
      <>
        , or send a request from the <Link to={`${root}/playground`}>playground</Link>.
      </>
    )}
  </>
)

export function LogsPage() {
  const [query] = useFilters()
  const sorted = useSorted('created_at')
  const may = useMay()
  const workspace = useWorkspace()
  const filters = Object.fromEntries(passed.map((name) => [name, query.get(name)]))
  if (!query.has('workspace_slug')) filters.workspace_id ??= workspace
  const url = urlOf('/v1/logs', {
    query: { ...filters, ...rangeOf(query), current_page: pageOf(query), page_size: pageSize },
  })
  const { isGrouped, isLive } = viewOf(query)
  const { data, error, isBusy, reload } = useQuery(may(['logs.list']) && !isLive && !isGrouped ? url : null)
  const rows = data?.data ?? []
  const { columns, ...choice } = useLogColumns(rows)
  return (
    <Page
      title="Logs"
      isBusy={isBusy}
      error={error}
      onRetry={reload}
      scopes={['logs.list']}
      actions={<LogActions reload={reload} />}
    >
      <SavedViews page="logs" root={`${root}/logs`} />
      <LogFilters />
      {!isGrouped && <ColumnChoice {...choice} />}
      {isGrouped && (
        <ErrorGroups
          filters={{ ...filters, ...rangeOf(query), sort: null, order: null }}
          linkOf={(own) => withQuery(`${root}/logs`, { ...listOf(query), ...own })}
        />
      )}
      {isLive && <LiveTail filters={filters} columns={columns} />}
      {data === null && isBusy && <Skeleton />}
      {data !== null && !isLive && !isGrouped && (
        <>
          <Table
            caption="Logs"
            rows={rows}
            sorted={sorted}
            empty={<Nothing isFiltered={passed.some((name) => query.has(name))} />}
            columns={columns}
          />
          <Pager total={data.total} shown={rows.length} />
        </>
      )}
    </Page>
  )
}

/** How the address presents the log: errors only, grouped by cause, or live. */
function viewOf(query: URLSearchParams) {
  const isErrors = query.get('status_code_min') === firstError
  return {
    isErrors,
    isGrouped: isErrors && query.get('group') === 'cause',
    isLive: query.get('live') === 'true',
  }
}

function LogActions({ reload }: { reload: () => void }) {
  const [query, change] = useFilters()
  const may = useMay()
  const { isErrors, isGrouped, isLive } = viewOf(query)
  return (
    <>
      {isErrors && (
        <button
          type="button"
          aria-pressed={isGrouped ? 'true' : 'false'}
          onClick={() => change({ group: isGrouped ? null : 'cause' })}
        >
          By cause
        </button>
      )}
      {may(['replays.create']) && (
        <Link to={replayOf(query)} class="button">
          Replay these
        </Link>
      )}
      <button
        type="button"
        aria-pressed={isLive ? 'true' : 'false'}
        onClick={() => change({ live: isLive ? null : 'true' })}
      >
        Live
      </button>
      {!isLive && (
        <button type="button" onClick={reload}>
          Refresh
        </button>
      )}
    </>
  )
}

function LogFilters() {
  const [query, change] = useFilters()
  const endpoint = query.get('endpoint_type') ?? ''
  return (
    <Filters rest={['virtual_keys', 'configs', 'api_key_ids', 'endpoint_type', 'cache_status', 'metadata']}>
      <Search placeholder="Any text" />
      <RangeField />
      <StatusFilter />
      <FilterText name="ai_model" label="Model" placeholder="Such as gpt-4o" />
      <FilterText name="virtual_keys" label="Provider" placeholder="Slug" />
      <FilterText name="configs" label="Config" placeholder="Slug" />
      <KeyFilter />
      <SelectField
        label="Endpoint"
        value={endpoint}
        onChange={(next) => change({ endpoint_type: next })}
        options={[['', 'Any'], ...endpointsWith(endpoint)]}
      />
      <SelectField
        label="Cache"
        value={query.get('cache_status') ?? ''}
        onChange={(next) => change({ cache_status: next })}
        options={[['', 'Any'], ...cacheOptions]}
      />
      <FilterText name="metadata" label="Metadata" placeholder={'{"team": "a"}'} />
    </Filters>
  )
}

/** One status, or all errors, which are a range in the API. */
function StatusFilter() {
  const [query, change] = useFilters()
  const { isErrors } = viewOf(query)
  const status = query.get('status_code') ?? ''
  const known = status === '' || statuses.includes(status) ? statuses : [...statuses, status]
  return (
    <SelectField
      label="Status"
      value={isErrors ? 'errors' : status}
      onChange={(next) =>
        change({
          status_code: next === 'errors' ? null : next,
          status_code_min: next === 'errors' ? firstError : null,
        })
      }
      options={[['', 'Any'], ['errors', 'All errors'], ...known.map((one) => [one, one] as const)]}
    />
  )
}
