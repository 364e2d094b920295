/** The audit log: one line per write, with its changes. */
import { type Row, urlOf } from '../../api.ts'
import type { Item } from '../../api-types.ts'
import { kindOf, kindText } from '../../parts/audit-kinds.ts'
import { formatTime, HttpStatus, textOf } from '../../parts/cells.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { DiffView } from '../../parts/diff-view.tsx'
import { SelectField } from '../../parts/field.tsx'
import { FilterText } from '../../parts/filter-text.tsx'
import { useUserNames } from '../../parts/object-names.ts'
import { Page } from '../../parts/page.tsx'
import { Pager, pageOf, pageSize } from '../../parts/pager.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { useQuery } from '../../query.tsx'
import { useFilters, useOpened } from '../../router.tsx'
import { useMay } from '../../session.tsx'

const passed = [
  'method',
  'uri',
  'request_id',
  'user_id',
  'user_type',
  'response_status_code',
  'resource_type',
  'resource_id',
  'action',
  'client_ip',
  'workspace_id',
  'start_time',
  'end_time',
  'sort',
  'order',
] as const

export function AuditPage() {
  const [query] = useFilters()
  const may = useMay()
  const entry = useOpened('entry')
  const filters = Object.fromEntries(passed.map((name) => [name, query.get(name)]))
  const kind = query.get('resource_type')
  const url = urlOf('/v1/audit-logs', {
    query: {
      ...filters,
      resource_type: kind === null ? null : kindOf(kind),
      current_page: pageOf(query),
      page_size: pageSize,
    },
  })
  const { data, error, isBusy, reload } = useQuery(may(['audit_logs.list']) ? url : null)
  const rows = data?.data ?? []
  const shown = rows.find(({ id }) => id === entry.opened)
  const named = useUserNames(rows.map((row) => textOf(row.user_id)))
  return (
    <Page title="Audit" isBusy={isBusy} error={error} onRetry={reload} scopes={['audit_logs.list']}>
      <AuditFilters />
      {data === null && isBusy && <Skeleton />}
      {data !== null && (
        <>
          <Table caption="Audit" rows={rows} columns={columnsOf(named, entry.open)} />
          <Pager total={data.total} shown={rows.length} />
        </>
      )}
      {shown !== undefined && <Change row={shown} by={named(textOf(shown.user_id))} onClose={entry.close} />}
    </Page>
  )
}

function AuditFilters() {
  const [query, change] = useFilters()
  return (
    <div class="filters">
      <FilterText name="action" label="Action" placeholder="Such as create" />
      <FilterText name="resource_type" label="Kind" placeholder="Such as config" />
      <FilterText name="resource_id" label="Object" placeholder="ID" />
      <FilterText name="user_id" label="By" placeholder="ID" />
      <SelectField
        label="Method"
        value={query.get('method') ?? ''}
        onChange={(method) => change({ method })}
        options={[
          ['', 'Any'],
          ...['POST', 'PUT', 'PATCH', 'DELETE', 'GET'].map((one) => [one, one] as const),
        ]}
      />
    </div>
  )
}

const columnsOf = (
  named: (userId: string) => string,
  open: (id: string) => void,
): readonly Column<Item<'/v1/audit-logs'>>[] => [
  {
    name: 'timestamp',
    label: 'Time',
    isShort: true,
    render: (row) => (
      <button type="button" class="link" onClick={() => open(String(row.id))}>
        {formatTime(row.timestamp)}
      </button>
    ),
  },
  {
    name: 'user_id',
    label: 'By',
    render: (row) => (isOwn(row) ? 'gateway' : named(textOf(row.user_id))),
  },
  { name: 'action', label: 'Action', render: (row) => textOf(row.action) },
  { name: 'resource_type', label: 'Kind', render: (row) => kindText(textOf(row.resource_type)) },
  {
    name: 'uri',
    label: 'Path',
    isShort: true,
    render: (row) => (isOwn(row) ? '–' : <code>{`${textOf(row.method)} ${textOf(row.uri)}`}</code>),
  },
  {
    name: 'status',
    label: 'Status',
    render: (row) => <HttpStatus value={row.response_status_code} />,
  },
]

/** Whether the gateway itself made the change, without a request. */
const isOwn = ({ uri }: Item<'/v1/audit-logs'>) => uri === null || uri === undefined

/** Changes are `{field: [before, after]}`. Returns one side of all of them as text. */
function sideOf(changes: Row, side: 0 | 1): string {
  const values = Object.entries(changes).map(([field, pair]) => [
    field,
    Array.isArray(pair) ? (pair[side] ?? null) : pair,
  ])
  return JSON.stringify(Object.fromEntries(values), null, 2)
}

function Change({ row, by, onClose }: { row: Item<'/v1/audit-logs'>; by: string; onClose: () => void }) {
  const { changes } = row
  const isObject = typeof changes === 'object' && changes !== null && !Array.isArray(changes)
  return (
    <Dialog title={`${textOf(row.action)} ${kindText(textOf(row.resource_type))}`} onClose={onClose}>
      {isOwn(row) ? (
        <p>A change by the gateway itself.</p>
      ) : (
        <p>
          <code>{`${textOf(row.method)} ${textOf(row.uri)}`}</code> by{' '}
          <span title={textOf(row.user_id)}>{by}</span> from {textOf(row.client_ip)}
        </p>
      )}
      {isObject && Object.keys(changes).length > 0 && (
        <DiffView label="Changes" before={sideOf(changes, 0)} after={sideOf(changes, 1)} />
      )}
      {!isOwn(row) && (
        <>
          <h3>Request</h3>
          <pre class="body" tabIndex={0} role="region" aria-label="Request">
            {JSON.stringify(row.request_body, null, 2)}
          </pre>
        </>
      )}
      <div class="buttons">
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </Dialog>
  )
}
