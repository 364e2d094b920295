/** The parts of a page that only keys have: usage and limits, rotation with an overlap, revocation. */
import { useState } from 'preact/hooks'
import { type ApiError, call, type Row } from '../../api.ts'
import { Alert } from '../../parts/alert.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { SelectField } from '../../parts/field.tsx'
import { UsageBars } from '../../parts/usage-bars.tsx'
import { asApiError } from '../../query.tsx'
import { keyScopes } from '../../resources.ts'
import { navigate, root } from '../../router.tsx'
import { useMay } from '../../session.tsx'
import { NewKey, RevokeDialog } from './keys.tsx'

const hourMs = 3_600_000

export function KeyExtras({ row, onChanged }: { row: Row; onChanged: () => void }) {
  const may = useMay()
  const [open, setOpen] = useState<'rotate' | 'revoke' | null>(null)
  const [key, setKey] = useState<string | null>(null)
  const [overlap, setOverlap] = useState(String(24 * hourMs))
  const [error, setError] = useState<ApiError | null>(null)
  const rotate = async (event: Event) => {
    event.preventDefault()
    try {
      const answer = await call('POST', '/v1/api-keys/{id}/rotate', {
        path: { id: row.id },
        body: { key_transition_period_ms: Number(overlap) },
      })
      setOpen(null)
      setKey(answer.key ?? null)
      onChanged()
    } catch (fault) {
      setError(asApiError(fault))
    }
  }
  if (row.source === 'file') return null
  return (
    <section aria-label="Use of this key">
      <UsageBars limits={row.usage_limits} />
      <div class="buttons">
        {may(keyScopes('rotate')) && (
          <button type="button" onClick={() => setOpen('rotate')}>
            Rotate
          </button>
        )}
        {may(keyScopes('delete')) && (
          <button type="button" class="danger" onClick={() => setOpen('revoke')}>
            Revoke
          </button>
        )}
      </div>
      {open === 'rotate' && (
        <Dialog title="Rotate this key" onClose={() => setOpen(null)}>
          {error !== null && <Alert>{error.message}</Alert>}
          <form onSubmit={(event) => void rotate(event)}>
            <p>You get a new key, and the current one works until the overlap ends. This cannot be undone.</p>
            <SelectField
              label="Overlap"
              value={overlap}
              onChange={setOverlap}
              options={[
                [String(hourMs / 2), '30 minutes'],
                [String(hourMs), '1 hour'],
                [String(24 * hourMs), '1 day'],
                [String(7 * 24 * hourMs), '7 days'],
              ]}
            />
            <div class="buttons">
              <button type="submit" class="primary">
                Rotate
              </button>
              <button type="button" onClick={() => setOpen(null)}>
                Cancel
              </button>
            </div>
          </form>
        </Dialog>
      )}
      {open === 'revoke' && (
        <RevokeDialog row={row} onClose={() => setOpen(null)} onDone={() => navigate(`${root}/keys`)} />
      )}
      {key !== null && <NewKey text={key} onClose={() => setKey(null)} />}
    </section>
  )
}
