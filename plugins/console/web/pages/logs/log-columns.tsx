/** The columns of the log. The address contains the visible ones, so a saved view keeps them. */
import { useState } from 'preact/hooks'
import type { Schema } from '../../api-types.ts'
import { rowOf } from '../../json.ts'
import { cacheText } from '../../parts/cache-text.ts'
import { formatCents, formatMs, formatNumber, formatTime, HttpStatus, textOf } from '../../parts/cells.tsx'
import { endpointText } from '../../parts/endpoint-text.ts'
import { LogMarks } from '../../parts/log-marks.tsx'
import { useKeyNames } from '../../parts/object-names.ts'
import { Pairs } from '../../parts/pairs.tsx'
import type { Column } from '../../parts/table.tsx'
import { Link, root, useFilters } from '../../router.tsx'

/** All columns, from which the user chooses. */
const all: readonly Column<Schema<'Log'>>[] = [
  {
    name: 'created_at',
    label: 'Time',
    sort: 'created_at',
    isShort: true,
    render: (row) => <Link to={`${root}/logs/${String(row.id)}`}>{formatTime(row.created_at)}</Link>,
  },
  {
    name: 'status',
    label: 'Status',
    render: (row) => <HttpStatus value={row.response_status_code} />,
  },
  {
    name: 'model',
    label: 'Model',
    render: (row) => textOf(row.ai_model ?? row.requested_model),
  },
  {
    name: 'provider',
    label: 'Provider',
    render: (row) => textOf(row.provider ?? row.ai_org),
  },
  {
    name: 'endpoint',
    label: 'Endpoint',
    isShort: true,
    render: (row) => <span title={textOf(row.endpoint_type)}>{endpointText(textOf(row.endpoint_type))}</span>,
  },
  {
    name: 'tokens',
    label: 'Tokens',
    sort: 'total_units',
    isNumber: true,
    render: (row) => formatNumber(row.total_units),
  },
  {
    name: 'cost',
    label: 'Cost',
    sort: 'cost',
    isNumber: true,
    render: (row) => (row.cost_known === false ? 'unknown' : formatCents(row.cost)),
  },
  {
    name: 'time',
    label: 'Latency',
    sort: 'response_time',
    isNumber: true,
    render: (row) => formatMs(row.response_time),
  },
  { name: 'marks', label: 'Marks', render: (row) => <LogMarks row={row} /> },
  { name: 'key', label: 'Key', render: (row) => textOf(row.api_key_id) },
  { name: 'config', label: 'Config', render: (row) => textOf(row.config) },
  { name: 'prompt', label: 'Prompt', render: (row) => textOf(row.prompt_slug) },
  { name: 'cache', label: 'Cache', render: (row) => cacheText(row.cache_status) },
  {
    name: 'first-token',
    label: 'First token',
    sort: 'time_to_first_token',
    isNumber: true,
    render: (row) => formatMs(row.time_to_first_token),
  },
  { name: 'gateway', label: 'Gateway’s time', isNumber: true, render: (row) => formatMs(row.gateway_time) },
  { name: 'metadata', label: 'Metadata', render: (row) => <Pairs values={rowOf(row.metadata)} /> },
  { name: 'trace', label: 'Trace', render: (row) => <code>{textOf(row.trace_id)}</code> },
]

const usual = ['status', 'model', 'provider', 'endpoint', 'tokens', 'cost', 'time', 'marks']

/**
 * Returns the columns of the address, in their usual order. The time links to the entry and is always shown.
 * @param rows rows whose keys are shown by name
 */
export function useLogColumns(rows: readonly Schema<'Log'>[]) {
  const [query, change] = useFilters()
  const chosen = query.get('columns')?.split(',') ?? usual
  const choose = (name: string, isShown: boolean) => {
    const next = all
      .map((column) => column.name)
      .filter((one) => (one === name ? isShown : chosen.includes(one)))
    change({ columns: next.join() === usual.join() ? null : next.join() || 'none' }, true)
  }
  const named = useKeyNames(chosen.includes('key') ? rows.map((row) => textOf(row.api_key_id)) : [])
  const columns = all
    .filter(({ name }) => name === always || chosen.includes(name))
    .map((one) =>
      one.name === 'key' ? { ...one, render: (row: Schema<'Log'>) => named(textOf(row.api_key_id)) } : one,
    )
  return { columns, chosen, choose }
}

const always = 'created_at'

type Choice = Pick<ReturnType<typeof useLogColumns>, 'chosen' | 'choose'>

export function ColumnChoice({ chosen, choose }: Choice) {
  const [isOpen, setOpen] = useState(false)
  return (
    <details class="columns" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Columns</summary>
      {isOpen && (
        <fieldset class="choices">
          <legend class="hidden">Columns of the log</legend>
          {all
            .filter(({ name }) => name !== always)
            .map(({ name, label }) => (
              <label key={name} class="switch">
                <input
                  type="checkbox"
                  checked={chosen.includes(name)}
                  onChange={(event) => choose(name, event.currentTarget.checked)}
                />
                {label}
              </label>
            ))}
        </fieldset>
      )}
    </details>
  )
}
