/** One request: what was asked and answered, by which attempts, under which guardrails, for how much. */
import type { Json, Row } from '../api.ts'
import {
  Facts,
  formatCents,
  formatMs,
  formatNumber,
  formatTime,
  HttpStatus,
  textOf,
} from '../parts/cells.tsx'
import { CopyButton } from '../parts/copy.tsx'
import { curlOf } from '../parts/curl.ts'
import { Page } from '../parts/page.tsx'
import { Table } from '../parts/table.tsx'
import { useQuery } from '../query.tsx'
import { Link, root } from '../router.tsx'
import { playgroundStart } from './playground-start.ts'

/** Longer bodies are cut on the screen; copying takes all of it. */
const shownCharacters = 100_000

const rowOf = (value: Json | undefined): Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
const rowsOf = (value: Json | undefined): Row[] => (Array.isArray(value) ? value.map(rowOf) : [])

export function LogEntryPage({ id }: { id: string }) {
  const { data, error, isBusy, reload } = useQuery<Row>(`/v1/logs/${encodeURIComponent(id)}`)
  const request = rowOf(data?.request)
  return (
    <Page
      title="Log entry"
      isBusy={isBusy}
      error={error}
      onRetry={reload}
      scopes={['logs.view']}
      actions={
        data !== null && (
          <>
            <CopyButton
              text={curlOf(String(request.url ?? data.request_url), request.body ?? null)}
              label="Copy as curl"
            />
            <button type="button" onClick={() => playgroundStart(request.body ?? null)}>
              To playground
            </button>
          </>
        )
      }
    >
      {data !== null && <Entry row={data} />}
    </Page>
  )
}

function Entry({ row }: { row: Row }) {
  const request = rowOf(row.request)
  const response = rowOf(row.response)
  const attempts = rowsOf(row.attempts)
  return (
    <>
      <Facts
        rows={[
          ['Id', <code>{textOf(row.id)}</code>],
          ['Time', formatTime(row.created_at)],
          ['Status', <HttpStatus value={row.response_status_code} />],
          ['Model', textOf(row.ai_model ?? row.requested_model)],
          ['Provider', textOf(row.provider ?? row.ai_org)],
          ['Config', textOf(row.config)],
          ['Tokens', `${formatNumber(row.req_units)} in, ${formatNumber(row.res_units)} out`],
          ['Cost', row.cost_known === false ? 'unknown' : formatCents(row.cost)],
          ['Latency', formatMs(row.response_time)],
          ['First token', formatMs(row.time_to_first_token)],
          ['Provider’s time', formatMs(row.upstream_time)],
          ['Gateway’s time', formatMs(row.gateway_time)],
          ['Cache', textOf(row.cache_status)],
          [
            'Trace',
            <Link to={`${root}/traces/${encodeURIComponent(String(row.trace_id))}`}>
              {textOf(row.trace_id)}
            </Link>,
          ],
          ['Metadata', <code>{textOf(row.metadata)}</code>],
        ]}
      />
      <section>
        <h2>Attempts</h2>
        <Table
          caption="Attempts"
          rows={attempts}
          empty="No attempt was made."
          columns={[
            { name: 'path', label: 'Target', render: (one) => <code>{textOf(one.path)}</code> },
            { name: 'provider', label: 'Provider', render: (one) => textOf(one.provider) },
            { name: 'model', label: 'Model', render: (one) => textOf(one.model) },
            { name: 'status', label: 'Status', render: (one) => <HttpStatus value={one.status} /> },
            { name: 'fault', label: 'Fault', render: (one) => textOf(one.fault) },
            { name: 'reason', label: 'Reason', render: (one) => textOf(one.reason) },
            { name: 'duration', label: 'Time', isNumber: true, render: (one) => formatMs(one.duration_ms) },
          ]}
        />
        <Waterfall attempts={attempts} total={Number(row.response_time ?? 0)} />
      </section>
      {row.hook_results !== null && <Body title="Guardrails" value={row.hook_results} />}
      {row.decisions !== null && <Body title="Decisions" value={row.decisions} />}
      <Body title="Request" value={request.body} />
      <Body title="Request headers" value={request.headers} />
      <Body title="Answer" value={response.body} />
      <Body title="Answer headers" value={response.headers} />
    </>
  )
}

/** Attempts one after the other, as long as they took. */
function Waterfall({ attempts, total }: { attempts: readonly Row[]; total: number }) {
  const sum = attempts.reduce((time, one) => time + Number(one.duration_ms ?? 0), 0)
  const whole = Math.max(total, sum, 1)
  let from = 0
  return (
    <svg
      class="waterfall"
      viewBox={`0 0 100 ${Math.max(attempts.length, 1) * 5}`}
      role="img"
      aria-label="Time of attempts"
      preserveAspectRatio="none"
    >
      {attempts.map((one, index) => {
        const start = from
        const time = Number(one.duration_ms ?? 0)
        from += time
        const isGood = typeof one.status === 'number' && one.status < 400
        return (
          <rect
            key={index}
            class={isGood ? 's0' : 's3'}
            x={(start / whole) * 100}
            y={index * 5 + 1}
            width={Math.max((time / whole) * 100, 0.4)}
            height={3}
          />
        )
      })}
    </svg>
  )
}

function Body({ title, value }: { title: string; value: Json | undefined }) {
  if (value === undefined || value === null) return null
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  return (
    <section>
      <div class="head">
        <h2>{title}</h2>
        <CopyButton text={text} />
      </div>
      <pre class="body" tabIndex={0} role="region" aria-label={title}>
        {text.slice(0, shownCharacters)}
      </pre>
      {text.length > shownCharacters && (
        <p>
          The first {shownCharacters.toLocaleString('en')} of {text.length.toLocaleString('en')} characters;
          Copy takes all.
        </p>
      )}
    </section>
  )
}
