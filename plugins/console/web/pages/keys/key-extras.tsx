/** Parts of the page that only keys have: usage and limits, rotation with an overlap, revocation. */
import { useState } from 'preact/hooks'
import { call } from '../../api.ts'
import { SelectField } from '../../parts/field.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { UsageBars } from '../../parts/usage-bars.tsx'
import { keyScopes } from '../../resources.ts'
import { navigate, root, useOpened } from '../../router.tsx'
import { useMay } from '../../session.tsx'
import type { ExtrasProps } from '../objects/extras.ts'
import { NewKey, RevokeDialog } from './keys.tsx'

const hourMs = 3_600_000

const overlaps = [
  [String(hourMs / 2), '30 minutes'],
  [String(hourMs), '1 hour'],
  [String(24 * hourMs), '1 day'],
  [String(7 * 24 * hourMs), '7 days'],
] as const

export function KeyExtras({ row, object }: ExtrasProps) {
  const may = useMay()
  const rotation = useOpened('rotate')
  const [isRevoked, setRevoked] = useState(false)
  const [key, setKey] = useState<string | null>(null)
  const [overlap, setOverlap] = useState(String(24 * hourMs))
  const rotate = async () => {
    const answer = await call('POST', '/v1/api-keys/{id}/rotate', {
      path: { id: row.id },
      body: { key_transition_period_ms: Number(overlap) },
    })
    rotation.close()
    setKey(answer.key ?? null)
    object.reload()
  }
  if (row.source === 'file') return null
  return (
    <section aria-label="Use of this key">
      <UsageBars limits={row.usage_limits} />
      <div class="buttons">
        {may(keyScopes('rotate')) && (
          <button type="button" onClick={() => rotation.open()}>
            Rotate
          </button>
        )}
        {may(keyScopes('delete')) && (
          <button type="button" class="danger" onClick={() => setRevoked(true)}>
            Revoke
          </button>
        )}
      </div>
      {rotation.opened !== null && may(keyScopes('rotate')) && (
        <FormDialog title="Rotate this key" action="Rotate" onSend={rotate} onClose={rotation.close}>
          {() => (
            <>
              <p>
                You get a new key, and the current one works until the overlap ends. This cannot be undone.
              </p>
              <SelectField label="Overlap" value={overlap} onChange={setOverlap} options={overlaps} />
            </>
          )}
        </FormDialog>
      )}
      {isRevoked && (
        <RevokeDialog row={row} onClose={() => setRevoked(false)} onDone={() => navigate(`${root}/keys`)} />
      )}
      {key !== null && <NewKey text={key} onClose={() => setKey(null)} />}
    </section>
  )
}
