/** The remaining rate limits of each stored credential and model, and the targets that are currently skipped. */
import { urlOf } from '../../api.ts'
import type { Item } from '../../api-types.ts'
import { Badge, formatMinute, formatNumber, textOf } from '../../parts/cells.tsx'
import { Page } from '../../parts/page.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { useQuery, useWhileSeen } from '../../query.tsx'
import { Link, root } from '../../router.tsx'
import { useMay } from '../../session.tsx'
import { useWorkspace } from '../../workspace.tsx'

type Health = Item<'/v1/target-health'>
type Limit = Health['limits'][number]

const refreshMs = 5_000
const most = 1_000

/** Formats the time until a reset. A past time reads "now". */
function untilText(time: string): string {
  const seconds = Math.round((Date.parse(time) - Date.now()) / 1000)
  if (!(seconds > 0)) return 'now'
  if (seconds < 90) return `in ${seconds} s`
  return seconds < 5_400 ? `in ${Math.round(seconds / 60)} min` : formatMinute(time)
}

/** The remaining share of the limit. An empty bar is a target at its limit. */
function Left({ limit: { measure, limit, left, resets_at: resets } }: { limit: Limit }) {
  const what = measure.replace('_', ' ')
  const text = limit === null ? formatNumber(left) : `${formatNumber(left)} of ${formatNumber(limit)}`
  return (
    <li>
      <span class="usage">
        {limit !== null && (
          <meter
            min={0}
            max={limit}
            low={limit * 0.1}
            high={limit * 0.1}
            optimum={limit}
            value={Math.max(0, left)}
            aria-label={`${what}: ${text} left`}
          />
        )}
        <span>
          {text} {what}, resets {untilText(resets)}
        </span>
      </span>
    </li>
  )
}

const isOut = ({ state, full_until: full }: Health) => state !== 'closed' || full !== null

/** Sorts skipped targets first, then by name. */
const byNeed = (one: Health, other: Health) =>
  Number(isOut(other)) - Number(isOut(one)) || nameOf(one).localeCompare(nameOf(other))

const nameOf = ({ virtual_key: key, provider, model }: Health) =>
  `${key === null ? provider : `@${key}`}/${model}`

function State({ row }: { row: Health }) {
  if (row.full_until !== null) return <Badge tone="bad">full, room {untilText(row.full_until)}</Badge>
  if (row.state === 'open')
    return (
      <Badge tone="bad">circuit open{row.retry_at !== null && `, next try ${untilText(row.retry_at)}`}</Badge>
    )
  return row.state === 'half_open' ? (
    <Badge tone="warn">circuit half open</Badge>
  ) : (
    <Badge tone="good">has room</Badge>
  )
}

const columns: readonly Column<Health>[] = [
  {
    name: 'target',
    label: 'Target',
    render: (row) =>
      row.virtual_key === null ? (
        nameOf(row)
      ) : (
        <Link to={`${root}/providers/${encodeURIComponent(row.virtual_key)}`}>{nameOf(row)}</Link>
      ),
  },
  { name: 'state', label: 'State', isShort: true, render: (row) => <State row={row} /> },
  {
    name: 'limits',
    label: 'Left of the provider’s limits',
    render: ({ limits }) =>
      limits.length === 0 ? (
        'not reported'
      ) : (
        <ul class="left">
          {limits.map((limit) => (
            <Left key={limit.measure} limit={limit} />
          ))}
        </ul>
      ),
  },
  {
    name: 'failures',
    label: 'Failures in a row',
    isNumber: true,
    render: (row) =>
      row.failures > 0 && row.last_status !== null
        ? `${row.failures} (last ${row.last_status})`
        : textOf(row.failures),
  },
]

export function CapacityPage() {
  const may = useMay()
  const workspace = useWorkspace()
  const scopes = ['providers.list']
  const { data, error, isBusy, reload } = useQuery(
    may(scopes) ? urlOf('/v1/target-health', { query: { page_size: most, workspace_id: workspace } }) : null,
  )
  useWhileSeen(reload, refreshMs)
  return (
    <Page title="Capacity" isBusy={isBusy && data === null} error={error} onRetry={reload} scopes={scopes}>
      <p class="about">
        What is left of the providers’ rate limits, as they report it, for each stored credential and model.
        Requests avoid a target without room, and one whose circuit breaker is open.
      </p>
      {data === null && isBusy && <Skeleton />}
      {data !== null && (
        <Table
          caption="Targets"
          columns={columns}
          rows={[...data.data].sort(byNeed)}
          empty="No provider has reported a limit yet. This page fills with the first answers that do."
        />
      )}
    </Page>
  )
}
