/** Any model or config on a message: streamed, two side by side, with attempts and cost, as curl and as code. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { call, type Json, type List, type Row } from '../api.ts'
import { Facts, formatCents, formatMs, textOf } from '../parts/cells.tsx'
import { CopyButton } from '../parts/copy.tsx'
import { curlOf, openaiCodeOf } from '../parts/curl.ts'
import { AreaField, TextField } from '../parts/field.tsx'
import { WorkspaceField } from '../parts/object-form.tsx'
import { Page } from '../parts/page.tsx'
import { useQuery } from '../query.tsx'
import { Link, root } from '../router.tsx'
import { useMay } from '../session.tsx'
import { emptyRun, type Run, runChat } from './playground-run.ts'
import { takeStart } from './playground-start.ts'

interface Target {
  model: string
  config: string
}

const headersOf = ({ config }: Target, workspace: string): Record<string, string> => ({
  ...(config.trim() === '' ? {} : { 'x-gateway-config': config.trim() }),
  ...(workspace === '' ? {} : { 'x-gateway-workspace-id': workspace }),
})

export function PlaygroundPage() {
  const may = useMay()
  const [start] = useState(takeStart)
  const [system, setSystem] = useState('')
  const [message, setMessage] = useState(start.message)
  const [workspace, setWorkspace] = useState('')
  const [targets, setTargets] = useState<readonly Target[]>([{ model: start.model, config: '' }])
  const [runs, setRuns] = useState<readonly (Run | null)[]>([null])
  const control = useRef<AbortController | null>(null)
  const [isBusy, setBusy] = useState(false)
  const providers = useQuery<List>(may(['providers.list']) ? '/v1/providers?page_size=100' : null)
  useEffect(() => () => control.current?.abort(), [])
  const bodyOf = ({ model }: Target): Row => ({
    ...(model.trim() === '' ? {} : { model: model.trim() }),
    messages: [
      ...(system.trim() === '' ? [] : [{ role: 'system', content: system }]),
      { role: 'user', content: message },
    ],
  })
  const sendAll = async (event: Event) => {
    event.preventDefault()
    control.current?.abort()
    const current = new AbortController()
    control.current = current
    setBusy(true)
    setRuns(targets.map(() => emptyRun))
    await Promise.all(
      targets.map((target, index) =>
        runChat(bodyOf(target), headersOf(target, workspace), current.signal, (run) =>
          setRuns((old) => old.map((one, place) => (place === index ? run : one))),
        ),
      ),
    )
    setBusy(false)
  }
  const change = (index: number, changes: Partial<Target>) =>
    setTargets(targets.map((one, place) => (place === index ? { ...one, ...changes } : one)))
  const compare = () => {
    const [first = { model: '', config: '' }] = targets
    setTargets(targets.length === 1 ? [first, { ...first }] : [first])
    setRuns(targets.length === 1 ? [runs[0] ?? null, null] : [runs[0] ?? null])
  }
  return (
    <Page
      title="Playground"
      isBusy={isBusy || providers.isBusy}
      scopes={['completions.write']}
      actions={
        <button type="button" onClick={compare}>
          {targets.length === 1 ? 'Compare two' : 'Only one'}
        </button>
      }
    >
      <datalist id="playground-models">
        {(providers.data?.data ?? []).map((row) => (
          <option key={String(row.id)} value={`@${textOf(row.slug)}/`} />
        ))}
      </datalist>
      <form class="form" onSubmit={(event) => void sendAll(event)}>
        <WorkspaceField value={workspace} onChange={setWorkspace} />
        <AreaField label="System" value={system} onChange={setSystem} rows={2} />
        <AreaField label="Message" value={message} onChange={setMessage} rows={5} />
        <div class={targets.length > 1 ? 'side' : ''}>
          {targets.map((target, index) => (
            <fieldset key={index}>
              <legend>{targets.length > 1 ? `Target ${index + 1}` : 'Target'}</legend>
              <TextField
                label="Model"
                value={target.model}
                onChange={(model) => change(index, { model })}
                placeholder="@provider/model"
                hint="@slug/model, or empty where the config names one."
              />
              <TextField
                label="Config"
                value={target.config}
                onChange={(config) => change(index, { config })}
                hint="The slug of a config, or a config as JSON."
              />
            </fieldset>
          ))}
        </div>
        <div class="buttons">
          <button type="submit" class="primary" disabled={isBusy}>
            Send
          </button>
          {isBusy && (
            <button type="button" onClick={() => control.current?.abort()}>
              Stop
            </button>
          )}
        </div>
      </form>
      <div class={targets.length > 1 ? 'side' : ''}>
        {targets.map((target, index) => (
          <section key={index}>
            <h2>{targets.length > 1 ? `Answer ${index + 1}` : 'Answer'}</h2>
            <Answer run={runs[index] ?? null} label={targets.length > 1 ? `Answer ${index + 1}` : 'Answer'} />
            <div class="buttons">
              <CopyButton
                text={curlOf('/v1/chat/completions', bodyOf(target), headersOf(target, workspace))}
                label="Copy as curl"
              />
              <CopyButton
                text={openaiCodeOf(bodyOf(target), headersOf(target, workspace))}
                label="Copy as OpenAI code"
              />
            </div>
          </section>
        ))}
      </div>
    </Page>
  )
}

function Answer({ run, label }: { run: Run | null; label: string }) {
  const may = useMay()
  const trace = run?.facts.find(([name]) => name === 'Trace')?.[1]
  const [entry, setEntry] = useState<Row | null>(null)
  const isDone = run?.isDone === true
  useEffect(() => {
    setEntry(null)
    if (!isDone || trace === undefined || !may(['logs.list'])) return
    const control = new AbortController()
    void findEntry(trace, control.signal).then(setEntry)
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
        {run?.text}
      </div>
      {run?.error !== null && run?.error !== undefined && (
        <div role="alert" class="alert">
          <p>{run.error}</p>
        </div>
      )}
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
    </>
  )
}

const waitsMs = [300, 700, 1_500, 3_000]

/** Entries are written behind the answer: it is asked for a few times. */
async function findEntry(trace: string, signal: AbortSignal): Promise<Row | null> {
  for (const wait of waitsMs) {
    await new Promise((resolve) => setTimeout(resolve, wait))
    if (signal.aborted) return null
    try {
      const { data } = await call<{ data: Json[] & Row[] }>(
        'GET',
        `/v1/logs?page_size=1&trace_id=${encodeURIComponent(trace)}`,
        undefined,
        { signal },
      )
      if (data[0] !== undefined) return data[0]
    } catch {
      return null
    }
  }
  return null
}
