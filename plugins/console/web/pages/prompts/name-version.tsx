/** Gives a version of a prompt a name (a label, created if necessary) that applications can use to call it. */

import { useId, useState } from 'preact/hooks'
import { call, type Row, urlOf } from '../../api.ts'
import type { Answer } from '../../api-types.ts'
import { textOf } from '../../parts/cells.tsx'
import { type Changeable, useChange } from '../../parts/change.tsx'
import { TextField } from '../../parts/field.tsx'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { useQuery } from '../../query.tsx'
import { useMay } from '../../session.tsx'

type Versions = Answer<'get', '/v1/prompts/{id}/versions'>

interface Props {
  prompt: Row
  version: number
  versions: Changeable<Versions>
  onClose: () => void
  onChanged: () => void
}

/** Moves a name to a version. A name belongs to only one version. */
const named = (list: Versions, version: number, labels: readonly string[]): Versions => ({
  ...list,
  data: list.data.map((one) => ({
    ...one,
    labels:
      one.prompt_version === version ? [...labels] : one.labels.filter((label) => !labels.includes(label)),
  })),
})

export function NameVersion({ prompt, version, versions, onClose, onChanged }: Props) {
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
  const { attempt } = useChange(versions, onChanged)
  const put = (versionId: number, labels: readonly string[]) =>
    call('PUT', '/v1/prompts/{id}/versions/{versionId}', {
      path: { id: prompt.id, versionId },
      body: { labels: [...labels] },
    })
  const before = versions.data?.data ?? []
  const labelsOf = (wanted: number) => before.find(({ prompt_version: one }) => one === wanted)?.labels ?? []
  const save = async () => {
    const label = name.trim()
    const owner = before.find(({ labels }) => labels.includes(label))?.prompt_version
    const labels = [...new Set([...labelsOf(version), label])]
    await attempt({
      expect: (list) => named(list, version, labels),
      async send() {
        if (!names.includes(label)) {
          const place = workspace === null ? {} : { workspace_id: workspace }
          await call('POST', '/v1/labels', { body: { name: label, ...place } })
        }
        await put(version, labels)
      },
      said: () => ({
        text: `Version ${version} is named ${label}.`,
        async undo() {
          await put(version, labelsOf(version))
          if (owner !== undefined && owner !== version) await put(owner, labelsOf(owner))
        },
      }),
      refused: `Version ${version} was not named`,
    })
    onClose()
  }
  return (
    <FormDialog
      title={`Name version ${version}`}
      action="Name it"
      onSend={save}
      onClose={onClose}
      canSend={name.trim() !== '' && !known.isBusy}
      isShownAtOnce
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
