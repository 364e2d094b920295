/**
 * Limits and cost: the used, remaining and forecast amount of each limit, limits that run out this week, and the
 * largest consumers.
 */

import { Alert } from '../../parts/alert.tsx'
import { formatAmount, formatMinute, formatNumber } from '../../parts/cells.tsx'
import { Download } from '../../parts/download.tsx'
import { SelectField } from '../../parts/field.tsx'
import { FilterText } from '../../parts/filter-text.tsx'
import { isThisWeek } from '../../parts/forecast.ts'
import { groupText } from '../../parts/group-text.ts'
import { useKeyNames } from '../../parts/object-names.ts'
import { Page } from '../../parts/page.tsx'
import { RangeField, rangeOf } from '../../parts/ranges.tsx'
import { type Column, emptyOf, Table } from '../../parts/table.tsx'
import { UsageBar } from '../../parts/usage-bars.tsx'
import { Link, root, useFilters } from '../../router.tsx'
import { useMay } from '../../session.tsx'
import { useWorkspace } from '../../workspace.tsx'
import { dimensions } from '../analytics/graphs.tsx'
import { GroupTable, useGroups } from '../analytics/group-table.tsx'
import { type Budget, useBudgets } from './spending-budgets.tsx'

const kinds = ['Key', 'Workspace', 'Provider', 'Policy'] as const

const orders: readonly (readonly [string, string, (budget: Budget) => number])[] = [
  ['share', 'Part that is used', ({ used, limit }) => -used / limit],
  ['out', 'What runs out first', ({ forecast }) => forecast.runsOutAtMs ?? Number.POSITIVE_INFINITY],
  ['left', 'Least left', ({ used, limit }) => limit - used],
  ['used', 'Most used', ({ used }) => -used],
]

export function SpendingPage() {
  const may = useMay()
  const budgets = useBudgets(useWorkspace())
  const withKeys = useKeyNames(budgets.found.map(({ name }) => name))
  const all = budgets.found.map((one) => ({
    ...one,
    name: groupText(withKeys(one.name).replaceAll('api_key:', '')),
  }))
  const known = { data: budgets.isBusy || budgets.error !== null ? null : all, error: budgets.error }
  return (
    <Page title="Limits and money" isBusy={budgets.isBusy}>
      {budgets.error !== null && <Alert onRetry={budgets.reload}>{budgets.error.message}</Alert>}
      <RunsOut all={all} known={known} />
      <Budgets all={all} known={known} note={budgets.note} />
      {may(['analytics.view']) && <Spenders />}
    </Page>
  )
}

interface BudgetsProps {
  all: readonly Budget[]
  /** Tells an empty list from one that is not loaded. */
  known: Parameters<typeof emptyOf>[0]
}

/** The limits that run out within seven days, the first one first. */
function RunsOut({ all, known }: BudgetsProps) {
  const nowMs = Date.now()
  const soon = all
    .filter(({ forecast }) => isThisWeek(forecast, nowMs))
    .sort((one, other) => (one.forecast.runsOutAtMs ?? 0) - (other.forecast.runsOutAtMs ?? 0))
  return (
    <section>
      <h2>Runs out this week</h2>
      <p class="about">Assuming that use continues at the average rate since the period began.</p>
      <Table
        caption="Runs out this week"
        rows={soon}
        empty={emptyOf(known, 'No limit runs out within seven days.')}
        columns={[...first, when, resets]}
      />
    </section>
  )
}

function Budgets({ all, known, note }: BudgetsProps & { note: string | null }) {
  const [query, change] = useFilters()
  const kind = query.get('kind') ?? ''
  const order = query.get('by') ?? 'share'
  const measure = orders.find(([name]) => name === order)?.[2] ?? (() => 0)
  const search = (query.get('search') ?? '').toLowerCase()
  const shown = all
    .filter((one) => (kind === '' || one.kind === kind) && one.name.toLowerCase().includes(search))
    .sort((one, other) => measure(one) - measure(other))
  return (
    <section>
      <div class="head">
        <h2>Budgets</h2>
        {shown.length > 0 && (
          <Download name="budgets.csv" rows={shown.map(lineOf)} units={{}} label="CSV of these budgets" />
        )}
      </div>
      <div class="filters few">
        <SelectField
          label="Kind"
          value={kind}
          onChange={(next) => change({ kind: next })}
          options={[['', 'All'], ...kinds.map((one) => [one, plurals[one]] as const)]}
        />
        <SelectField
          label="Sorted by"
          value={order}
          onChange={(next) => change({ by: next === 'share' ? null : next })}
          options={orders.map(([name, label]) => [name, label] as const)}
        />
        <FilterText name="search" label="Name" />
      </div>
      {note !== null && <p class="note">{note}</p>}
      <Table
        caption="Budgets"
        rows={shown}
        empty={emptyOf(
          known,
          <>
            No key, workspace, provider or policy has a usage limit. Add one on the page of a{' '}
            <Link to={`${root}/keys`}>key</Link>, or create a <Link to={`${root}/policies`}>policy</Link>.
          </>,
        )}
        columns={[...first, left, forecast, when, resets]}
      />
    </section>
  )
}

const plurals = { Key: 'Keys', Workspace: 'Workspaces', Provider: 'Providers', Policy: 'Policies' } as const

const first: readonly Column<Budget>[] = [
  { name: 'name', label: 'Name', render: ({ name, to }) => <Link to={to}>{name}</Link> },
  { name: 'kind', label: 'Kind', render: ({ kind }) => kind },
  {
    name: 'used',
    label: 'Used',
    isShort: true,
    render: ({ used, limit, type, threshold }) => <UsageBar {...{ used, limit, type, threshold }} />,
  },
]

/** The amount without its unit, which is next to the bar. */
const amountText = (amount: number, type: Budget['type']): string =>
  type === 'cost' ? formatAmount(amount, type) : formatNumber(Math.round(amount))

const left: Column<Budget> = {
  name: 'left',
  label: 'Left',
  isNumber: true,
  render: ({ used, limit, type }) => amountText(Math.max(0, limit - used), type),
}

const forecast: Column<Budget> = {
  name: 'forecast',
  label: 'Forecast',
  isNumber: true,
  render: ({ forecast: { used }, resetsAt, type }) =>
    used === null ? '–' : `${amountText(used, type)}${resetsAt === null ? ' in 30 days' : ''}`,
}

const when: Column<Budget> = {
  name: 'out',
  label: 'Runs out',
  isShort: true,
  render: ({ forecast: { used: expected, runsOutAtMs }, used, limit, resetsAt }) => {
    if (used >= limit) return 'used up'
    if (expected === null) return 'too early to say'
    if (runsOutAtMs !== null) return formatMinute(new Date(runsOutAtMs).toISOString())
    return resetsAt === null ? 'never at this rate' : 'after its reset'
  },
}

const resets: Column<Budget> = {
  name: 'resets',
  label: 'Resets',
  isShort: true,
  render: ({ resetsAt }) => (resetsAt === null ? 'never' : formatMinute(resetsAt)),
}

/** A row of the file, with amounts of money in US dollars. */
function lineOf({ name, kind, type, used, limit, forecast: { used: later, runsOutAtMs }, resetsAt }: Budget) {
  const unit = type === 'cost' ? 'usd' : type
  return {
    kind,
    name,
    unit,
    limit,
    used,
    left: Math.max(0, limit - used),
    forecast: later,
    runs_out_at: runsOutAtMs === null ? null : new Date(runsOutAtMs).toISOString(),
    resets_at: resetsAt,
  }
}

/** The largest consumers in the selected time. */
function Spenders() {
  const [query, change] = useFilters()
  const workspace = useWorkspace()
  const group = query.get('group_by') ?? 'api_key'
  const groups = useGroups(group, { workspace_id: workspace, ...rangeOf(query, '30d') }, 'cost')
  const title = dimensions.find(([name]) => name === group)?.[1] ?? group
  return (
    <section>
      <h2>Who spends</h2>
      <div class="filters few">
        <RangeField fallback="30d" />
        <SelectField
          label="Group by"
          value={group}
          onChange={(next) => change({ group_by: next })}
          options={dimensions}
        />
      </div>
      <GroupTable groups={groups} title={title} />
    </section>
  )
}
