/** A list of objects, searched, filtered and paged by the server. */
import { useState } from 'preact/hooks'
import { type Row, urlOf } from '../../api.ts'
import { formatAmount, formatMinute, formatNumber, StatusBadge, textOf } from '../../parts/cells.tsx'
import { useDeletions } from '../../parts/deletions.tsx'
import { SelectField } from '../../parts/field.tsx'
import { keyFiltersOf } from '../../parts/key-text.ts'
import { Page } from '../../parts/page.tsx'
import { Pager, pageOf, pageSize } from '../../parts/pager.tsx'
import { Search } from '../../parts/search.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { type Column, Table, useSorted } from '../../parts/table.tsx'
import { useQuery } from '../../query.tsx'
import { nameOf, type Resource, scopesFor } from '../../resources.ts'
import { Link, root, useFilters, useOpened } from '../../router.tsx'
import { useMay } from '../../session.tsx'
import { useWorkspace } from '../../workspace.tsx'
import { CreateKeyDialog, RevokeDialog } from '../keys/keys.tsx'
import { InviteDialog } from '../users/invite.tsx'
import { Invites } from '../users/invites.tsx'

/** Filters of a search for a key by its text. */
const keyFilterNames = ['key_sha256', 'masked_key'] as const
const keySearch = { shown: 'masked_key', names: keyFilterNames, filtersOf: keyFiltersOf }

/** Filters that have the same names in the list's URL and in the API. */
const passed = [...['search', 'status', 'workspace_id', 'type', 'sort', 'order'], ...keyFilterNames] as const

function columnsOf(resource: Resource): Column<Row>[] {
  return resource.columns.map(({ name, label, kind, words }, index) => ({
    name,
    label,
    ...(['name', 'created_at', 'last_updated_at'].includes(name) ? { sort: name } : {}),
    isNumber: kind === 'number' || kind === 'amount',
    render: (row) => {
      const value = row[name]
      if (index === 0) {
        const text =
          value === null || value === undefined || value === '' ? nameOf(resource, row) : textOf(value)
        return <Link to={`${root}/${resource.path}/${encodeURIComponent(String(row.id))}`}>{text}</Link>
      }
      if (kind === 'time') return formatMinute(value)
      if (kind === 'status') return <StatusBadge value={value} />
      if (kind === 'number') return formatNumber(value)
      if (kind === 'amount') return formatAmount(value, row.type)
      return words?.[String(value)] ?? textOf(value)
    },
  }))
}

/** The answer of a list of any kind. */
interface List {
  data: readonly Row[]
  total: number
}

const usualStatuses = ['active', 'archived']

/** The list as the address filters it. */
function useList(resource: Resource) {
  const [query] = useFilters()
  const may = useMay()
  const workspace = useWorkspace()
  const isOfWorkspace =
    resource.path === 'providers' || resource.fields.some(({ kind }) => kind === 'workspace')
  const filters = Object.fromEntries(passed.map((name) => [name, query.get(name)]))
  if (isOfWorkspace) filters.workspace_id ??= workspace
  const url = urlOf(resource.api, {
    query: { ...filters, current_page: pageOf(query), page_size: pageSize },
  })
  const list = useQuery<List>(may(scopesFor(resource, 'list')) ? url : null)
  useDeletions(list)
  return list
}

export function ListPage({ resource }: { resource: Resource }) {
  const [query] = useFilters()
  const creation = useOpened('create')
  const [revoked, setRevoked] = useState<Row | null>(null)
  const may = useMay()
  const [invited, setInvited] = useState(0)
  const scopes = scopesFor(resource, 'list')
  const sorted = useSorted('created_at')
  const { data, error, isBusy, reload } = useList(resource)
  const isKeys = resource.path === 'keys'
  const isUsers = resource.path === 'users'
  const canRevoke = isKeys && may(scopesFor(resource, 'delete'))
  const columns = [...columnsOf(resource), ...(canRevoke ? [revokeColumn(setRevoked)] : [])]
  const rows = data?.data ?? []
  return (
    <Page
      title={resource.title}
      isBusy={isBusy}
      error={error}
      onRetry={reload}
      scopes={scopes}
      actions={
        may(scopesFor(resource, 'create')) && (
          <CreateAction resource={resource} onOpen={() => creation.open()} />
        )
      }
    >
      <p class="about">{resource.about}</p>
      <ListFilters resource={resource} />
      {data === null && isBusy && <Skeleton />}
      {data !== null && (
        <>
          <Table
            caption={resource.title}
            columns={columns}
            rows={rows}
            sorted={sorted}
            empty={
              ['search', ...keyFilterNames].every((filter) => query.get(filter) === null)
                ? `There is no ${resource.singular} yet. ${resource.begin}`
                : 'Nothing matches this search.'
            }
          />
          <Pager total={data.total} shown={rows.length} />
        </>
      )}
      {isUsers && may(scopes) && <Invites key={invited} />}
      {creation.opened !== null && isKeys && (
        <CreateKeyDialog resource={resource} onClose={creation.close} onCreated={reload} />
      )}
      {creation.opened !== null && isUsers && (
        <InviteDialog
          onClose={() => {
            creation.close()
            setInvited((count) => count + 1)
          }}
        />
      )}
      {revoked !== null && <RevokeDialog row={revoked} onClose={() => setRevoked(null)} />}
    </Page>
  )
}

const revokeColumn = (onRevoke: (row: Row) => void): Column<Row> => ({
  name: 'actions',
  label: 'Actions',
  render: (row) =>
    row.source === 'file' || row.status === 'archived' ? (
      ''
    ) : (
      <button type="button" onClick={() => onRevoke(row)}>
        Revoke
      </button>
    ),
})

function ListFilters({ resource }: { resource: Resource }) {
  const [query, change] = useFilters()
  const statuses = resource.statuses ?? usualStatuses
  const isKeys = resource.path === 'keys'
  return (
    <div class="filters">
      {resource.isSearched !== false &&
        (isKeys ? <Search placeholder="Name, key or masked key" special={keySearch} /> : <Search />)}
      {statuses.length > 0 && (
        <SelectField
          label="Status"
          value={query.get('status') ?? ''}
          onChange={(status) => change({ status })}
          options={[
            ['', 'Not archived'],
            ...statuses.map((one) => [one, `${one.charAt(0).toUpperCase()}${one.slice(1)}`] as const),
          ]}
        />
      )}
    </div>
  )
}

function CreateAction({ resource, onOpen }: { resource: Resource; onOpen: () => void }) {
  if (resource.path === 'keys' || resource.path === 'users') {
    return (
      <button type="button" class="primary" onClick={onOpen}>
        {resource.path === 'keys' ? 'Create key' : 'Invite'}
      </button>
    )
  }
  if (resource.canCreate === false) return null
  return (
    <Link to={`${root}/${resource.path}/new`} class="button primary">
      New {resource.singular}
    </Link>
  )
}
