/** The rollout of a config's version: shows its state with the metrics of both versions, starts it, and cancels it. */

import { useState } from 'preact/hooks'
import { call, type Row, urlOf } from '../../api.ts'
import type { Answer, Body } from '../../api-types.ts'
import { Alert } from '../../parts/alert.tsx'
import {
  Badge,
  Facts,
  formatCents,
  formatMs,
  formatNumber,
  formatTime,
  StatusBadge,
} from '../../parts/cells.tsx'
import { type Changeable, useChange } from '../../parts/change.tsx'
import { Confirm } from '../../parts/dialog.tsx'
import { bodyOf, initialTexts } from '../../parts/field-text.ts'
import { FormDialog } from '../../parts/form-dialog.tsx'
import { faultsOf, ObjectFields } from '../../parts/object-form.tsx'
import { Table } from '../../parts/table.tsx'
import { useQuery, useWhileSeen } from '../../query.tsx'
import type { FieldSpec } from '../../resources/declare.ts'
import { useMay } from '../../session.tsx'

type Rollout = Answer<'get', '/v1/configs/{id}/rollout'>
type Metrics = Rollout['metrics']['from']
type Bound = keyof Rollout['abort_if']

const refreshMs = 5_000

const percent = (value: number) => `${formatNumber(value * 100)}%`

const bounds: Readonly<Record<Bound, { label: string; format: (value: number) => string }>> = {
  error_rate: { label: 'Errors', format: percent },
  cost_per_request: { label: 'Cost of a request', format: formatCents },
  p95_ms: { label: 'Latency, 95th percentile', format: formatMs },
  denial_rate: { label: 'Denied', format: percent },
}

const isBound = (name: string): name is Bound => Object.hasOwn(bounds, name)

function reasonText({ reason }: Rollout): string | null {
  if (reason === null) return null
  const { metric, value, bound } = reason
  if (!isBound(metric)) return 'The new version refers to something that was deleted.'
  const { label, format } = bounds[metric]
  return `${label}: ${format(value)}, above the bound of ${format(bound)}.`
}

interface Props {
  /** The config. */
  row: Row
  /** Called after a rollout has changed. */
  onChanged: () => void
}

export function RolloutPanel({ row, onChanged }: Props) {
  const may = useMay()
  const path = { id: row.id }
  const canChange = may(['configs.update'])
  const rollout = useQuery(
    canChange && row.rollout !== null && row.rollout !== undefined
      ? urlOf('/v1/configs/{id}/rollout', { path })
      : null,
  )
  const { data, error, reload } = rollout
  const [isAsked, setAsked] = useState(false)
  const { error: failure, change } = useChange(rollout, onChanged)
  useWhileSeen(() => {
    if (data?.status === 'running') reload()
  }, refreshMs)
  const cancel = () => {
    setAsked(false)
    change({
      expect: (shown) => ({ ...shown, status: 'cancelled' as const }),
      send: () => call('DELETE', '/v1/configs/{id}/rollout', { path }),
      said: () => ({ text: 'The rollout was cancelled. All sessions get the live version.' }),
      refused: 'The rollout was not cancelled',
    })
  }
  if (data === null && error === null) return null
  const shown = failure ?? error
  return (
    <section class="across">
      <h2>Rollout</h2>
      {shown !== null && <Alert onRetry={reload}>{shown.message}</Alert>}
      {data !== null && <RolloutState rollout={data} />}
      {data?.status === 'running' && canChange && (
        <div class="buttons">
          <button type="button" class="danger" onClick={() => setAsked(true)}>
            Cancel the rollout
          </button>
        </div>
      )}
      {isAsked && data !== null && (
        <Confirm
          title="Cancel this rollout?"
          action="Cancel the rollout"
          onConfirm={cancel}
          onClose={() => setAsked(false)}
        >
          <p>All sessions get version {data.from} again. You can start another rollout at any time.</p>
        </Confirm>
      )}
    </section>
  )
}

function RolloutState({ rollout }: { rollout: Rollout }) {
  const { metrics, abort_if: limits, from, to } = rollout
  const reason = reasonText(rollout)
  const next = rollout.next_step_at
  return (
    <>
      {reason !== null && (
        <Alert>
          It was stopped, and all sessions get version {from} again. {reason}
        </Alert>
      )}
      <Facts
        rows={[
          ['Status', <StatusBadge value={rollout.status} />],
          ['Versions', `from ${from} to ${to}`],
          ['Share of the sessions', `${rollout.percent}% of the steps ${rollout.steps.join(', ')}`],
          ...(next === null ? [] : [['Next step', formatTime(next)] as const]),
          ['Started', formatTime(rollout.started_at)],
          ...(rollout.ended_at === null ? [] : [['Ended', formatTime(rollout.ended_at)] as const]),
        ]}
      />
      <Table
        caption="Both versions in the last 5 minutes"
        rows={(Object.keys(bounds) as Bound[]).map((id) => ({ id, ...bounds[id] }))}
        columns={[
          { name: 'label', label: 'In the last 5 minutes', render: ({ label }) => label },
          ...(['from', 'to'] as const).map((side) => ({
            name: side,
            label: `Version ${rollout[side]} (${formatNumber(metrics[side].requests)} requests)`,
            isNumber: true,
            render: ({ id, format }: { id: Bound; format: (value: number) => string }) =>
              valueText(metrics[side], id, format),
          })),
          {
            name: 'bound',
            label: 'Stops above',
            isNumber: true,
            render: ({ id, format }) => {
              const bound = limits[id]
              return bound === undefined ? '–' : format(bound)
            },
          },
          {
            name: 'state',
            label: 'State',
            render: ({ id }) => {
              const bound = limits[id]
              const value = metrics.to[id]
              if (bound === undefined || value === null) return '–'
              return <Badge tone={value > bound ? 'bad' : 'good'}>{value > bound ? 'above' : 'within'}</Badge>
            },
          },
        ]}
      />
    </>
  )
}

const valueText = (metrics: Metrics, id: Bound, format: (value: number) => string) => {
  const value = metrics[id]
  return value === null ? '–' : format(value)
}

const fields: readonly FieldSpec[] = [
  {
    name: 'steps',
    label: 'Steps in percent of the sessions',
    kind: 'text',
    isRequired: true,
    initial: '5, 25, 100',
    hint: 'Ascending. After 100 the version is live; a last step below 100 stays until you cancel.',
  },
  { name: 'hold_minutes', label: 'Minutes of each step', kind: 'number', isRequired: true, initial: 10 },
  {
    name: 'abort_if',
    label: 'Stop if the new version exceeds',
    kind: 'members',
    hint: 'Judged on its last 5 minutes, once it has answered 50 requests. All sessions then get the live version again.',
    initial: { error_rate: 0.05 },
    members: [
      { name: 'error_rate', label: 'Errors, 0 to 1', kind: 'number', min: 0, max: 1 },
      { name: 'denial_rate', label: 'Denied, 0 to 1', kind: 'number', min: 0, max: 1 },
      { name: 'p95_ms', label: '95th percentile in ms', kind: 'number', min: 0 },
      { name: 'cost_per_request', label: 'Cost of a request in US cents', kind: 'number', min: 0 },
    ],
  },
]

interface StartProps {
  config: unknown
  version: number
  object: Changeable<Row>
  onClose: () => void
}

export function StartRollout({ config, version, object, onClose }: StartProps) {
  const { attempt } = useChange(object)
  const [texts, setTexts] = useState(initialTexts(fields))
  const [own, setOwn] = useState(faultsOf(null))
  const start = async () => {
    const { body, faults } = bodyOf(fields, texts, null)
    setOwn(faults)
    if (faults.length > 0) return
    const { steps, ...rest } = body
    const path = { id: config }
    await attempt({
      send: () =>
        call('POST', '/v1/configs/{id}/rollout', {
          path,
          body: {
            ...(rest as Omit<Body<'post', '/v1/configs/{id}/rollout'>, 'to'>),
            steps: String(steps ?? '')
              .split(/[\s,]+/)
              .filter(Boolean)
              .map(Number),
            to: version,
          },
        }),
      said: () => ({
        text: `The rollout of version ${version} has started.`,
        undo: () => call('DELETE', '/v1/configs/{id}/rollout', { path }),
      }),
      refused: 'The rollout was not started',
    })
    onClose()
  }
  return (
    <FormDialog title={`Roll out version ${version}`} action="Start" onSend={start} onClose={onClose}>
      {(error) => (
        <>
          <p>A session that gets the new version keeps it. You can cancel at any time.</p>
          <ObjectFields fields={fields} texts={texts} onChange={setTexts} faults={faultsOf(error, own)} />
        </>
      )}
    </FormDialog>
  )
}
