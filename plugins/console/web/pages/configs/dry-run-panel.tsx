/** A form for a dry run of a config, saved or in the editor, and its result: errors, guardrails, cache and limits. */
import { useEffect, useState } from 'preact/hooks'
import type { Row } from '../../api.ts'
import type { Schema } from '../../api-types.ts'
import { rowOf, rowsOf } from '../../json.ts'
import { Alert } from '../../parts/alert.tsx'
import { cacheText } from '../../parts/cache-text.ts'
import { Badge, Facts, formatNumber, formatTime, textOf } from '../../parts/cells.tsx'
import { AreaField, TextField } from '../../parts/field.tsx'
import { useLimitNames } from '../../parts/object-names.ts'
import { Table } from '../../parts/table.tsx'
import { rateUnitWords } from '../../resources/limits.ts'
import { useFilters } from '../../router.tsx'
import type { DryRunQuery } from './dry-run.tsx'

/** Parameters of the address for the request whose dry run is shown. */
const parameters = {
  model: 'dry_run_model',
  message: 'dry_run_message',
  metadata: 'dry_run_metadata',
} as const

/** Longer requests are not stored in the address, because addresses are limited in length. */
const mostCharsInAddress = 1000

export function DryRunPanel({ dryRun, isDraft }: { dryRun: DryRunQuery; isDraft: boolean }) {
  const [query, change] = useFilters()
  const linked = query.get(parameters.message)
  const [model, setModel] = useState(query.get(parameters.model) ?? '')
  const [message, setMessage] = useState(linked ?? 'hello')
  const [metadata, setMetadata] = useState(query.get(parameters.metadata) ?? '')
  const [wasAsked, setAsked] = useState(false)
  const run = async () => {
    // A request requires a model, even if the config replaces it.
    const body: Row = { model: model.trim() || 'any', messages: [{ role: 'user', content: message }] }
    await dryRun.run(body, metadata.trim() === '' ? {} : { 'x-gateway-metadata': metadata.trim() })
    setAsked(true)
  }
  const send = (event: Event) => {
    event.preventDefault()
    const isShort = model.length + message.length + metadata.length <= mostCharsInAddress
    change(
      {
        [parameters.model]: isShort ? model : null,
        [parameters.message]: isShort ? message : null,
        [parameters.metadata]: isShort ? metadata : null,
      },
      true,
    )
    void run()
  }
  // A link shows the same result that its sender has seen.
  useEffect(() => {
    if (linked !== null) void run()
  }, [])
  return (
    <section class="across" aria-busy={dryRun.isBusy ? 'true' : 'false'}>
      <h2>Dry run</h2>
      <p class="about">
        Shows what would happen to a request
        {isDraft ? ' with the config in the editor, which is not saved yet' : ' with the saved config'}.
        Nothing is sent to a provider, counted or logged.
      </p>
      <form class="form" onSubmit={send}>
        <div class="pair">
          <TextField
            label="Model"
            value={model}
            onChange={setModel}
            placeholder="@provider/model"
            hint="Leave empty if the config sets one."
          />
          <TextField
            label="Metadata"
            value={metadata}
            onChange={setMetadata}
            placeholder='{"plan": "free"}'
            hint="As the request would send it. Conditions can use it."
          />
        </div>
        <AreaField label="Message" value={message} onChange={setMessage} rows={2} />
        <div class="buttons">
          <button type="submit" disabled={dryRun.isBusy}>
            Dry run
          </button>
        </div>
      </form>
      {dryRun.error !== null && <Alert>{dryRun.error.message}</Alert>}
      <div role="status">
        {wasAsked && dryRun.answer !== null && (
          <p>{dryRun.answer.valid === true ? 'The config is valid.' : 'The config is not valid.'}</p>
        )}
      </div>
      {wasAsked && dryRun.answer !== null && <Outcome answer={dryRun.answer} />}
    </section>
  )
}

const namesOf = (rows: readonly Row[]) =>
  rows.length === 0 ? 'none' : rows.map(({ id, source }) => `${textOf(id)} (${textOf(source)})`).join(', ')

function Outcome({ answer }: { answer: Schema<'DryRun'> }) {
  const errors = rowsOf(answer.errors)
  const guardrails = rowOf(answer.guardrails)
  const { limits } = answer
  const limitName = useLimitNames(limits.map(({ param }) => param))
  return (
    <>
      {errors.length > 0 && (
        <ul class="faults" aria-label="Faults">
          {errors.map(({ param, message }, index) => (
            <li key={index}>
              {param !== null && <code>{textOf(param)}</code>} {textOf(message)}
            </li>
          ))}
        </ul>
      )}
      <Facts
        rows={[
          ['Request guardrails', namesOf(rowsOf(guardrails.input))],
          ['Response guardrails', namesOf(rowsOf(guardrails.output))],
          ['Cache', cacheText(rowOf(answer.cache).would)],
        ]}
      />
      <Table
        caption="Limits"
        rows={limits.map((row, index) => ({ ...row, id: index }))}
        empty="No limit applies to this request."
        columns={[
          {
            name: 'param',
            label: 'Limit',
            render: (row) => <span title={row.param}>{limitName(row.param)}</span>,
          },
          {
            name: 'type',
            label: 'Of',
            render: (row) =>
              [row.type, row.unit == null ? '' : (rateUnitWords[row.unit] ?? row.unit)]
                .filter(Boolean)
                .join(' '),
          },
          {
            name: 'used',
            label: 'Used',
            isNumber: true,
            render: (row) => `${formatNumber(row.used)} of ${formatNumber(row.limit)}`,
          },
          {
            name: 'reset',
            label: 'Resets',
            render: (row) => formatTime(row.reset_at),
          },
          {
            name: 'refused',
            label: 'Outcome',
            render: (row) => (
              <Badge tone={row.refused === true ? 'bad' : 'good'}>
                {row.refused === true ? 'refused' : 'allowed'}
              </Badge>
            ),
          },
        ]}
      />
    </>
  )
}
