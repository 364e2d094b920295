/** Who is near the limit of a usage policy, and setting a group's use to zero. */
import { useState } from 'preact/hooks'
import { type ApiError, call, type List, type Row } from '../api.ts'
import { Alert } from '../parts/alert.tsx'
import { formatNumber, formatTime, StatusBadge, textOf } from '../parts/cells.tsx'
import { Table } from '../parts/table.tsx'
import { asApiError, useQuery } from '../query.tsx'
import { useMay } from '../session.tsx'
import type { ExtrasProps } from './extras.ts'

export function PolicyExtras({ row }: ExtrasProps) {
  const may = useMay()
  const path = `/v1/policies/usage-limits/${encodeURIComponent(String(row.id))}/entities`
  const entities = useQuery<List>(`${path}?page_size=100`)
  const [error, setError] = useState<ApiError | null>(null)
  const reset = async (entity: Row) => {
    setError(null)
    try {
      await call('PUT', `${path}/${encodeURIComponent(String(entity.id))}/reset`, {})
      entities.reload()
    } catch (fault) {
      setError(asApiError(fault))
    }
  }
  const shownError = error ?? entities.error
  const most = Number(row.credit_limit)
  return (
    <section aria-busy={entities.isBusy ? 'true' : 'false'}>
      <h2>Use by group</h2>
      {shownError !== null && <Alert>{shownError.message}</Alert>}
      <Table
        caption="Use by group"
        rows={entities.data?.data ?? []}
        empty="No request has counted yet."
        columns={[
          { name: 'value_key', label: 'Group', render: (one) => textOf(one.value_key) },
          {
            name: 'current_usage',
            label: 'Used',
            isNumber: true,
            render: (one) => `${formatNumber(one.current_usage)} of ${most.toLocaleString('en')}`,
          },
          { name: 'status', label: 'Status', render: (one) => <StatusBadge value={one.status} /> },
          { name: 'last_seen_at', label: 'Last seen', render: (one) => formatTime(one.last_seen_at) },
          {
            name: 'actions',
            label: 'Actions',
            render: (one) =>
              may(['policies.update']) && (
                <button type="button" onClick={() => void reset(one)}>
                  Reset
                </button>
              ),
          },
        ]}
      />
    </section>
  )
}
