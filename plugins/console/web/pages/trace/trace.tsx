/** A trace: its spans as a tree with time bars, and the feedback on it. */
import { urlOf } from '../../api.ts'
import type { Answer } from '../../api-types.ts'
import { Alert } from '../../parts/alert.tsx'
import { formatMs, formatTime, HttpStatus, textOf } from '../../parts/cells.tsx'
import { endpointText } from '../../parts/endpoint-text.ts'
import { Page } from '../../parts/page.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { type Column, emptyOf, Table } from '../../parts/table.tsx'
import { useQuery } from '../../query.tsx'
import { Link, root } from '../../router.tsx'
import { useMay } from '../../session.tsx'

type Span = Answer<'get', '/v1/traces/{traceId}'>['data'][number]

interface Placed {
  row: Span
  depth: number
}

/** Children follow their parents; a span with an unknown parent is a root. */
function treeOf(rows: readonly Span[]): Placed[] {
  const ids = new Set(rows.map(({ span_id: id }) => id))
  const placed: Placed[] = []
  const seen = new Set<Span>()
  const add = (row: Span, depth: number) => {
    if (seen.has(row)) return
    seen.add(row)
    placed.push({ row, depth })
    if (row.span_id === null) return
    for (const child of rows) if (child.parent_span_id === row.span_id) add(child, depth + 1)
  }
  for (const row of rows) if (row.parent_span_id === null || !ids.has(row.parent_span_id ?? null)) add(row, 0)
  for (const row of rows) add(row, 0)
  return placed
}

/** The time that all spans cover together, in milliseconds. */
interface Extent {
  from: number
  whole: number
}

function extentOf(rows: readonly Span[]): Extent {
  const starts = rows.map((row) => Date.parse(String(row.created_at)))
  const ends = rows.map((row, index) => (starts[index] ?? 0) + Number(row.response_time ?? 0))
  const from = Math.min(...starts)
  return { from, whole: Math.max(...ends) - from || 1 }
}

export function TracePage({ id }: { id: string }) {
  const { data, error, isBusy, reload } = useQuery(urlOf('/v1/traces/{traceId}', { path: { traceId: id } }))
  return (
    <Page title="Trace" isBusy={isBusy} error={error} onRetry={reload} scopes={['logs.list']}>
      <p class="about">
        <code>{id}</code>
      </p>
      <div class="beside">
        <section>
          <h2>Spans</h2>
          {data === null && isBusy && <Skeleton />}
          {data !== null && (
            <Table
              caption="Spans"
              rows={treeOf(data.data).map(({ row, depth }) => ({ ...row, depth }))}
              columns={[...spanColumns, timelineOf(extentOf(data.data))]}
            />
          )}
        </section>
        <TraceFeedback id={id} />
      </div>
    </Page>
  )
}

const spanColumns: readonly Column<Span & { depth: number }>[] = [
  {
    name: 'name',
    label: 'Span',
    render: (row) => (
      <span class={`depth d${Math.min(Number(row.depth), 6)}`}>
        <Link to={`${root}/logs/${String(row.id)}`}>
          {row.span_name ?? endpointText(textOf(row.endpoint_type))}
        </Link>
      </span>
    ),
  },
  {
    name: 'status',
    label: 'Status',
    render: (row) => <HttpStatus value={row.response_status_code} />,
  },
  {
    name: 'model',
    label: 'Model',
    render: (row) => textOf(row.ai_model ?? row.requested_model),
  },
  { name: 'time', label: 'Started', render: (row) => formatTime(row.created_at) },
  {
    name: 'latency',
    label: 'Latency',
    isNumber: true,
    render: (row) => formatMs(row.response_time),
  },
]

const timelineOf = ({ from, whole }: Extent): Column<Span> => ({
  name: 'bar',
  label: 'Timeline',
  render: (row) => (
    <svg
      class="span"
      viewBox="0 0 100 6"
      preserveAspectRatio="none"
      role="img"
      aria-label={formatMs(row.response_time)}
    >
      <rect
        class="s0"
        x={((Date.parse(String(row.created_at)) - from) / whole) * 100}
        width={Math.max((Number(row.response_time ?? 0) / whole) * 100, 0.5)}
        height={6}
      />
    </svg>
  ),
})

function TraceFeedback({ id }: { id: string }) {
  const may = useMay()
  const feedback = useQuery(
    may(['feedbacks.read']) ? urlOf('/v1/feedback', { query: { trace_id: id } }) : null,
  )
  return (
    <section>
      <h2>Feedback</h2>
      {feedback.error !== null && <Alert onRetry={feedback.reload}>{feedback.error.message}</Alert>}
      <Table
        caption="Feedback"
        rows={feedback.data?.data ?? []}
        empty={emptyOf(
          feedback,
          'There is no feedback for this trace. Applications send it with POST /v1/feedback.',
        )}
        columns={[
          { name: 'value', label: 'Value', render: (row) => textOf(row.value) },
          { name: 'weight', label: 'Weight', render: (row) => textOf(row.weight) },
          { name: 'metadata', label: 'Metadata', render: (row) => <code>{textOf(row.metadata)}</code> },
          { name: 'created_at', label: 'Time', render: (row) => formatTime(row.created_at) },
        ]}
      />
    </section>
  )
}
