/** Charts over time, each with a table, and groups by any dimension. */
import { Download } from '../../parts/download.tsx'
import { SelectField } from '../../parts/field.tsx'
import { FilterText } from '../../parts/filter-text.tsx'
import { Page } from '../../parts/page.tsx'
import { RangeField, rangeOf } from '../../parts/ranges.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { useFilters } from '../../router.tsx'
import { useMay } from '../../session.tsx'
import { useWorkspace } from '../../workspace.tsx'
import { dimensions, type Graph, GraphChart, graphs, pointsOf, useGraph, useNames } from './graphs.tsx'
import { GroupTable, useGroups } from './group-table.tsx'

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
  const groups = useGroups(group, filters, 'requests')
  const title = dimensions.find(([name]) => name === group)?.[1] ?? group
  return (
    <Page
      title="Analytics"
      isBusy={drawn.isBusy || groups.query.isBusy}
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
      {drawn.data === null && drawn.isBusy && <Skeleton />}
      {drawn.data !== null && (
        <GraphChart graph={graph} data={drawn.data} named={drawn.isGrouped ? named : null} />
      )}
      <GroupTable groups={groups} title={title} />
    </Page>
  )
}
