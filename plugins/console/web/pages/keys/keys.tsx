/** Dialogs that create an API key, which is shown once, and revoke one. */

import { useState } from 'preact/hooks'
import { call, type Row, send } from '../../api.ts'
import { rowOf } from '../../json.ts'
import { textOf } from '../../parts/cells.tsx'
import { startDeletion } from '../../parts/deletions.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { bodyOf, initialTexts } from '../../parts/field-text.ts'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { faultsOf, ObjectFields } from '../../parts/object-form.tsx'
import { SecretDialog } from '../../parts/secret-dialog.tsx'
import { cannotBeUndone, useUndo } from '../../parts/undo.ts'
import { keys } from '../../resources/keys.ts'
import type { Resource } from '../../resources.ts'
import { root } from '../../router.tsx'

/** The only place that shows a key; closing the dialog discards it. */
export const NewKey = ({ text, onClose }: { text: string; onClose: () => void }) => (
  <SecretDialog title="Your new key" label="Your key" secret={text} onClose={onClose}>
    Copy it now. You cannot see it again: the gateway stores only its hash.
  </SecretDialog>
)

interface CreateProps {
  resource: Resource
  onClose: () => void
  onCreated: () => void
}

export function CreateKeyDialog({ resource, onClose, onCreated }: CreateProps) {
  const all = resource.fields.filter(({ on }) => on !== 'edit')
  const [texts, setTexts] = useState(initialTexts(all))
  const [own, setOwn] = useState(faultsOf(null))
  const [key, setKey] = useState<string | null>(null)
  const [isLoading, setLoading] = useState(false)
  const fields = all.filter(({ name }) => name !== 'workspace_id' || texts.type !== 'organisation-service')
  const create = async () => {
    const { body, faults } = bodyOf(fields, texts, null)
    setOwn(faults)
    if (faults.length > 0) return
    const made = rowOf(await (await send('POST', '/v1/api-keys', { body: { name: '', ...body } })).json())
    setKey(textOf(made.key))
    onCreated()
  }
  if (key !== null) return <NewKey text={key} onClose={onClose} />
  return (
    <FormDialog
      title="Create an API key"
      action="Create"
      onSend={create}
      onClose={onClose}
      canSend={!isLoading}
    >
      {(error) => (
        <ObjectFields
          fields={fields}
          texts={texts}
          onChange={setTexts}
          faults={faultsOf(error, own)}
          onLoading={setLoading}
        />
      )}
    </FormDialog>
  )
}

interface RevokeProps {
  row: Row
  onClose: () => void
  /** Called after the confirmation. */
  onDone?: () => void
}

export function RevokeDialog({ row, onClose, onDone = onClose }: RevokeProps) {
  const undo = useUndo(keys, row)
  const revoke = () => {
    const id = String(row.id)
    startDeletion({
      id,
      name: textOf(row.name),
      path: `${root}/keys/${encodeURIComponent(id)}`,
      done: 'revoked',
      async send() {
        const takeBack = await undo?.prepare()
        await call('DELETE', '/v1/api-keys/{id}', { path: { id } })
        return takeBack
      },
    })
    onDone()
  }
  return (
    <Confirm title={`Revoke ${textOf(row.name)}?`} action="Revoke" onConfirm={revoke} onClose={onClose}>
      <p>Applications that use this key are refused at once. {undo?.text ?? cannotBeUndone}</p>
    </Confirm>
  )
}
