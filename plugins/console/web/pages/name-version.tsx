/** Gives a version of a prompt a name, under which applications call it: a label, which is made if there is none yet. */
import { useId, useState } from 'preact/hooks'
import { type ApiError, call, type Row, urlOf } from '../api.ts'
import { Alert } from '../parts/alert.tsx'
import { textOf } from '../parts/cells.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { TextField } from '../parts/field.tsx'
import { asApiError, useQuery } from '../query.tsx'
import { useMay } from '../session.tsx'

interface Props {
  prompt: Row
  version: number
  onClose: () => void
  onDone: () => void
}

export function NameVersion({ prompt, version, onClose, onDone }: Props) {
  const id = useId()
  const may = useMay()
  const [name, setName] = useState('')
  const [error, setError] = useState<ApiError | null>(null)
  const [isBusy, setBusy] = useState(false)
  const workspace = typeof prompt.workspace_id === 'string' ? prompt.workspace_id : null
  const known = useQuery(
    may(['labels.list', 'prompts.list'])
      ? urlOf('/v1/labels', { query: { page_size: 200, workspace_id: workspace } })
      : null,
  )
  const names = (known.data?.data ?? []).map((label) => textOf(label.name))
  const save = async (event: Event) => {
    event.preventDefault()
    setError(null)
    setBusy(true)
    try {
      const label = name.trim()
      if (!names.includes(label)) {
        const place = workspace === null ? {} : { workspace_id: workspace }
        await call('POST', '/v1/labels', { body: { name: label, ...place } })
      }
      await call('PUT', '/v1/prompts/{id}/versions/{versionId}', {
        path: { id: prompt.id, versionId: version },
        body: { labels: [label] },
      })
      onDone()
    } catch (fault) {
      setError(asApiError(fault))
      setBusy(false)
    }
  }
  return (
    <Dialog title={`Name version ${version}`} onClose={onClose}>
      <form onSubmit={(event) => void save(event)}>
        {error !== null && <Alert>{error.message}</Alert>}
        <TextField
          label="Name"
          value={name}
          onChange={setName}
          list={id}
          hint={`Applications call it as ${textOf(prompt.slug)}@NAME. A name that another version has moves here.`}
        />
        <datalist id={id}>
          {names.map((one) => (
            <option key={one} value={one} />
          ))}
        </datalist>
        <div class="buttons">
          <button type="submit" class="primary" disabled={isBusy || name.trim() === ''}>
            Name it
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}
