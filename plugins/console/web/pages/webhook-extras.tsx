/** Deliveries of a webhook, a test, and sending one again. */
import { useState } from 'preact/hooks'
import { type ApiError, call, type List } from '../api.ts'
import { Alert } from '../parts/alert.tsx'
import { formatMs, formatNumber, formatTime, StatusBadge, textOf } from '../parts/cells.tsx'
import { Table } from '../parts/table.tsx'
import { asApiError, useQuery } from '../query.tsx'
import { useMay } from '../session.tsx'
import type { ExtrasProps } from './extras.ts'

export function WebhookExtras({ row }: ExtrasProps) {
  const may = useMay()
  const path = `/v1/webhooks/${encodeURIComponent(String(row.id))}`
  const deliveries = useQuery<List>(`${path}/deliveries?page_size=50`)
  const [error, setError] = useState<ApiError | null>(null)
  const [said, setSaid] = useState('')
  const run = async (to: string, done: string) => {
    setError(null)
    try {
      const answer = await call('POST', to, {})
      setSaid(
        answer.success === false
          ? `It was not taken: ${textOf(answer.error ?? answer.response_status)}`
          : done,
      )
      deliveries.reload()
    } catch (fault) {
      setError(asApiError(fault))
    }
  }
  const shownError = error ?? deliveries.error
  return (
    <section aria-busy={deliveries.isBusy ? 'true' : 'false'}>
      <h2>Deliveries</h2>
      {shownError !== null && <Alert>{shownError.message}</Alert>}
      {may(['webhooks.update']) && (
        <p>
          <button type="button" onClick={() => void run(`${path}/test`, 'A test event was sent.')}>
            Send a test
          </button>{' '}
          <span role="status">{said}</span>
        </p>
      )}
      <Table
        caption="Deliveries"
        rows={deliveries.data?.data ?? []}
        empty="Nothing was delivered yet."
        columns={[
          { name: 'created_at', label: 'Time', render: (one) => formatTime(one.created_at) },
          { name: 'type', label: 'Event', render: (one) => textOf(one.type ?? one.event_type) },
          { name: 'status', label: 'Status', render: (one) => <StatusBadge value={one.status} /> },
          {
            name: 'response',
            label: 'Answer',
            render: (one) => textOf(one.response_status_code ?? one.response_status ?? one.error),
          },
          { name: 'attempt', label: 'Attempts', isNumber: true, render: (one) => formatNumber(one.attempt) },
          { name: 'took', label: 'Took', isNumber: true, render: (one) => formatMs(one.duration_ms) },
          {
            name: 'actions',
            label: 'Actions',
            render: (one) =>
              may(['webhooks.update']) && (
                <button
                  type="button"
                  onClick={() =>
                    void run(
                      `${path}/deliveries/${encodeURIComponent(String(one.id))}/redeliver`,
                      'Sent again.',
                    )
                  }
                >
                  Redeliver
                </button>
              ),
          },
        ]}
      />
    </section>
  )
}
