/**
 * Shows where the last hour's requests would go with the config in the editor, and at what cost. The run of a saved
 * config is in the address: a link runs it again on the requests of the same hour.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { ApiError, Row } from '../../api.ts'
import { Alert } from '../../parts/alert.tsx'
import { formatCents, formatTime, textOf } from '../../parts/cells.tsx'
import { SelectField } from '../../parts/field.tsx'
import { useKeyNames } from '../../parts/object-names.ts'
import { Table } from '../../parts/table.tsx'
import { targetText } from '../../parts/target-text.ts'
import { asApiError } from '../../query.tsx'
import { Link, root, useFilters } from '../../router.tsx'
import {
  type Compared,
  calledText,
  costOf,
  mostRequests,
  reached,
  runLastHour,
  sumsOf,
  wentTo,
} from './last-hour.tsx'

interface Props {
  /** The config in the editor. */
  config: Row
  workspace: string | null
  /** The slug of a saved config. */
  slug: string | null
  /** Whether the config in the editor is the saved one. A link cannot contain a draft. */
  isSaved: boolean
}

interface Result {
  total: number
  compared: readonly Compared[]
  /** The draft that was run. */
  of: string
  ranAt: number
  until: number
}

/** Reads the end of the hour, an ISO time, from the address. */
const untilOf = (query: URLSearchParams): number | null => {
  const time = Date.parse(query.get('last_hour') ?? '')
  return Number.isNaN(time) ? null : time
}

export function LastHourPanel({ config, workspace, slug, isSaved }: Props) {
  const [query, change] = useFilters()
  const linked = slug === null ? null : untilOf(query)
  const [which, setWhich] = useState(query.get('last_hour_of') ?? '')
  const [result, setResult] = useState<Result | null>(null)
  const [progress, setProgress] = useState<string | null>(null)
  const [error, setError] = useState<ApiError | null>(null)
  const control = useRef<AbortController | null>(null)
  const isLinked = useRef(false)
  const of = JSON.stringify(config)
  const run = async (until: number) => {
    control.current?.abort()
    const current = new AbortController()
    const { signal } = current
    control.current = current
    setError(null)
    setProgress('Loading the requests…')
    try {
      const found = await runLastHour({
        config,
        workspace,
        slug: which === 'own' ? slug : null,
        until,
        signal,
        onProgress: (done, all) => setProgress(`${done} of ${all} requests`),
      })
      if (!signal.aborted) setResult({ ...found, of, ranAt: Date.now(), until })
    } catch (fault) {
      if (!signal.aborted) setError(asApiError(fault))
    }
    if (!signal.aborted) setProgress(null)
  }
  const start = () => {
    const now = Date.now()
    isLinked.current = false
    if (isSaved) change({ last_hour: new Date(now).toISOString(), last_hour_of: which })
    else {
      change({ last_hour: null, last_hour_of: null }, true)
      void run(now)
    }
  }
  useEffect(() => {
    if (linked !== null) {
      isLinked.current = true
      void run(linked)
    } else if (isLinked.current) setResult(null)
  }, [linked])
  // This effect comes after the one above, whose run it would otherwise stop.
  useEffect(() => () => control.current?.abort(), [])
  return (
    <section class="across" aria-busy={progress === null ? 'false' : 'true'}>
      <h2>Requests of the last hour</h2>
      <p class="about">
        Runs the config in the editor on the logged requests of the last hour, without a call to a provider:
        where each would go, and what its tokens would cost there. Of more than {mostRequests}, a sample from
        the whole hour is run.
      </p>
      <div class="filters few">
        {slug !== null && (
          <SelectField
            label="Requests"
            value={which}
            onChange={setWhich}
            options={[
              ['', 'Of the workspace'],
              ['own', 'Of this config'],
            ]}
          />
        )}
      </div>
      <div class="buttons">
        <button type="button" disabled={progress !== null} onClick={start}>
          Try on the last hour
        </button>
        <span role="status">
          {progress ?? (result !== null && result.of !== of ? 'The config has changed since.' : '')}
        </span>
      </div>
      {error !== null && <Alert onRetry={start}>{error.message}</Alert>}
      {result !== null && <Outcome key={result.ranAt} result={result} />}
    </section>
  )
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)

function Outcome({ result: { total, compared, until } }: { result: Result }) {
  const refused = compared.filter((one) => reached(one).length === 0)
  const priced = compared.filter((one) => one.log.cost_known !== false && costOf(one) !== null)
  const before = sum(priced.map(({ log }) => log.cost ?? 0))
  const after = sum(priced.map((one) => costOf(one) ?? 0))
  return (
    <>
      <p>
        {compared.length === 0
          ? 'There were no such requests in the last hour.'
          : `${sampleText(compared.length, total)} ${
              priced.length === 0
                ? 'Their prices are not known.'
                : `The ${priced.length} with known prices cost ${formatCents(before)}; with this config they would cost ${formatCents(after)}.`
            }`}
        {refused.length > 0 && ` ${refused.length} would be refused.`}
        {` The hour ended at ${formatTime(new Date(until).toISOString())}.`}
      </p>
      <Table
        caption="Where they would go"
        rows={sumsOf(compared)}
        empty="No request would reach a target."
        columns={[
          {
            name: 'target',
            label: 'Target',
            render: ({ path }) => <span title={path}>{targetText(path)}</span>,
          },
          { name: 'name', label: 'Calls', render: ({ name }) => name },
          {
            name: 'requests',
            label: 'Requests',
            isNumber: true,
            render: ({ requests }) => requests.toLocaleString('en', { maximumFractionDigits: 1 }),
          },
          {
            name: 'cost',
            label: 'Cost',
            isNumber: true,
            render: ({ cents, unpriced }) => (unpriced > 0 ? 'unknown' : formatCents(cents)),
          },
        ]}
      />
      <details>
        <summary>Each request</summary>
        <EachRequest compared={compared} />
      </details>
    </>
  )
}

const count = (number: number) => number.toLocaleString('en')

const sampleText = (run: number, total: number): string =>
  run >= total
    ? `All ${count(total)} requests of the last hour.`
    : `A sample of ${count(run)} of ${count(total)} requests, taken evenly from the last hour.`

const pageSize = 20

function EachRequest({ compared }: { compared: readonly Compared[] }) {
  const [page, setPage] = useState(0)
  const first = page * pageSize
  const rows = compared.slice(first, first + pageSize)
  const named = useKeyNames(rows.map(({ log }) => textOf(log.api_key_id)))
  return (
    <>
      <Table
        caption="Requests of the last hour"
        rows={rows.map((one) => ({ ...one, id: one.log.id }))}
        columns={[
          {
            name: 'time',
            label: 'Time',
            render: ({ log }) => <Link to={`${root}/logs/${log.id}`}>{formatTime(log.created_at)}</Link>,
          },
          { name: 'key', label: 'Key', render: ({ log }) => named(textOf(log.api_key_id)) },
          {
            name: 'metadata',
            label: 'Metadata',
            render: ({ log }) =>
              Object.entries(log.metadata ?? {})
                .map(([key, value]) => `${key}: ${value}`)
                .join(', ') || '–',
          },
          { name: 'went', label: 'Went to', render: wentTo },
          { name: 'would', label: 'Would go to', render: wouldGo },
          {
            name: 'cost',
            label: 'Cost',
            isNumber: true,
            render: ({ log }) => (log.cost_known === false ? 'unknown' : formatCents(log.cost)),
          },
          {
            name: 'would-cost',
            label: 'Would cost',
            isNumber: true,
            render: (one) => {
              const cents = costOf(one)
              return cents === null ? 'unknown' : formatCents(cents)
            },
          },
        ]}
      />
      {compared.length > pageSize && (
        <nav class="pager" aria-label="Pages of requests">
          <span>{`${first + 1}–${first + rows.length} of ${compared.length}`}</span>
          <button type="button" disabled={page === 0} onClick={() => setPage(page - 1)}>
            Previous
          </button>
          <button
            type="button"
            disabled={first + rows.length >= compared.length}
            onClick={() => setPage(page + 1)}
          >
            Next
          </button>
        </nav>
      )}
    </>
  )
}

function wouldGo(one: Compared): string {
  const targets = reached(one)
  if (targets.length === 0)
    return `Refused: ${one.reason || textOf(one.run?.targets[0]?.refusals[0]?.message)}`
  const [only] = targets
  if (only !== undefined && targets.length === 1) return calledText(only)
  return targets
    .map((target) => `${calledText(target)} (${Math.round(target.probability * 100)} %)`)
    .join(', ')
}
