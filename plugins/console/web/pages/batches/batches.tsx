/**
 * Batches, their files and fine-tuning jobs: creates or uploads them, shows their progress, cancels them, and downloads
 * their results.
 */
import { useRef } from 'preact/hooks'
import { call, send, urlOf } from '../../api.ts'
import type { Item } from '../../api-types.ts'
import { formatNumber, formatSeconds, StatusBadge } from '../../parts/cells.tsx'
import { CursorList, withEntry } from '../../parts/cursor-list.tsx'
import { saveFile } from '../../parts/download.tsx'
import { Page } from '../../parts/page.tsx'
import { Progress } from '../../parts/progress.tsx'
import { useOpened } from '../../router.tsx'
import { useMay } from '../../session.tsx'
import { useWorkspace } from '../../workspace.tsx'
import { Files } from './files.tsx'
import { Jobs } from './jobs.tsx'
import { type ListProps, listLimit, statusText } from './list-props.ts'
import { NewBatch } from './new-batch.tsx'

type Batch = Item<'/v1/batches'>

const scopes = ['completions.write']

export function BatchesPage() {
  const may = useMay()
  const workspace = useWorkspace()
  const headers: ListProps['headers'] = workspace === null ? {} : { 'x-gateway-workspace-id': workspace }
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

const isRunning = ({ status }: Batch) => ['validating', 'in_progress', 'finalizing'].includes(status)

function Batches({ headers }: ListProps) {
  const creation = useOpened('create')
  const reloadList = useRef(() => {})
  const output = async ({ id }: Batch) => {
    const response = await send('GET', `/v1/batches/${encodeURIComponent(id)}/output`, { headers })
    saveFile(`${id}.jsonl`, await response.blob())
  }
  return (
    <>
      <CursorList<Batch>
        name="batches"
        title="Batches"
        empty="There is no batch yet. Upload a file of requests below, then start one."
        headers={headers}
        urlAfter={(after) => urlOf('/v1/batches', { query: { after, limit: listLimit } })}
        question={{
          title: () => 'Cancel this batch?',
          action: 'Cancel the batch',
          text: 'Requests that have been answered are in its output.',
          change: ({ id }) => ({
            expect: withEntry<Batch>(id, { status: 'cancelling' }),
            send: () => call('POST', '/v1/batches/{batch_id}/cancel', { path: { batch_id: id }, headers }),
            said: () => ({ text: 'The batch is being cancelled.' }),
            refused: 'The batch was not cancelled',
          }),
        }}
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
        columns={({ run, ask }) => [
          { name: 'id', label: 'Batch', isShort: true, render: ({ id }) => <code>{id}</code> },
          {
            name: 'status',
            label: 'Status',
            render: (one) => <StatusBadge value={statusText(one.status)} />,
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
                  <button type="button" onClick={() => ask(one)}>
                    Cancel
                  </button>
                )}
                {(one.output_file_id !== null || one.error_file_id !== null) && (
                  <button
                    type="button"
                    onClick={() => run({ send: () => output(one), refused: 'The output was not downloaded' })}
                  >
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
