/** The groups near the limit of a usage policy, and a button to reset the usage of one. */
import { useState } from 'preact/hooks'
import { call, urlOf } from '../../api.ts'
import type { Item } from '../../api-types.ts'
import { Alert } from '../../parts/alert.tsx'
import { formatTime, StatusBadge, textOf } from '../../parts/cells.tsx'
import { useChange } from '../../parts/change.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { groupText } from '../../parts/group-text.ts'
import { useKeyNames } from '../../parts/object-names.ts'
import { Table } from '../../parts/table.tsx'
import { cannotBeUndone } from '../../parts/undo.ts'
import { UsageBar } from '../../parts/usage-bars.tsx'
import { useQuery } from '../../query.tsx'
import { useMay } from '../../session.tsx'
import type { ExtrasProps } from '../objects/extras.ts'

type Group = Item<'/v1/policies/usage-limits/{id}/entities'>

export function PolicyExtras({ row }: ExtrasProps) {
  const may = useMay()
  const { id } = row
  const entities = useQuery(
    urlOf('/v1/policies/usage-limits/{id}/entities', { path: { id }, query: { page_size: 100 } }),
  )
  const { error, change } = useChange(entities)
  const groups = (entities.data?.data ?? []).map((one) => textOf(one.value_key))
  const named = useKeyNames(groups)
  const [asked, setAsked] = useState<Group | null>(null)
  const shownName = (one: Group) => groupText(named(textOf(one.value_key)))
  const reset = (group: Group) => {
    setAsked(null)
    change({
      expect: (list) => ({
        ...list,
        data: list.data.map((one) => (one.id === group.id ? { ...one, current_usage: 0 } : one)),
      }),
      send: () =>
        call('PUT', '/v1/policies/usage-limits/{id}/entities/{entityId}/reset', {
          path: { id, entityId: group.id },
        }),
      said: () => ({ text: `The usage of ${shownName(group)} was reset.` }),
      refused: `The usage of ${shownName(group)} was not reset`,
    })
  }
  const shownError = error ?? entities.error
  return (
    <section aria-busy={entities.isBusy ? 'true' : 'false'}>
      <h2>Use by group</h2>
      {shownError !== null && <Alert>{shownError.message}</Alert>}
      <Table
        caption="Use by group"
        rows={[...(entities.data?.data ?? [])].sort((one, other) => other.current_usage - one.current_usage)}
        empty="No requests have been counted yet."
        columns={[
          { name: 'value_key', label: 'Group', render: shownName },
          {
            name: 'current_usage',
            label: 'Used',
            isShort: true,
            render: (one) => (
              <UsageBar
                used={one.current_usage}
                limit={Number(row.credit_limit)}
                type={row.type}
                threshold={row.alert_threshold}
              />
            ),
          },
          { name: 'status', label: 'Status', render: (one) => <StatusBadge value={one.status} /> },
          { name: 'last_seen_at', label: 'Last seen', render: (one) => formatTime(one.last_seen_at) },
          {
            name: 'actions',
            label: 'Actions',
            render: (one) =>
              may(['policies.update']) && (
                <button type="button" onClick={() => setAsked(one)}>
                  Reset
                </button>
              ),
          },
        ]}
      />
      {asked !== null && (
        <Confirm
          title={`Reset the usage of ${shownName(asked)}?`}
          action="Reset"
          onConfirm={() => reset(asked)}
          onClose={() => setAsked(null)}
        >
          <p>Its usage counts from zero again. {cannotBeUndone}</p>
        </Confirm>
      )}
    </section>
  )
}
