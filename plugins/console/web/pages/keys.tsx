/** Creating an API key, which is shown once, and revoking one. */
import { useState } from 'preact/hooks'
import { type ApiError, call, type Row, send } from '../api.ts'
import { rowOf } from '../json.ts'
import { Alert } from '../parts/alert.tsx'
import { textOf } from '../parts/cells.tsx'
import { CopyButton } from '../parts/copy.tsx'
import { Confirm, Dialog } from '../parts/dialog.tsx'
import { TextField } from '../parts/field.tsx'
import { bodyOf, initialTexts } from '../parts/field-text.ts'
import { faultsOf, ObjectFields } from '../parts/object-form.tsx'
import { notify } from '../parts/toast.tsx'
import { cannotBeUndone, useUndo } from '../parts/undo.ts'
import { asApiError } from '../query.tsx'
import { keys } from '../resources/keys.ts'
import type { Resource } from '../resources.ts'

/** The only place that shows a key; closing the dialog discards it. */
export const NewKey = ({ text, onClose }: { text: string; onClose: () => void }) => (
  <Dialog title="Your new key" onClose={onClose}>
    <p>Copy it now. You cannot see it again: the gateway stores only its hash.</p>
    <TextField label="Your key" value={text} onChange={() => undefined} isReadOnly />
    <div class="buttons">
      <CopyButton text={text} />
      <button type="button" class="primary" onClick={onClose}>
        Done
      </button>
    </div>
  </Dialog>
)

interface CreateProps {
  resource: Resource
  onClose: () => void
  onCreated: () => void
}

export function CreateKeyDialog({ resource, onClose, onCreated }: CreateProps) {
  const all = resource.fields.filter(({ on }) => on !== 'edit')
  const [texts, setTexts] = useState(initialTexts(all))
  const [error, setError] = useState<ApiError | null>(null)
  const [own, setOwn] = useState(faultsOf(null))
  const [key, setKey] = useState<string | null>(null)
  const fields = all.filter(({ name }) => name !== 'workspace_id' || texts.type !== 'organisation-service')
  const create = async (event: Event) => {
    event.preventDefault()
    const { body, faults } = bodyOf(fields, texts, null)
    setOwn(faults)
    setError(null)
    if (faults.length > 0) return
    try {
      const made = rowOf(await (await send('POST', '/v1/api-keys', { name: '', ...body })).json())
      setKey(textOf(made.key))
      onCreated()
    } catch (fault) {
      setError(asApiError(fault))
    }
  }
  if (key !== null) return <NewKey text={key} onClose={onClose} />
  return (
    <Dialog title="Create an API key" onClose={onClose}>
      {error !== null && <Alert>{error.message}</Alert>}
      <form onSubmit={(event) => void create(event)} noValidate>
        <ObjectFields fields={fields} texts={texts} onChange={setTexts} faults={faultsOf(error, own)} />
        <div class="buttons">
          <button type="submit" class="primary">
            Create
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}

export function RevokeDialog({
  row,
  onClose,
  onDone,
}: {
  row: Row
  onClose: () => void
  onDone: () => void
}) {
  const [error, setError] = useState<string | null>(null)
  const undo = useUndo(keys, row)
  const revoke = async () => {
    try {
      const takeBack = await undo?.prepare()
      await call('DELETE', '/v1/api-keys/{id}', { path: { id: row.id } })
      onDone()
      notify(`${textOf(row.name)} was revoked.`, takeBack)
    } catch (fault) {
      setError(asApiError(fault).message)
    }
  }
  return (
    <Confirm
      title={`Revoke ${textOf(row.name)}?`}
      action="Revoke"
      onConfirm={() => void revoke()}
      onClose={onClose}
    >
      {error !== null && <Alert>{error}</Alert>}
      <p>Applications that use this key are refused at once. {undo?.text ?? cannotBeUndone}</p>
    </Confirm>
  )
}
