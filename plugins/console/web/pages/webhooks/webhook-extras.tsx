/** Deliveries of a webhook, a test delivery, and repeating a delivery. */
import { useState } from 'preact/hooks'
import { type ApiError, call, urlOf } from '../../api.ts'
import { Alert } from '../../parts/alert.tsx'
import { formatMs, formatNumber, formatTime, StatusBadge, textOf } from '../../parts/cells.tsx'
import { Table } from '../../parts/table.tsx'
import { asApiError, useQuery } from '../../query.tsx'
import { useMay } from '../../session.tsx'
import type { ExtrasProps } from '../objects/extras.ts'

export function WebhookExtras({ row }: ExtrasProps) {
  const may = useMay()
  const { id } = row
  const deliveries = useQuery(
    urlOf('/v1/webhooks/{id}/deliveries', { path: { id }, query: { page_size: 50 } }),
  )
  const [error, setError] = useState<ApiError | null>(null)
  const [said, setSaid] = useState('')
  const run = async (work: () => Promise<string>) => {
    setError(null)
    try {
      setSaid(await work())
      deliveries.reload()
    } catch (fault) {
      setError(asApiError(fault))
    }
  }
  const test = async () => {
    const answer = await call('POST', '/v1/webhooks/{id}/test', { path: { id } })
    return answer.success
      ? 'A test event was sent.'
      : `The test event was not accepted: ${textOf(answer.error ?? answer.response_status)}`
  }
  const shownError = error ?? deliveries.error
  return (
    <section aria-busy={deliveries.isBusy ? 'true' : 'false'}>
      <h2>Deliveries</h2>
      {shownError !== null && <Alert>{shownError.message}</Alert>}
      {may(['webhooks.update']) && (
        <p>
          <button type="button" onClick={() => void run(test)}>
            Send a test
          </button>{' '}
          <span role="status">{said}</span>
        </p>
      )}
      <Table
        caption="Deliveries"
        rows={deliveries.data?.data ?? []}
        empty="Nothing has been delivered yet. Send a test to try the webhook."
        columns={[
          { name: 'created_at', label: 'Time', render: (one) => formatTime(one.created_at) },
          { name: 'type', label: 'Event', render: (one) => one.type },
          { name: 'status', label: 'Status', render: (one) => <StatusBadge value={one.status} /> },
          {
            name: 'response',
            label: 'Response',
            render: (one) => textOf(one.response_status ?? one.error),
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
                    void run(async () => {
                      await call('POST', '/v1/webhooks/{id}/deliveries/{deliveryId}/redeliver', {
                        path: { id, deliveryId: one.id },
                      })
                      return 'Sent again.'
                    })
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
