/** An answer of the playground while it streams, and its log entry afterwards. */
import { useEffect, useState } from 'preact/hooks'
import { load, urlOf } from '../../api.ts'
import type { Schema } from '../../api-types.ts'
import { Alert } from '../../parts/alert.tsx'
import { Facts, formatCents, formatMs } from '../../parts/cells.tsx'
import { GuardrailVerdicts } from '../../parts/guardrail-verdicts.tsx'
import { Waterfall } from '../../parts/waterfall.tsx'
import { Link, root } from '../../router.tsx'
import { useMay } from '../../session.tsx'
import type { Run } from './playground-run.ts'
import { argumentsText, type Said } from './playground-said.ts'

/** The entry has no bodies and steps if the user may only see lists. */
type Entry = Schema<'Log'> & Partial<Schema<'LogEntry'>>

export function Answer({ run, label }: { run: Run | null; label: string }) {
  const may = useMay()
  const trace = run?.facts.find(([name]) => name === 'Trace')?.[1]
  const [entry, setEntry] = useState<Entry | null>(null)
  const isDone = run?.isDone === true
  useEffect(() => {
    setEntry(null)
    if (!isDone || trace === undefined || !may(['logs.list'])) return
    const control = new AbortController()
    void findEntry(trace, may(['logs.view']), control.signal).then(setEntry)
    return () => control.abort()
  }, [isDone, trace])
  return (
    <>
      <div
        class="answer"
        role="log"
        aria-label={label}
        aria-busy={run !== null && !isDone ? 'true' : 'false'}
        tabIndex={0}
      >
        {run === null && <p class="note">The answer appears here.</p>}
        {run !== null && <SaidParts said={run.said} isDone={isDone && run.error === null} />}
      </div>
      {run?.error !== null && run?.error !== undefined && <Alert>{run.error}</Alert>}
      {run !== null && run.facts.length > 0 && (
        <Facts
          rows={[
            ...run.facts,
            ...(entry === null
              ? []
              : ([
                  ['Cost', entry.cost_known === false ? 'unknown' : formatCents(entry.cost)],
                  ['Latency', formatMs(entry.response_time)],
                  ['Log', <Link to={`${root}/logs/${String(entry.id)}`}>Open the log entry</Link>],
                ] as const)),
          ]}
        />
      )}
      {entry !== null && entry.decisions !== undefined && (
        <details>
          <summary>What happened</summary>
          <GuardrailVerdicts results={entry.hook_results} />
          <Waterfall row={entry} />
        </details>
      )}
    </>
  )
}

function SaidParts({ said, isDone }: { said: Said; isDone: boolean }) {
  const { text, reasoning, refusal, toolCalls } = said
  const isNothing = [text, reasoning, refusal].every((one) => one === '') && toolCalls.length === 0
  return (
    <>
      {reasoning !== '' && (
        <p class="reasoning">
          <strong>Reasoning</strong>
          {`\n${reasoning}`}
        </p>
      )}
      {text}
      {refusal !== '' && (
        <p class="refusal">
          <strong>Refusal</strong>
          {`\n${refusal}`}
        </p>
      )}
      {toolCalls.map((call, index) => (
        <p key={index}>
          <strong>
            Tool call: <code>{call.name}</code>
          </strong>
          {'\n'}
          <code>{argumentsText(call.arguments)}</code>
        </p>
      ))}
      {isDone && isNothing && <p class="note">The answer is empty.</p>}
    </>
  )
}

const waitsMs = [300, 700, 1_500, 3_000, 6_000, 10_000, 20_000]

/** The entry is written after the answer, so the log is queried several times. */
async function findEntry(trace: string, isWhole: boolean, signal: AbortSignal): Promise<Entry | null> {
  for (const wait of waitsMs) {
    await new Promise((resolve) => setTimeout(resolve, wait))
    if (signal.aborted) return null
    try {
      const { data } = await load(urlOf('/v1/logs', { query: { page_size: 1, trace_id: trace } }), { signal })
      const [found] = data
      if (found === undefined) continue
      return isWhole ? await load(urlOf('/v1/logs/{id}', { path: { id: found.id } }), { signal }) : found
    } catch {
      return null
    }
  }
  return null
}
