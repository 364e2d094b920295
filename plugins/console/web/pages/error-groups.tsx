/** The errors of a time range by their cause: how many, since when, and until when. */
import { useId } from 'preact/hooks'
import { type Row, urlOf } from '../api.ts'
import { Alert } from '../parts/alert.tsx'
import { formatNumber, formatTime, HttpStatus } from '../parts/cells.tsx'
import { attemptError } from '../parts/log-cause.ts'
import { Table } from '../parts/table.tsx'
import { useQuery } from '../query.tsx'
import { Link } from '../router.tsx'

/** The newest errors; the API gives at most so many at once. */
const most = 1_000

interface Group {
  id: string
  status: number | null
  cause: string
  count: number
  first: string
  last: string
  /** The filters that find its requests. */
  filters: Readonly<Record<string, string>>
}

/** Who answered with the error: a provider's model, or the gateway before any call. */
function groupOf(row: Row): Pick<Group, 'id' | 'status' | 'cause' | 'filters'> {
  const { response_status_code: code, ai_org: organisation, ai_model: model, endpoint_type: endpoint } = row
  const status = typeof code === 'number' ? code : null
  const isCalled = typeof organisation === 'string'
  const target = isCalled ? [organisation, model].filter((one) => typeof one === 'string').join('/') : null
  const error = attemptError({ status })
  const cause =
    status === 446
      ? 'A guardrail denied it'
      : target === null
        ? `The gateway ${error} before any call`
        : `${target} ${error}`
  return {
    id: `${status} ${target}`,
    status,
    cause,
    filters: {
      ...(status === null ? {} : { status_code: String(status) }),
      ...(typeof model === 'string' && isCalled ? { ai_model: model } : {}),
      ...(isCalled || typeof endpoint !== 'string' ? {} : { endpoint_type: endpoint }),
    },
  }
}

/** @param rows newest first. The most frequent cause comes first */
function groupErrors(rows: readonly Row[]): Group[] {
  const groups = new Map<string, Group>()
  for (const row of rows) {
    const own = groupOf(row)
    const time = String(row.created_at)
    const known = groups.get(own.id)
    groups.set(
      own.id,
      known === undefined
        ? { ...own, count: 1, first: time, last: time }
        : { ...known, count: known.count + 1, first: time },
    )
  }
  return [...groups.values()].sort((one, other) => other.count - one.count)
}

interface Props {
  /** Of the list, without its page and order. */
  filters: Readonly<Record<string, string | null>>
  /** The address of the list with other filters. */
  linkOf: (filters: Readonly<Record<string, string>>) => string
}

export function ErrorGroups({ filters, linkOf }: Props) {
  const id = useId()
  const { data, error, isBusy, reload } = useQuery(
    urlOf('/v1/logs', { query: { ...filters, status_code_min: 400, page_size: most } }),
  )
  const groups = groupErrors(data?.data ?? [])
  return (
    <section aria-busy={isBusy ? 'true' : 'false'} aria-labelledby={id}>
      <h2 id={id}>Errors by cause</h2>
      {error !== null && <Alert onRetry={reload}>{error.message}</Alert>}
      {data !== null && (
        <Table
          caption="Errors by cause"
          rows={groups}
          empty="No request failed."
          columns={[
            {
              name: 'cause',
              label: 'Cause',
              render: ({ cause, filters: own }) => <Link to={linkOf(own)}>{cause}</Link>,
            },
            { name: 'status', label: 'Status', render: ({ status }) => <HttpStatus value={status} /> },
            { name: 'count', label: 'Requests', isNumber: true, render: ({ count }) => formatNumber(count) },
            { name: 'first', label: 'First seen', render: ({ first }) => formatTime(first) },
            { name: 'last', label: 'Last seen', render: ({ last }) => formatTime(last) },
          ]}
        />
      )}
      {data !== null && data.total > most && (
        <p class="note">
          Of the newest {formatNumber(most)} of {formatNumber(data.total)} errors.
        </p>
      )}
    </section>
  )
}
