/** Batches, files and fine-tuning jobs of a workspace. Each list has its newest entries, and older ones by a button. */
import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { call, send, type Url, urlOf } from '../../api.ts'
import type { Item } from '../../api-types.ts'
import { Alert } from '../../parts/alert.tsx'
import { formatBytes, formatNumber, formatSeconds, StatusBadge, textOf } from '../../parts/cells.tsx'
import { useChange } from '../../parts/change.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { saveFile } from '../../parts/download.tsx'
import { SelectField } from '../../parts/field.tsx'
import { Page } from '../../parts/page.tsx'
import { Progress } from '../../parts/progress.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { type Column, Table } from '../../parts/table.tsx'
import { notify, notifyRefused } from '../../parts/toast.tsx'
import { cannotBeUndone } from '../../parts/undo.ts'
import { asApiError, useQuery } from '../../query.tsx'
import { useOpened } from '../../router.tsx'
import { useMay } from '../../session.tsx'
import { useWorkspace } from '../../workspace.tsx'
import { NewBatch } from './new-batch.tsx'

type Batch = Item<'/v1/batches'>
type File = Item<'/v1/files'>
type Job = Item<'/v1/fine_tuning/jobs'>

const scopes = ['completions.write']
const limit = 50

/** Routes of models name the workspace in a header. */
export type WorkspaceHeaders = Record<string, string>

export function BatchesPage() {
  const may = useMay()
  const workspace = useWorkspace()
  const headers: WorkspaceHeaders = workspace === null ? {} : { 'x-gateway-workspace-id': workspace }
  return (
    <Page title="Batches and files" scopes={scopes}>
      <p class="about">
        A batch runs the lines of a file as requests, at once or within a day. Files are of one workspace.
      </p>
      {may(scopes) && (
        <div key={workspace}>
          <Batches headers={headers} />
          <Files headers={headers} />
          <Jobs headers={headers} />
        </div>
      )}
    </Page>
  )
}

interface ListProps {
  headers: WorkspaceHeaders
}

/** A list by cursors: older entries replace the newer ones. */
interface Shown<R> {
  object?: string
  data: readonly R[]
  has_more: boolean
  last_id: string | null
}

interface SectionProps<R> {
  /** In the address. */
  name: string
  title: string
  empty: string
  headers: WorkspaceHeaders
  urlAfter: (after: string | null) => Url<Shown<R>>
  /** Of one entry, with what loads the list again after a change. */
  columns: (run: Run<R>) => readonly Column<R>[]
  /** Beside the heading. */
  action?: (reload: () => void) => ComponentChildren
}

/** Changes the list. */
type Run<R> = ReturnType<typeof useChange<Shown<R>>>['change']

/** The list with other members of one entry. */
const withEntry =
  <R extends { id: string }>(id: string, changes: Partial<R>) =>
  (list: Shown<R>): Shown<R> => ({
    ...list,
    data: list.data.map((one) => (one.id === id ? { ...one, ...changes } : one)),
  })

/** What the gateway gives, saved as a file: nothing changes. */
const saving = (name: string, work: () => Promise<void>) => ({
  send: work,
  refused: `${name} was not downloaded`,
})

function Section<R extends { id: string }>({
  name,
  title,
  empty,
  headers,
  urlAfter,
  columns,
  action,
}: SectionProps<R>) {
  const place = useOpened(`${name}_after`)
  const after = place.opened
  const list = useQuery(urlAfter(after), headers)
  const { data, error, isBusy, reload } = list
  const { error: failure, change } = useChange(list)
  const shown = failure ?? error
  return (
    <section aria-busy={isBusy ? 'true' : 'false'}>
      <div class="head">
        <h2>{title}</h2>
        <div class="actions">{action?.(reload)}</div>
      </div>
      {shown !== null && <Alert onRetry={reload}>{shown.message}</Alert>}
      {data === null && isBusy && <Skeleton />}
      {data !== null && <Table caption={title} rows={data.data} empty={empty} columns={columns(change)} />}
      {data !== null && (after !== null || data.has_more) && (
        <nav class="pager" aria-label={`Pages of ${title.toLowerCase()}`}>
          <button type="button" disabled={after === null} onClick={place.close}>
            Newest
          </button>
          <button type="button" disabled={!data.has_more} onClick={() => place.open(data.last_id ?? '')}>
            Older
          </button>
        </nav>
      )}
    </section>
  )
}

const isRunning = ({ status }: Batch) => ['validating', 'in_progress', 'finalizing'].includes(status)

function Batches({ headers }: ListProps) {
  const creation = useOpened('create')
  const reloadList = useRef(() => {})
  const [asked, setAsked] = useState<{ id: string; run: Run<Batch> } | null>(null)
  const cancel = ({ id, run }: NonNullable<typeof asked>) => {
    setAsked(null)
    run({
      expect: withEntry<Batch>(id, { status: 'cancelling' }),
      send: () => call('POST', '/v1/batches/{batch_id}/cancel', { path: { batch_id: id }, headers }),
      said: () => ({ text: 'The batch is being cancelled.' }),
      refused: 'The batch was not cancelled',
    })
  }
  const output = async ({ id }: Batch) => {
    const response = await send('GET', `/v1/batches/${encodeURIComponent(id)}/output`, undefined, { headers })
    saveFile(`${id}.jsonl`, await response.blob())
  }
  return (
    <>
      <Section<Batch>
        name="batches"
        title="Batches"
        empty="There is no batch yet. Upload a file of requests below, then start one."
        headers={headers}
        urlAfter={(after) => urlOf('/v1/batches', { query: { after, limit } })}
        action={(reload) => {
          reloadList.current = reload
          return (
            <>
              <button type="button" onClick={reload}>
                Refresh
              </button>
              <button type="button" class="primary" onClick={() => creation.open()}>
                Start a batch
              </button>
            </>
          )
        }}
        columns={(run) => [
          { name: 'id', label: 'Batch', render: ({ id }) => <code>{id}</code> },
          {
            name: 'status',
            label: 'Status',
            render: (one) => <StatusBadge value={one.status.replace('_', ' ')} />,
          },
          { name: 'endpoint', label: 'Endpoint', render: (one) => one.endpoint },
          {
            name: 'counts',
            label: 'Requests',
            isShort: true,
            render: ({ request_counts: { total, completed, failed } }) => (
              <>
                <Progress label="Requests" done={completed + failed} total={total} />
                {failed > 0 && `, ${formatNumber(failed)} failed`}
              </>
            ),
          },
          { name: 'created_at', label: 'Created', render: (one) => formatSeconds(one.created_at) },
          {
            name: 'actions',
            label: 'Actions',
            render: (one) => (
              <div class="buttons">
                {isRunning(one) && (
                  <button type="button" onClick={() => setAsked({ id: one.id, run })}>
                    Cancel
                  </button>
                )}
                {(one.output_file_id !== null || one.error_file_id !== null) && (
                  <button type="button" onClick={() => run(saving('The output', () => output(one)))}>
                    Output
                  </button>
                )}
                {!isRunning(one) && one.request_counts.failed > 0 && (
                  <button
                    type="button"
                    onClick={() =>
                      run({
                        send: () =>
                          call('POST', '/v1/batches/{batch_id}/retry', {
                            path: { batch_id: one.id },
                            headers,
                          }),
                        said: () => ({ text: 'A new batch has the failed requests.' }),
                        refused: 'No new batch was started',
                      })
                    }
                  >
                    Retry the failed ones
                  </button>
                )}
              </div>
            ),
          },
        ]}
      />
      {asked !== null && (
        <Confirm
          title="Cancel this batch?"
          action="Cancel the batch"
          onConfirm={() => cancel(asked)}
          onClose={() => setAsked(null)}
        >
          <p>Requests that have been answered are in its output. {cannotBeUndone}</p>
        </Confirm>
      )}
      {creation.opened !== null && (
        <NewBatch
          headers={headers}
          onClose={creation.close}
          onStarted={() => {
            creation.close()
            reloadList.current()
          }}
        />
      )}
    </>
  )
}

function Files({ headers }: ListProps) {
  const [asked, setAsked] = useState<{ file: File; run: Run<File> } | null>(null)
  const download = async ({ id, filename }: File) => {
    const response = await send('GET', `/v1/files/${encodeURIComponent(id)}/content`, undefined, { headers })
    saveFile(filename, await response.blob())
  }
  return (
    <>
      <Section<File>
        name="files"
        title="Files"
        empty="There is no file yet. Upload one, with a request in each line for a batch."
        headers={headers}
        urlAfter={(after) => urlOf('/v1/files', { query: { after, limit } })}
        action={(reload) => <Upload headers={headers} onUploaded={reload} />}
        columns={(run) => [
          { name: 'filename', label: 'File', render: (one) => one.filename },
          { name: 'id', label: 'ID', render: ({ id }) => <code>{id}</code> },
          { name: 'purpose', label: 'Purpose', render: (one) => one.purpose },
          { name: 'bytes', label: 'Size', isNumber: true, render: (one) => formatBytes(one.bytes) },
          { name: 'created_at', label: 'Created', render: (one) => formatSeconds(one.created_at) },
          { name: 'expires_at', label: 'Expires', render: (one) => formatSeconds(one.expires_at) },
          {
            name: 'actions',
            label: 'Actions',
            render: (file) => (
              <div class="buttons">
                <button type="button" onClick={() => run(saving(file.filename, () => download(file)))}>
                  Download
                </button>
                <button type="button" onClick={() => setAsked({ file, run })}>
                  Delete
                </button>
              </div>
            ),
          },
        ]}
      />
      {asked !== null && (
        <Confirm
          title={`Delete ${asked.file.filename}?`}
          action="Delete"
          onClose={() => setAsked(null)}
          onConfirm={() => {
            setAsked(null)
            asked.run({
              expect: (list) => ({ ...list, data: list.data.filter(({ id }) => id !== asked.file.id) }),
              send: () =>
                call('DELETE', '/v1/files/{file_id}', { path: { file_id: asked.file.id }, headers }),
              said: () => ({ text: `${asked.file.filename} was deleted.` }),
              refused: `${asked.file.filename} was not deleted`,
            })
          }}
        >
          <p>Its content is gone. {cannotBeUndone}</p>
        </Confirm>
      )}
    </>
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
      await send('POST', '/v1/files', form, { headers })
      notify(`${file.name} was uploaded.`)
      onUploaded()
    } catch (fault) {
      notifyRefused(`${file.name} was not uploaded: ${asApiError(fault).message}`)
    }
    setBusy(false)
  }
  return (
    <>
      <SelectField
        label="Purpose"
        value={purpose}
        onChange={setPurpose}
        options={[
          ['batch', 'Batch'],
          ['fine-tune', 'Fine-tuning'],
          ['user_data', 'Data of requests'],
        ]}
      />
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

const isTraining = ({ status }: Job) => ['validating_files', 'queued', 'running'].includes(status)

function Jobs({ headers }: ListProps) {
  const [asked, setAsked] = useState<{ id: string; run: Run<Job> } | null>(null)
  const cancel = ({ id, run }: NonNullable<typeof asked>) => {
    setAsked(null)
    run({
      expect: withEntry<Job>(id, { status: 'cancelled' }),
      send: () =>
        call('POST', '/v1/fine_tuning/jobs/{fine_tuning_job_id}/cancel', {
          path: { fine_tuning_job_id: id },
          headers,
        }),
      said: () => ({ text: 'The job was cancelled.' }),
      refused: 'The job was not cancelled',
    })
  }
  return (
    <>
      <Section<Job>
        name="jobs"
        title="Fine-tuning jobs"
        empty="There is no fine-tuning job yet. Upload a file of examples, then start a job with POST /v1/fine_tuning/jobs."
        headers={headers}
        urlAfter={(after) => urlOf('/v1/fine_tuning/jobs', { query: { after, limit } })}
        columns={(run) => [
          ...jobColumns,
          {
            name: 'actions',
            label: 'Actions',
            render: (one) =>
              isTraining(one) && (
                <button type="button" onClick={() => setAsked({ id: one.id, run })}>
                  Cancel
                </button>
              ),
          },
        ]}
      />
      {asked !== null && (
        <Confirm
          title="Cancel this job?"
          action="Cancel the job"
          onConfirm={() => cancel(asked)}
          onClose={() => setAsked(null)}
        >
          <p>Its training ends without a model. {cannotBeUndone}</p>
        </Confirm>
      )}
    </>
  )
}

const jobColumns: readonly Column<Job>[] = [
  { name: 'id', label: 'Job', render: ({ id }) => <code>{id}</code> },
  {
    name: 'status',
    label: 'Status',
    render: (one) => <StatusBadge value={one.status.replace('_', ' ')} />,
  },
  { name: 'model', label: 'Model', render: (one) => one.model },
  { name: 'fine_tuned_model', label: 'Fine-tuned model', render: (one) => textOf(one.fine_tuned_model) },
  {
    name: 'trained_tokens',
    label: 'Trained tokens',
    isNumber: true,
    render: (one) => formatNumber(one.trained_tokens),
  },
  { name: 'created_at', label: 'Created', render: (one) => formatSeconds(one.created_at) },
]
