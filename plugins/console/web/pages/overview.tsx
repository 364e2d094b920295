/** Today against yesterday, what needs attention, and how to begin. */
import { type Json, type List, type Row, withQuery } from '../api.ts'
import { formatCents, formatMs, formatNumber, StatusBadge, textOf } from '../parts/cells.tsx'
import { Chart } from '../parts/chart.tsx'
import { CopyButton } from '../parts/copy.tsx'
import { Page } from '../parts/page.tsx'
import { Table } from '../parts/table.tsx'
import { useQuery } from '../query.tsx'
import { Link, root } from '../router.tsx'
import { useMay } from '../session.tsx'

const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

const since = (back: number) =>
  new Date(Math.floor(Date.now() / minuteMs) * minuteMs - back * dayMs).toISOString()

const summaryPath = (from: number, to: number | null) =>
  withQuery('/v1/analytics/summary', {
    time_of_generation_min: since(from),
    time_of_generation_max: to === null ? null : since(to),
  })

export function pointsOf(row: Row | null): Row[] {
  const points: Json = row?.data_points ?? []
  return Array.isArray(points)
    ? points.filter((one): one is Row => typeof one === 'object' && one !== null && !Array.isArray(one))
    : []
}

const facts: readonly { name: string; label: string; format: (value: Json | undefined) => string }[] = [
  { name: 'requests', label: 'Requests', format: formatNumber },
  { name: 'error_count', label: 'Errors', format: formatNumber },
  { name: 'cost', label: 'Cost', format: formatCents },
  { name: 'p95_latency', label: 'p95 latency', format: formatMs },
]

export function Overview() {
  const may = useMay()
  const sees = may(['analytics.view'])
  const today = useQuery<Row>(sees ? summaryPath(1, null) : null)
  const yesterday = useQuery<Row>(sees ? summaryPath(2, 1) : null)
  const graph = useQuery<Row>(
    sees
      ? withQuery('/v1/analytics/graphs/requests', { time_of_generation_min: since(1), interval: 'hour' })
      : null,
  )
  const keys = useQuery<List>(
    may([
      'workspace_service_api_keys.list',
      'organisation_service_api_keys.list',
      'workspace_user_api_keys.list',
    ])
      ? '/v1/api-keys?page_size=100'
      : null,
  )
  const policies = useQuery<List>(may(['policies.list']) ? '/v1/policies/usage-limits?page_size=100' : null)
  const providers = useQuery<List>(may(['providers.list']) ? '/v1/providers?page_size=5' : null)
  const points = pointsOf(graph.data)
  const isBusy = [today, yesterday, graph, keys, policies, providers].some((one) => one.isBusy)
  return (
    <Page title="Overview" isBusy={isBusy} error={today.error} onRetry={today.reload}>
      {sees && (
        <>
          <dl class="tiles">
            {facts.map(({ name, label, format }) => (
              <div key={name}>
                <dt>{label}, last 24 hours</dt>
                <dd>
                  {format(today.data?.[name])}
                  <span class="before">before: {format(yesterday.data?.[name])}</span>
                </dd>
              </div>
            ))}
          </dl>
          <Chart
            title="Requests by hour"
            labels={points.map((point) => hourOf(point.timestamp))}
            series={[{ name: 'Requests', values: points.map((point) => Number(point.total ?? 0)) }]}
            format={(value) => value.toLocaleString('en')}
          />
        </>
      )}
      <Attention keys={keys.data} policies={policies.data} />
      <Checklist
        hasProvider={(providers.data?.total ?? 0) > 0}
        hasKey={(keys.data?.total ?? 0) > 0}
        hasRequest={Number(today.data?.requests ?? 0) > 0}
        slug={textOf(providers.data?.data[0]?.slug ?? 'SLUG')}
      />
    </Page>
  )
}

const hourOf = (value: Json | undefined) =>
  new Date(String(value)).toLocaleString([], {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  })

const expiringMs = 14 * dayMs

/** Keys that expire soon or are exhausted, and policies that are. */
function Attention({ keys, policies }: { keys: List | null; policies: List | null }) {
  const soon = new Date(Date.now() + expiringMs).toISOString()
  const rows: Row[] = [
    ...(keys?.data ?? [])
      .filter(
        ({ status, expires_at: end }) =>
          status === 'exhausted' || status === 'expired' || (typeof end === 'string' && end < soon),
      )
      .map((row) => ({ ...row, kind: 'Key', to: `keys/${String(row.id)}` })),
    ...(policies?.data ?? [])
      .filter(({ status }) => status === 'exhausted')
      .map((row) => ({ ...row, kind: 'Policy', to: `policies/${String(row.id)}` })),
  ]
  return (
    <section>
      <h2>Needs attention</h2>
      <Table
        caption="Needs attention"
        rows={rows}
        empty="No key expires within two weeks, and no limit is exhausted."
        columns={[
          {
            name: 'name',
            label: 'Name',
            render: (row) => <Link to={`${root}/${String(row.to)}`}>{textOf(row.name ?? row.id)}</Link>,
          },
          { name: 'kind', label: 'Kind', render: (row) => textOf(row.kind) },
          { name: 'status', label: 'Status', render: (row) => <StatusBadge value={row.status} /> },
          { name: 'expires_at', label: 'Expires', render: (row) => textOf(row.expires_at) },
        ]}
      />
    </section>
  )
}

interface ChecklistProps {
  hasProvider: boolean
  hasKey: boolean
  hasRequest: boolean
  slug: string
}

function Checklist({ hasProvider, hasKey, hasRequest, slug }: ChecklistProps) {
  const may = useMay()
  if (!may(['providers.create']) || (hasProvider && hasKey && hasRequest)) return null
  const command = [
    `curl ${location.origin}/v1/chat/completions \\`,
    `  -H "authorization: Bearer $GATEWAY_KEY" -H 'content-type: application/json' \\`,
    `  -d '{"model": "@${slug}/MODEL", "messages": [{"role": "user", "content": "hello"}]}'`,
  ].join('\n')
  const mark = (isDone: boolean) => (isDone ? 'Done: ' : 'To do: ')
  return (
    <section>
      <h2>First steps</h2>
      <ol class="steps">
        <li>
          {mark(hasProvider)}
          <Link to={`${root}/providers/new`}>Connect a provider</Link>
        </li>
        <li>
          {mark(hasKey)}
          <Link to={`${root}/keys`}>Make a key for an application</Link>
        </li>
        <li>
          {mark(hasRequest)}send a request, with the key as GATEWAY_KEY:
          <pre class="body" tabIndex={0} role="region" aria-label="First request">
            {command}
          </pre>
          <CopyButton text={command} />
        </li>
        <li>
          <Link to={`${root}/logs`}>Read it in the logs</Link>
        </li>
      </ol>
    </section>
  )
}
