/** The usage limits of keys, workspaces, providers and policies, with their forecasts. */
import { useEffect, useState } from 'preact/hooks'
import { type ApiError, load, type Row, type Url, urlOf } from '../../api.ts'
import { rowsOf } from '../../json.ts'
import { textOf } from '../../parts/cells.tsx'
import { type Forecast, forecastOf, type Limit } from '../../parts/forecast.ts'
import { asApiError } from '../../query.tsx'
import { keyScopes } from '../../resources.ts'
import { root } from '../../router.tsx'
import { useMay } from '../../session.tsx'

export interface Budget {
  id: string
  kind: 'Key' | 'Workspace' | 'Provider' | 'Policy'
  name: string
  to: string
  type: 'cost' | 'tokens' | 'requests'
  used: number
  limit: number
  threshold: number | null
  resetsAt: string | null
  forecast: Forecast
}

interface Budgets {
  found: readonly Budget[]
  error: ApiError | null
  isBusy: boolean
  /** Describes omitted budgets; null if there are none. */
  note: string | null
  reload: () => void
}

const pageSize = 200
/** The maximum number of pages per kind, newest objects first. */
const mostPages = 10
/** The maximum number of policies whose groups are loaded, with one request per policy. */
const mostPolicies = 50
const mostGroups = 100

interface List {
  data: readonly Row[]
  total: number
}

interface Paging {
  page_size: number
  current_page: number
}

/** Loads all pages, up to a limit. */
async function allOf(page: (number: number) => Url<List>, signal: AbortSignal): Promise<List> {
  const rows: Row[] = []
  for (let number = 0; ; number++) {
    const { data, total } = await load(page(number), { signal })
    rows.push(...data)
    if (data.length < pageSize || number + 1 >= mostPages) return { data: rows, total }
  }
}

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0)
const timeOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)

interface Source {
  id: string
  kind: Budget['kind']
  name: string
  to: string
  createdAt: unknown
}

/** @param limit a limit of any kind of object, or a policy */
function budgetOf(source: Source, limit: Row, { used, nowMs }: { used: number; nowMs: number }): Budget {
  const { credit_limit: most, type, alert_threshold: threshold, periodic_reset: period } = limit
  const facts: Limit = {
    used,
    limit: numberOf(most),
    resetsAt: timeOf(limit.next_usage_reset_at),
    resetAt: timeOf(limit.last_reset_at),
    createdAt: timeOf(source.createdAt) ?? new Date(nowMs).toISOString(),
    days: typeof limit.periodic_reset_days === 'number' ? limit.periodic_reset_days : null,
    period: period === 'weekly' || period === 'monthly' ? period : null,
  }
  return {
    id: source.id,
    kind: source.kind,
    name: source.name,
    to: source.to,
    type: type === 'tokens' || type === 'requests' ? type : 'cost',
    used,
    limit: facts.limit,
    threshold: typeof threshold === 'number' ? threshold : null,
    resetsAt: facts.resetsAt,
    forecast: forecastOf(facts, nowMs),
  }
}

interface BudgetsInOptions {
  kind: Budget['kind']
  path: string
  nowMs: number
}

/** Creates one budget for each limit of each object. */
const budgetsIn = (rows: readonly Row[], { kind, path, nowMs }: BudgetsInOptions): Budget[] =>
  rows.flatMap((row) => {
    const { usage_limits: limits } = row
    return rowsOf(Array.isArray(limits) ? limits : [limits])
      .filter(({ credit_limit: limit }) => typeof limit === 'number')
      .map((limit, index) =>
        budgetOf(
          {
            id: `${path}/${String(row.id)}/${index}`,
            kind,
            name: textOf(row.name ?? row.slug ?? row.id),
            to: `${root}/${path}/${encodeURIComponent(String(row.id))}`,
            createdAt: row.created_at,
          },
          limit,
          { used: numberOf(limit.current_usage), nowMs },
        ),
      )
  })

/** Creates one budget for each group of each policy. A group without usage is unknown. */
async function policyBudgets(
  policies: readonly Row[],
  nowMs: number,
  signal: AbortSignal,
): Promise<Budget[]> {
  const found = await Promise.all(
    policies.slice(0, mostPolicies).map(async (policy) => {
      const url = urlOf('/v1/policies/usage-limits/{id}/entities', {
        path: { id: policy.id },
        query: { page_size: mostGroups },
      })
      const { data } = await load(url, { signal })
      return data.map((group) =>
        budgetOf(
          {
            id: `policies/${String(policy.id)}/${group.id}`,
            kind: 'Policy',
            name: `${textOf(policy.name ?? policy.id)}: ${textOf(group.value_key)}`,
            to: `${root}/policies/${encodeURIComponent(String(policy.id))}`,
            createdAt: policy.created_at,
          },
          policy,
          { used: group.current_usage, nowMs },
        ),
      )
    }),
  )
  return found.flat()
}

const cutText = (lists: readonly List[]): string | null =>
  lists.some(({ data, total }) => data.length < total)
    ? `Only the newest ${(pageSize * mostPages).toLocaleString('en')} of each kind are considered.`
    : null

export function useBudgets(workspace: string | null): Budgets {
  const may = useMay()
  const [count, setCount] = useState(0)
  const [state, setState] = useState<Omit<Budgets, 'reload'>>({
    found: [],
    error: null,
    isBusy: true,
    note: null,
  })
  useEffect(() => {
    const { signal, abort } = controlOf()
    const nowMs = Date.now()
    const none: List = { data: [], total: 0 }
    const own = { workspace_id: workspace }
    const list = (scopes: readonly string[], page: (paging: Paging) => Url<List>) =>
      may(scopes)
        ? allOf((number) => page({ page_size: pageSize, current_page: number }), signal)
        : Promise.resolve(none)
    const run = async () => {
      setState((old) => ({ ...old, isBusy: true, error: null }))
      const [keys, workspaces, providers, policies] = await Promise.all([
        list(keyScopes('list'), (paging) => urlOf('/v1/api-keys', { query: { ...own, ...paging } })),
        list(['workspaces.list'], (query) => urlOf('/v1/workspaces', { query })),
        list(['providers.list'], (paging) => urlOf('/v1/providers', { query: { ...own, ...paging } })),
        list(['policies.list'], (paging) =>
          urlOf('/v1/policies/usage-limits', { query: { ...own, ...paging } }),
        ),
      ])
      const ownWorkspaces = workspaces.data.filter(({ slug }) => workspace === null || slug === workspace)
      const found = [
        ...budgetsIn(keys.data, { kind: 'Key', path: 'keys', nowMs }),
        ...budgetsIn(ownWorkspaces, { kind: 'Workspace', path: 'workspaces', nowMs }),
        ...budgetsIn(providers.data, { kind: 'Provider', path: 'providers', nowMs }),
        ...(await policyBudgets(policies.data, nowMs, signal)),
      ]
      setState({ found, error: null, isBusy: false, note: cutText([keys, workspaces, providers, policies]) })
    }
    run().catch((fault: unknown) => {
      if (!signal.aborted) setState((old) => ({ ...old, isBusy: false, error: asApiError(fault) }))
    })
    return abort
  }, [workspace, count])
  return { ...state, reload: () => setCount((old) => old + 1) }
}

function controlOf(): { signal: AbortSignal; abort: () => void } {
  const control = new AbortController()
  return { signal: control.signal, abort: () => control.abort() }
}
