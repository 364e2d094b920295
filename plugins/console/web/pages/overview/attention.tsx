/**
 * Lists what needs an operator's attention: open circuit breakers, exhausted limits (including those of providers), and
 * keys and providers that expire soon.
 */
import { useEffect, useState } from 'preact/hooks'
import { load, type Row, type Url, urlOf } from '../../api.ts'
import type { Item as ItemOf } from '../../api-types.ts'
import { Alert } from '../../parts/alert.tsx'
import { Badge, formatTime, StatusBadge, textOf } from '../../parts/cells.tsx'
import { groupText } from '../../parts/group-text.ts'
import { leftText } from '../../parts/left-text.ts'
import { useKeyNames } from '../../parts/object-names.ts'
import { Table } from '../../parts/table.tsx'
import { usagesOf, usageText } from '../../parts/usage-bars.tsx'
import { useQuery } from '../../query.tsx'
import { keyScopes } from '../../resources.ts'
import { Link, root } from '../../router.tsx'
import { useMay } from '../../session.tsx'

const dayMs = 86_400_000
const soonDays = 14
const most = 50

/** The days on which keys may expire, in the format of the API's filter. */
const days = Array.from({ length: soonDays + 1 }, (_, index) =>
  new Date(Date.now() + index * dayMs).toISOString().slice(0, 10),
).join(',')

interface Item {
  id: string
  name: string
  to: string | null
  kind: string
  status: string
  detail: string
}

const itemOf = (row: Row, { path, kind, detail }: { path: string; kind: string; detail: string }): Item => ({
  id: `${path}/${String(row.id)}`,
  name: textOf(row.name ?? row.slug ?? row.id),
  to: `${root}/${path}/${encodeURIComponent(String(row.id))}`,
  kind,
  status: textOf(row.status),
  detail,
})

const isSoon = ({ expires_at: end }: Row) =>
  typeof end === 'string' && Date.parse(end) < Date.now() + soonDays * dayMs

/** Describes exhausted limits and the expiry date. */
const endsOf = ({ usage_limits: limits, expires_at: end }: Row): string =>
  [
    ...usagesOf(limits)
      .filter(({ used, limit }) => used >= limit)
      .map(({ used, limit, type }) => `used ${usageText(used, limit, type)}`),
    ...(end === null || end === undefined
      ? []
      : [`${isPast(end) ? 'expired' : 'expires'} ${formatTime(end)}`]),
  ].join(', ')

const isPast = (time: unknown) => Date.parse(String(time)) <= Date.now()

type Health = ItemOf<'/v1/target-health'>

const targetOf = (row: Health) => ({
  name: [row.virtual_key === null ? row.provider : `@${textOf(row.virtual_key)}`, row.model]
    .map((one) => textOf(one))
    .join('/'),
  to: row.virtual_key === null ? null : `${root}/providers/${encodeURIComponent(textOf(row.virtual_key))}`,
})

const fullItem = (row: Health): Item => ({
  id: `full/${String(row.id)}`,
  ...targetOf(row),
  kind: 'Provider rate limit',
  status: 'exhausted',
  detail: `${leftText(row.limits)}, has room again ${formatTime(row.full_until)}`,
})

const breakerItem = (row: Health): Item => ({
  id: `target/${String(row.id)}`,
  ...targetOf(row),
  kind: 'Circuit breaker',
  status: textOf(row.state).replace('_', ' '),
  detail: [
    `${textOf(row.failures)} failures`,
    row.last_status === null ? '' : `last status ${textOf(row.last_status)}`,
    row.retry_at === null ? '' : `next try ${formatTime(row.retry_at)}`,
  ]
    .filter(Boolean)
    .join(', '),
})

/** Groups of the newest policies that have exhausted their limit; null while loading. */
function useExhaustedGroups(policies: readonly Row[] | null): readonly Item[] | null {
  const [items, setItems] = useState<readonly Item[] | null>(null)
  useEffect(() => {
    if (policies === null) return
    const control = new AbortController()
    const loading = policies.slice(0, 20).map(async (policy) => {
      const url = urlOf('/v1/policies/usage-limits/{id}/entities', {
        path: { id: policy.id },
        query: { status: 'exhausted', page_size: 5 },
      })
      const { data } = await load(url, { signal: control.signal })
      return data.map((row) => ({
        ...itemOf(policy, { path: 'policies', kind: 'Usage limit', detail: textOf(row.value_key) }),
        id: `group/${String(row.id)}`,
        status: 'exhausted',
      }))
    })
    void Promise.allSettled(loading).then((found) => {
      if (!control.signal.aborted)
        setItems(found.flatMap((one) => (one.status === 'fulfilled' ? one.value : [])))
    })
    return () => control.abort()
  }, [policies])
  return items
}

/** @param onSettled called once everything is loaded */
export function Attention({ onSettled }: { onSettled: () => void }) {
  const may = useMay()
  const list = <A,>(scopes: readonly string[], url: Url<A>) => useQuery(may(scopes) ? url : null)
  const over = { query: { status: 'exhausted,expired', page_size: most } }
  const targets = list(['providers.list'], urlOf('/v1/target-health', { query: { page_size: 1000 } }))
  const ended = list(keyScopes('list'), urlOf('/v1/api-keys', over))
  const ending = list(keyScopes('list'), urlOf('/v1/api-keys', { query: { due: days, page_size: most } }))
  const providers = list(['providers.list'], urlOf('/v1/providers', over))
  const policies = list(['policies.list'], urlOf('/v1/policies/usage-limits', { query: { page_size: 20 } }))
  const groups = useExhaustedGroups(policies.data?.data ?? null)
  const named = useKeyNames((groups ?? []).map(({ detail }) => detail))
  const asked = [targets, ended, ending, providers, policies]
  const items: readonly Item[] = [
    ...(targets.data?.data ?? []).filter(({ state }) => state !== 'closed').map(breakerItem),
    ...(targets.data?.data ?? []).filter((row) => row.full_until !== null).map(fullItem),
    ...(ended.data?.data ?? []).map((row) => itemOf(row, { path: 'keys', kind: 'Key', detail: endsOf(row) })),
    ...(providers.data?.data ?? []).map((row) =>
      itemOf(row, { path: 'providers', kind: 'Provider', detail: endsOf(row) }),
    ),
    ...(groups ?? []).map((item) => ({ ...item, detail: groupText(named(item.detail)) })),
    ...(ending.data?.data ?? [])
      .filter((row) => isSoon(row) && row.status === 'active')
      .map((row) => ({
        ...itemOf(row, { path: 'keys', kind: 'Key', detail: endsOf(row) }),
        status: 'expires soon',
      })),
  ]
  const fault = asked.find(({ error }) => error !== null)
  const isBusy = asked.some((one) => one.isBusy) || (policies.data !== null && groups === null)
  useEffect(() => {
    if (!isBusy) onSettled()
  }, [isBusy])
  if (asked.every(({ data, error }) => data === null && error === null) && !isBusy) return null
  return (
    <section aria-busy={isBusy ? 'true' : 'false'}>
      <h2>Needs attention</h2>
      {fault !== undefined && <Alert onRetry={fault.reload}>{fault.error?.message}</Alert>}
      {items.length === 0 && fault !== undefined ? null : items.length === 0 ? (
        <p class="note">
          {isBusy
            ? 'Checking…'
            : 'Nothing needs attention: all circuit breakers are closed, no limit is exhausted, and no key expires within two weeks.'}
        </p>
      ) : (
        <Table
          caption="Needs attention"
          rows={items}
          columns={[
            {
              name: 'name',
              label: 'Name',
              render: ({ name, to }) =>
                typeof to === 'string' ? <Link to={to}>{textOf(name)}</Link> : textOf(name),
            },
            { name: 'kind', label: 'Kind', render: ({ kind }) => textOf(kind) },
            {
              name: 'status',
              label: 'Status',
              render: ({ status }) =>
                status === 'open' ? <Badge tone="bad">open</Badge> : <StatusBadge value={status} />,
            },
            { name: 'detail', label: 'Detail', render: ({ detail }) => textOf(detail) },
          ]}
        />
      )}
    </section>
  )
}
