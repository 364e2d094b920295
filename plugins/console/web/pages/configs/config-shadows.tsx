/** The shadows that a config declares, and the running replays with their pairs. */
import { type Row, urlOf } from '../../api.ts'
import { Alert } from '../../parts/alert.tsx'
import { formatAmount, formatCents, formatNumber, textOf } from '../../parts/cells.tsx'
import { configText, shadowsOf } from '../../parts/config-text.ts'
import { Table } from '../../parts/table.tsx'
import { targetText } from '../../parts/target-text.ts'
import { useQuery } from '../../query.tsx'
import { Link, root } from '../../router.tsx'
import { useMay } from '../../session.tsx'

/** The maximum number of running replays that are loaded; there are few. */
const most = 200

export function ConfigShadows({ row }: { row: Row }) {
  const may = useMay()
  const shadows = shadowsOf(row.config)
  const running = useQuery(
    shadows.length > 0 && may(['replays.list'])
      ? urlOf('/v1/replays', { query: { status: 'running', page_size: most } })
      : null,
  )
  if (shadows.length === 0) return null
  const replays = running.data?.data ?? []
  const of = (path: string) =>
    replays.find(({ shadow }) => shadow?.config === row.slug && shadow?.path === path)
  return (
    <section class="across">
      <h2>Shadow</h2>
      <p class="about">Part of the live requests also runs against another config, after their answers.</p>
      {running.error !== null && <Alert onRetry={running.reload}>{running.error.message}</Alert>}
      <Table
        caption="Shadows"
        rows={shadows}
        columns={[
          { name: 'path', label: 'Of', render: ({ path }) => <span title={path}>{targetText(path)}</span> },
          { name: 'config', label: 'Candidate', render: ({ shadow }) => configText(shadow.config) },
          {
            name: 'sample',
            label: 'Sample',
            isNumber: true,
            render: ({ shadow }) => `${textOf(shadow.sample_percent ?? 100)}%`,
          },
          {
            name: 'budget',
            label: 'Budget a day',
            isNumber: true,
            render: ({ shadow }) => formatAmount(shadow.budget_per_day, 'cost'),
          },
          {
            name: 'pairs',
            label: 'Pairs',
            isNumber: true,
            render: ({ path }) => formatNumber(of(path)?.counts.completed ?? 0),
          },
          {
            name: 'cost',
            label: 'Cost so far',
            isNumber: true,
            render: ({ path }) => formatCents(of(path)?.cost ?? 0),
          },
          {
            name: 'report',
            label: 'Report',
            render: ({ path }) => {
              const found = of(path)
              return found === undefined ? (
                'no pair yet'
              ) : (
                <Link to={`${root}/replays/${encodeURIComponent(found.id)}`}>Open the report</Link>
              )
            },
          },
        ]}
      />
    </section>
  )
}
