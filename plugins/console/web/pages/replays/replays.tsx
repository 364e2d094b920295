/** Replays and running shadows, newest first. */
import { urlOf } from '../../api.ts'
import type { Item } from '../../api-types.ts'
import { formatAmount, formatCents, formatMinute, StatusBadge, textOf } from '../../parts/cells.tsx'
import { configText } from '../../parts/config-text.ts'
import { SelectField } from '../../parts/field.tsx'
import { Page } from '../../parts/page.tsx'
import { Pager, pageOf, pageSize } from '../../parts/pager.tsx'
import { Progress } from '../../parts/progress.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { useQuery, useWhileSeen } from '../../query.tsx'
import { Link, root, useFilters } from '../../router.tsx'
import { useMay } from '../../session.tsx'
import { useWorkspace } from '../../workspace.tsx'
import { doneOf, isRunning, nameOf, refreshMs } from './replay-text.ts'

type Replay = Item<'/v1/replays'>

const columns: readonly Column<Replay>[] = [
  {
    name: 'name',
    label: 'Name',
    render: (one) => <Link to={`${root}/replays/${one.id}`}>{nameOf(one)}</Link>,
  },
  { name: 'type', label: 'Type', render: (one) => one.type },
  {
    name: 'status',
    label: 'Status',
    render: (one) => <StatusBadge value={one.status.replace('_', ' ')} />,
  },
  { name: 'config', label: 'Candidate', render: (one) => configText(one.config) },
  {
    name: 'progress',
    label: 'Pairs',
    isShort: true,
    // The number of a shadow's pairs grows with its requests and has no total.
    render: (one) =>
      one.type === 'shadow' ? (
        textOf(one.counts.completed)
      ) : (
        <Progress label="Pairs" done={doneOf(one.counts)} total={one.counts.total} />
      ),
  },
  {
    name: 'cost',
    label: 'Cost',
    isNumber: true,
    render: (one) =>
      `${formatCents(one.cost)}${one.budget === null ? '' : ` of ${formatAmount(one.budget, 'cost')}${one.type === 'shadow' ? ' a day' : ''}`}`,
  },
  { name: 'created_at', label: 'Created', render: (one) => formatMinute(one.created_at) },
]

const statuses = ['queued', 'running', 'completed', 'budget_exhausted', 'cancelled', 'failed'] as const

const scopes = ['replays.list']

/** The page of replays that the address selects, loaded again while one of them is running. */
function useReplays() {
  const may = useMay()
  const [query] = useFilters()
  const workspace = useWorkspace()
  const replays = useQuery(
    may(scopes)
      ? urlOf('/v1/replays', {
          query: {
            status: query.get('status'),
            workspace_id: workspace,
            current_page: pageOf(query),
            page_size: pageSize,
          },
        })
      : null,
  )
  useWhileSeen(() => {
    if (replays.data?.data.some(isRunning)) replays.reload()
  }, refreshMs)
  return replays
}

export function ReplaysPage() {
  const may = useMay()
  const [query, change] = useFilters()
  const { data, error, isBusy, reload } = useReplays()
  const rows = data?.data ?? []
  return (
    <Page
      title="Replays"
      // A list stays visible while it is reloaded.
      isBusy={isBusy && data === null}
      error={error}
      onRetry={reload}
      scopes={scopes}
      actions={
        may(['replays.create']) && (
          <Link to={`${root}/replays/new`} class="button primary">
            New replay
          </Link>
        )
      }
    >
      <p class="about">
        A replay runs logged requests against another config and compares the answers, before you move
        traffic. A shadow does so with live traffic.
      </p>
      <div class="filters">
        <SelectField
          label="Status"
          value={query.get('status') ?? ''}
          onChange={(status) => change({ status })}
          options={[['', 'Any'], ...statuses.map((one) => [one, one.replace('_', ' ')] as const)]}
        />
      </div>
      {data === null && isBusy && <Skeleton />}
      {data !== null && (
        <>
          <Table
            caption="Replays"
            columns={columns}
            rows={rows}
            empty={
              query.has('status')
                ? 'No replay has this status.'
                : 'There is no replay yet. Start one to see what another model or config would change, and at what cost.'
            }
          />
          <Pager total={data.total} shown={rows.length} />
        </>
      )}
    </Page>
  )
}
