/** The files of a workspace: uploaded, downloaded and deleted. */
import { useRef, useState } from 'preact/hooks'
import { call, send, urlOf } from '../../api.ts'
import type { Item } from '../../api-types.ts'
import { formatBytes, formatSeconds } from '../../parts/cells.tsx'
import { CursorList } from '../../parts/cursor-list.tsx'
import { saveFile } from '../../parts/download.tsx'
import { SelectField } from '../../parts/field.tsx'
import { notify, notifyRefused } from '../../parts/toast.tsx'
import { asApiError } from '../../query.tsx'
import { type ListProps, listLimit } from './list-props.ts'

type File = Item<'/v1/files'>

const purposes = [
  ['batch', 'Batch'],
  ['fine-tune', 'Fine-tuning'],
  ['user_data', 'Data of requests'],
] as const

const purposeText = (purpose: string): string =>
  purposes.find(([value]) => value === purpose)?.[1].toLowerCase() ?? purpose.replaceAll('_', ' ')

export function Files({ headers }: ListProps) {
  const download = async ({ id, filename }: File) => {
    const response = await send('GET', `/v1/files/${encodeURIComponent(id)}/content`, { headers })
    saveFile(filename, await response.blob())
  }
  return (
    <CursorList<File>
      name="files"
      title="Files"
      empty="There is no file yet. Upload one, with a request in each line for a batch."
      headers={headers}
      urlAfter={(after) => urlOf('/v1/files', { query: { after, limit: listLimit } })}
      action={(reload) => <Upload headers={headers} onUploaded={reload} />}
      question={{
        title: ({ filename }) => `Delete ${filename}?`,
        action: 'Delete',
        text: 'Its content is gone.',
        change: (file) => ({
          expect: (list) => ({ ...list, data: list.data.filter(({ id }) => id !== file.id) }),
          send: () => call('DELETE', '/v1/files/{file_id}', { path: { file_id: file.id }, headers }),
          said: () => ({ text: `${file.filename} was deleted.` }),
          refused: `${file.filename} was not deleted`,
        }),
      }}
      columns={({ run, ask }) => [
        {
          name: 'filename',
          label: 'File and ID',
          render: ({ id, filename }) => (
            <>
              {filename}
              <br />
              <code>{id}</code>
            </>
          ),
        },
        { name: 'purpose', label: 'Purpose', render: (one) => purposeText(one.purpose) },
        { name: 'bytes', label: 'Size', isNumber: true, render: (one) => formatBytes(one.bytes) },
        { name: 'created_at', label: 'Created', render: (one) => formatSeconds(one.created_at) },
        { name: 'expires_at', label: 'Expires', render: (one) => formatSeconds(one.expires_at) },
        {
          name: 'actions',
          label: 'Actions',
          render: (file) => (
            <div class="buttons">
              <button
                type="button"
                onClick={() =>
                  run({ send: () => download(file), refused: `${file.filename} was not downloaded` })
                }
              >
                Download
              </button>
              <button type="button" onClick={() => ask(file)}>
                Delete
              </button>
            </div>
          ),
        },
      ]}
    />
  )
}

function Upload({ headers, onUploaded }: ListProps & { onUploaded: () => void }) {
  const input = useRef<HTMLInputElement>(null)
  const [purpose, setPurpose] = useState('batch')
  const [isBusy, setBusy] = useState(false)
  const upload = async (file: globalThis.File) => {
    const form = new FormData()
    form.set('purpose', purpose)
    form.set('file', file)
    setBusy(true)
    try {
      await send('POST', '/v1/files', { body: form, headers })
      notify(`${file.name} was uploaded.`)
      onUploaded()
    } catch (fault) {
      notifyRefused(`${file.name} was not uploaded: ${asApiError(fault).message}`)
    }
    setBusy(false)
  }
  return (
    <>
      <SelectField label="Purpose" value={purpose} onChange={setPurpose} options={purposes} />
      <input
        ref={input}
        type="file"
        hidden
        aria-label="File"
        onChange={({ currentTarget }) => {
          const [file] = currentTarget.files ?? []
          if (file !== undefined) void upload(file)
          currentTarget.value = ''
        }}
      />
      <button type="button" disabled={isBusy} onClick={() => input.current?.click()}>
        {isBusy ? 'Uploading…' : 'Upload a file'}
      </button>
    </>
  )
}
