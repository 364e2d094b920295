/** The fine-tuning jobs of a workspace. */
import { call, urlOf } from '../../api.ts'
import type { Item } from '../../api-types.ts'
import { formatNumber, formatSeconds, StatusBadge, textOf } from '../../parts/cells.tsx'
import { CursorList, withEntry } from '../../parts/cursor-list.tsx'
import type { Column } from '../../parts/table.tsx'
import { type ListProps, listLimit, statusText } from './list-props.ts'

type Job = Item<'/v1/fine_tuning/jobs'>

const isTraining = ({ status }: Job) => ['validating_files', 'queued', 'running'].includes(status)

export const Jobs = ({ headers }: ListProps) => (
  <CursorList<Job>
    name="jobs"
    title="Fine-tuning jobs"
    empty="There is no fine-tuning job yet. Upload a file of examples, then start a job with POST /v1/fine_tuning/jobs."
    headers={headers}
    urlAfter={(after) => urlOf('/v1/fine_tuning/jobs', { query: { after, limit: listLimit } })}
    question={{
      title: () => 'Cancel this job?',
      action: 'Cancel the job',
      text: 'Its training ends without a model.',
      change: ({ id }) => ({
        expect: withEntry<Job>(id, { status: 'cancelled' }),
        send: () =>
          call('POST', '/v1/fine_tuning/jobs/{fine_tuning_job_id}/cancel', {
            path: { fine_tuning_job_id: id },
            headers,
          }),
        said: () => ({ text: 'The job was cancelled.' }),
        refused: 'The job was not cancelled',
      }),
    }}
    columns={({ ask }) => [
      ...jobColumns,
      {
        name: 'actions',
        label: 'Actions',
        render: (one) =>
          isTraining(one) && (
            <button type="button" onClick={() => ask(one)}>
              Cancel
            </button>
          ),
      },
    ]}
  />
)

const jobColumns: readonly Column<Job>[] = [
  { name: 'id', label: 'Job', isShort: true, render: ({ id }) => <code>{id}</code> },
  {
    name: 'status',
    label: 'Status',
    render: (one) => <StatusBadge value={statusText(one.status)} />,
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
