/** The guardrails' verdicts on a request, each with its checks, from the log. */
import type { Row } from '../api.ts'
import { rowOf, rowsOf } from '../json.ts'
import { Badge, formatMs, textOf } from './cells.tsx'
import { Table } from './table.tsx'

const phases = [
  ['before_request_hooks', 'Request'],
  ['after_request_hooks', 'Answer'],
] as const

const checkText = (check: Row) =>
  `${textOf(check.id)} ${check.error !== null && check.error !== undefined ? 'could not run' : check.verdict === true ? 'passed' : 'failed'}`

export function GuardrailVerdicts({ results }: { results: unknown }) {
  const rows = phases.flatMap(([name, phase]) =>
    rowsOf(rowOf(results)[name]).map((row): Row => ({ ...row, phase })),
  )
  if (rows.length === 0) return null
  return (
    <Table
      caption="Guardrails"
      rows={rows.map((row, index): Row => ({ ...row, guardrail: row.id, id: index }))}
      columns={[
        { name: 'guardrail', label: 'Guardrail', render: (row) => <code>{textOf(row.guardrail)}</code> },
        { name: 'phase', label: 'Phase', render: (row) => textOf(row.phase) },
        {
          name: 'verdict',
          label: 'Verdict',
          render: (row) => (
            <Badge tone={row.verdict === true ? 'good' : 'bad'}>
              {row.verdict === true ? 'passed' : row.deny === true ? 'denied' : 'failed'}
            </Badge>
          ),
        },
        {
          name: 'checks',
          label: 'Checks',
          render: (row) => rowsOf(row.checks).map(checkText).join(', '),
        },
        { name: 'time', label: 'Time', isNumber: true, render: (row) => formatMs(row.execution_time) },
      ]}
    />
  )
}
