/** The errors of a time range by cause: how many there are, the first and the last one. */
import { useId } from 'preact/hooks'
import { urlOf } from '../../api.ts'
import type { Item } from '../../api-types.ts'
import { Alert } from '../../parts/alert.tsx'
import { formatNumber, formatTime, HttpStatus } from '../../parts/cells.tsx'
import { attemptError } from '../../parts/log-cause.ts'
import { Skeleton } from '../../parts/skeleton.tsx'
import { Table } from '../../parts/table.tsx'
import { useQuery } from '../../query.tsx'
import { Link } from '../../router.tsx'

/** The maximum number of groups, which the API limits. */
const most = 1_000

type Found = Item<'/v1/logs/error-groups'>

interface Group {
  id: string
  status: number | null
  cause: string
  count: number
  first: string
  last: string
  /** Filters for the requests of the group. */
  filters: Readonly<Record<string, string>>
}

/** Identifies who answered with the error: a provider's model, or the gateway before any call. */
function groupOf(row: Found): Pick<Group, 'id' | 'status' | 'cause' | 'filters'> {
  const {
    status_code: status,
    error_code: code,
    ai_org: organisation,
    ai_model: model,
    endpoint_type: endpoint,
  } = row
  const isCalled = organisation !== null
  const target = isCalled ? [organisation, model].filter((one) => one !== null).join('/') : null
  const error = attemptError({ status })
  const happened = target === null ? `The gateway ${error} before any call` : `${target} ${error}`
  const cause = status === 446 ? 'A guardrail denied it' : `${happened}${code === null ? '' : `: ${code}`}`
  return {
    id: `${status} ${code} ${target}`,
    status,
    cause,
    filters: {
      ...(status === null ? {} : { status_code: String(status) }),
      ...(code === null ? {} : { error_code: code }),
      ...(model !== null && isCalled ? { ai_model: model } : {}),
      ...(isCalled || endpoint === null ? {} : { endpoint_type: endpoint }),
    },
  }
}

/** Groups errors by cause across endpoints, the most frequent first. */
function groupErrors(rows: readonly Found[]): Group[] {
  const groups = new Map<string, Group>()
  for (const row of rows) {
    const own = groupOf(row)
    const { requests, first_seen: first, last_seen: last } = row
    const known = groups.get(own.id) ?? { ...own, count: 0, first, last }
    groups.set(own.id, {
      ...known,
      count: known.count + requests,
      first: first < known.first ? first : known.first,
      last: last > known.last ? last : known.last,
    })
  }
  return [...groups.values()].sort((one, other) => other.count - one.count)
}

interface Props {
  /** The filters of the list, without its page and order. */
  filters: Readonly<Record<string, string | null>>
  /** Returns the address of the list with other filters. */
  linkOf: (filters: Readonly<Record<string, string>>) => string
}

export function ErrorGroups({ filters, linkOf }: Props) {
  const id = useId()
  const { data, error, isBusy, reload } = useQuery(
    urlOf('/v1/logs/error-groups', { query: { ...filters, page_size: most } }),
  )
  const groups = groupErrors(data?.data ?? [])
  return (
    <section aria-busy={isBusy ? 'true' : 'false'} aria-labelledby={id}>
      <h2 id={id}>Errors by cause</h2>
      {error !== null && <Alert onRetry={reload}>{error.message}</Alert>}
      {data === null && isBusy && <Skeleton />}
      {data !== null && (
        <Table
          caption="Errors by cause"
          rows={groups}
          empty="No request failed in this time range."
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
          The most frequent {formatNumber(most)} of {formatNumber(data.total)} causes.
        </p>
      )}
    </section>
  )
}
