/** Gives a version of a prompt a name, under which applications call it: a label, which is created if needed. */

import { useId, useState } from 'preact/hooks'
import { call, type Row, urlOf } from '../../api.ts'
import { textOf } from '../../parts/cells.tsx'
import { TextField } from '../../parts/field.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { useQuery } from '../../query.tsx'
import { useMay } from '../../session.tsx'

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
  const workspace = typeof prompt.workspace_id === 'string' ? prompt.workspace_id : null
  const known = useQuery(
    may(['labels.list', 'prompts.list'])
      ? urlOf('/v1/labels', { query: { page_size: 200, workspace_id: workspace } })
      : null,
  )
  const names = (known.data?.data ?? []).map((label) => textOf(label.name))
  const save = async () => {
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
  }
  return (
    <FormDialog
      title={`Name version ${version}`}
      action="Name it"
      onSend={save}
      onClose={onClose}
      canSend={name.trim() !== ''}
    >
      {() => (
        <>
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
        </>
      )}
    </FormDialog>
  )
}
