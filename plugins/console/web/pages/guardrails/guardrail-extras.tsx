/** Parts of the page that only guardrails have: a test run on a text. */
import { useState } from 'preact/hooks'
import { type ApiError, call } from '../../api.ts'
import type { Schema } from '../../api-types.ts'
import { Alert } from '../../parts/alert.tsx'
import { Badge, formatMs, textOf } from '../../parts/cells.tsx'
import { AreaField, SelectField } from '../../parts/field.tsx'
import { Table } from '../../parts/table.tsx'
import { asApiError } from '../../query.tsx'
import { useMay } from '../../session.tsx'
import type { ExtrasProps } from '../objects/extras.ts'

type Hook = 'beforeRequestHook' | 'afterRequestHook'

export function GuardrailExtras({ row }: ExtrasProps) {
  const may = useMay()
  const [hook, setHook] = useState<Hook>('beforeRequestHook')
  const [text, setText] = useState('')
  const [result, setResult] = useState<Schema<'HookResult'> | null>(null)
  const [error, setError] = useState<ApiError | null>(null)
  const [isBusy, setBusy] = useState(false)
  if (!may(['guardrails.invoke'])) return null
  const run = async (event: Event) => {
    event.preventDefault()
    setBusy(true)
    setError(null)
    setResult(null)
    const isAfter = hook === 'afterRequestHook'
    const request = {
      json: { model: 'any', messages: [{ role: 'user', content: isAfter ? 'Hello' : text }] },
    }
    const choices = [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }]
    const response = isAfter ? { response: { json: { object: 'chat.completion', choices } } } : {}
    try {
      setResult(
        await call('POST', '/v1/guardrails/{id}/invoke', {
          path: { id: row.id },
          body: { hook, request, ...response },
          headers:
            typeof row.workspace_id === 'string' ? { 'x-gateway-workspace-id': row.workspace_id } : undefined,
        }),
      )
    } catch (fault) {
      setError(asApiError(fault))
    }
    setBusy(false)
  }
  const checks = result?.checks ?? []
  return (
    <section aria-busy={isBusy ? 'true' : 'false'}>
      <h2>Try it on a text</h2>
      <form class="form" onSubmit={(event) => void run(event)}>
        <SelectField
          label="Phase"
          value={hook}
          onChange={(next) => setHook(next === 'afterRequestHook' ? next : 'beforeRequestHook')}
          options={[
            ['beforeRequestHook', 'Request'],
            ['afterRequestHook', 'Response'],
          ]}
        />
        <AreaField label="Text" value={text} onChange={setText} rows={4} />
        <div class="buttons">
          <button type="submit" disabled={isBusy}>
            Try
          </button>
        </div>
      </form>
      {error !== null && <Alert>{error.message}</Alert>}
      <div role="status">
        {result !== null && (
          <p>
            Verdict:{' '}
            <Badge tone={result.verdict === true ? 'good' : 'bad'}>
              {result.verdict === true ? 'passed' : 'failed'}
            </Badge>
            {result.deny === true && ' The request would be denied.'}
            {result.transformed === true && ' The text would be changed.'}
          </p>
        )}
      </div>
      {result !== null && (
        <Table
          caption="Checks"
          rows={checks}
          columns={[
            { name: 'id', label: 'Check', render: (one) => <code>{textOf(one.id)}</code> },
            { name: 'verdict', label: 'Passed', render: (one) => textOf(one.verdict) },
            { name: 'time', label: 'Time', render: (one) => formatMs(one.execution_time) },
            { name: 'data', label: 'Data', render: (one) => <code>{textOf(one.error ?? one.data)}</code> },
          ]}
        />
      )}
    </section>
  )
}
