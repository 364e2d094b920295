/** Today's figures compared with yesterday's, alerts, usage over time, and the first steps. */
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { urlOf } from '../../api.ts'
import type { Answer } from '../../api-types.ts'
import { Alert } from '../../parts/alert.tsx'
import { formatCents, formatMs, formatNumber } from '../../parts/cells.tsx'
import { SelectField } from '../../parts/field.tsx'
import { Page } from '../../parts/page.tsx'
import { useQuery } from '../../query.tsx'
import { useFilters } from '../../router.tsx'
import { useMay } from '../../session.tsx'
import { useWorkspace } from '../../workspace.tsx'
import { GraphCard, graphs, useNames } from '../analytics/graphs.tsx'
import { Attention } from './attention.tsx'
import { FirstSteps } from './first-steps.tsx'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

const since = (back: number) =>
  new Date(Math.floor(Date.now() / minuteMs) * minuteMs - back * dayMs).toISOString()

const summaryPath = (workspace: string | null, from: number, to: number | null) =>
  urlOf('/v1/analytics/summary', {
    query: {
      workspace_id: workspace,
      time_of_generation_min: since(from),
      time_of_generation_max: to === null ? null : since(to),
    },
  })

type Summary = Answer<'get', '/v1/analytics/summary'>

interface Tile {
  name: keyof Summary
  label: string
  format: (value: unknown) => string
}

const tiles: readonly Tile[] = [
  { name: 'requests', label: 'Requests', format: formatNumber },
  { name: 'error_count', label: 'Errors', format: formatNumber },
  { name: 'cost', label: 'Cost', format: formatCents },
  { name: 'p95_latency', label: 'p95 latency', format: formatMs },
]

const shown = ['requests', 'errors', 'cost', 'latency', 'tokens', 'cache/hit-rate']

/** Without requests the latency is unknown, not 0 ms. */
const valueIn = (summary: Summary | null | undefined, { name, format }: Tile): string =>
  format(name === 'p95_latency' && summary?.requests === 0 ? null : summary?.[name])

/** Describes the change of a number in words, which do not depend on colour. */
function changeOf(now: unknown, before: unknown): string {
  if (typeof now !== 'number' || typeof before !== 'number' || before === 0) return ''
  const change = Math.round((now / before - 1) * 100)
  return change === 0 ? '(no change)' : `(${change > 0 ? '+' : '−'}${Math.abs(change).toLocaleString('en')}%)`
}

interface TilesProps {
  workspace: string | null
  onState: (state: State) => void
}

interface State {
  /** Today's number of requests. */
  requests: number
  isBusy: boolean
}

/**
 * The tiles come first on the page, so their requests are sent first: a browser has six connections for all requests of
 * a page.
 */
function Tiles({ workspace, onState }: TilesProps) {
  const today = useQuery(summaryPath(workspace, 1, null))
  const yesterday = useQuery(summaryPath(workspace, 2, 1))
  const requests = Number(today.data?.requests ?? 0)
  const isBusy = today.isBusy || yesterday.isBusy
  useLayoutEffect(() => onState({ requests, isBusy }), [requests, isBusy])
  if (today.error !== null) return <Alert onRetry={today.reload}>{today.error.message}</Alert>
  return (
    <section>
      <h2>Last 24 hours</h2>
      <dl class="tiles">
        {tiles.map((tile) => (
          <div key={tile.name}>
            <dt>{tile.label}</dt>
            <dd>
              {valueIn(today.data, tile)}
              <span class="before">
                <span>yesterday {valueIn(yesterday.data, tile)}</span>
                <span>{changeOf(today.data?.[tile.name], yesterday.data?.[tile.name])}</span>
              </span>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

/** The maximum wait for upper sections, in milliseconds. */
const patienceMs = 2000

function useLate(): boolean {
  const [isLate, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), patienceMs)
    return () => clearTimeout(timer)
  }, [])
  return isLate
}

export function Overview() {
  const may = useMay()
  const [query, change] = useFilters()
  const sees = may(['analytics.view'])
  const workspace = useWorkspace()
  const [today, setToday] = useState<State>({ requests: 0, isBusy: sees })
  // Lower sections appear once the upper ones have their height, which avoids a layout shift.
  const [settled, setSettled] = useState({ steps: false, attention: false })
  const isLate = useLate()
  const by = query.get('group_by') ?? ''
  const range = { workspace_id: workspace, time_of_generation_min: since(1) }
  const filters = { ...range, interval: 'hour' }
  const named = useNames(sees && by !== '' ? by : null, range)
  return (
    <Page title="Overview" isBusy={today.isBusy}>
      {sees && <Tiles workspace={workspace} onState={setToday} />}
      <FirstSteps
        hasRequest={today.requests > 0}
        isKnown={!today.isBusy}
        onSettled={() => setSettled((now) => ({ ...now, steps: true }))}
      />
      <div class={settled.steps || isLate ? undefined : 'waits'}>
        <Attention onSettled={() => setSettled((now) => ({ ...now, attention: true }))} />
      </div>
      {sees && (
        <section class={(settled.steps && settled.attention) || isLate ? undefined : 'waits'}>
          <div class="head">
            <h2>By the hour</h2>
            <SelectField
              label="Stacked by"
              value={by}
              onChange={(group) => change({ group_by: group })}
              options={[
                ['', 'Nothing'],
                ['provider', 'Provider'],
                ['ai-models', 'Model'],
                ['api_key', 'Key'],
              ]}
            />
          </div>
          <div class="cards">
            {graphs
              .filter(({ name }) => shown.includes(name))
              .map((graph) => (
                <GraphCard key={`${graph.name} ${by}`} graph={graph} filters={filters} named={named} />
              ))}
          </div>
        </section>
      )}
    </Page>
  )
}
