/**
 * Sends a message to any model, config or prompt, with streaming, up to four targets side by side, attempts and cost.
 * The request can be copied as curl or SDK code, and saved as a prompt version or a test case.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import { type Url, urlOf } from '../../api.ts'
import { textOf } from '../../parts/cells.tsx'
import { AreaField } from '../../parts/field.tsx'
import { WorkspaceField } from '../../parts/object-form.tsx'
import { Page } from '../../parts/page.tsx'
import { Skeleton } from '../../parts/skeleton.tsx'
import { useQuery } from '../../query.tsx'
import { Link, root, useFilters } from '../../router.tsx'
import { useMay } from '../../session.tsx'
import { Answer } from './playground-answer.tsx'
import { CodeButtons } from './playground-code.tsx'
import { emptyRun, type Run, runChat } from './playground-run.ts'
import { SaveButtons } from './playground-save.tsx'
import { type Beginning, linkedOf, mostTargets, startOf } from './playground-start.ts'
import {
  type Asked,
  callOf,
  emptyTarget,
  isComplete,
  type Target,
  TargetFields,
  turnsOf,
} from './playground-target.tsx'

const scopes = ['completions.write']

export function PlaygroundPage() {
  const [query] = useFilters()
  const log = query.get('log')
  const { data, error, isBusy, reload } = useQuery(
    log === null ? null : urlOf('/v1/logs/{id}', { path: { id: log } }),
  )
  if (log === null || (data !== null && !isBusy && error === null))
    return <Playground key={log} first={startOf(query, log === null ? null : data)} />
  return (
    <Page title="Playground" isBusy={isBusy} error={error} onRetry={reload} scopes={scopes}>
      {error !== null && (
        <p>
          The logged request of this address could not be read.{' '}
          <Link to={`${root}/playground`}>Start with an empty playground.</Link>
        </p>
      )}
      {isBusy && <Skeleton />}
    </Page>
  )
}

/** The targets and their last runs. The address keeps the targets. */
function useTargets(start: Beginning) {
  const [, changeAddress] = useFilters()
  const [targets, setTargets] = useState<readonly Target[]>(
    start.targets.map((target) => ({ ...emptyTarget, ...target })),
  )
  const [runs, setRuns] = useState<readonly (Run | null)[]>(start.targets.map(() => null))
  const control = useRef<AbortController | null>(null)
  const [isBusy, setBusy] = useState(false)
  useEffect(() => () => control.current?.abort(), [])
  const put = (next: readonly Target[]) => {
    setTargets(next)
    setRuns((old) => next.map((_, index) => old[index] ?? null))
    changeAddress(linkedOf(next), true)
  }
  return {
    targets,
    runs,
    isBusy,
    put,
    change: (index: number, changes: Partial<Target>) =>
      put(targets.map((one, place) => (place === index ? { ...one, ...changes } : one))),
    stop: () => control.current?.abort(),
    async run(asked: Asked) {
      control.current?.abort()
      const current = new AbortController()
      control.current = current
      setBusy(true)
      setRuns(targets.map(() => emptyRun))
      await Promise.all(
        targets.map((target, index) => {
          const { path, body, headers } = callOf(target, asked)
          return runChat(path, { body, headers, signal: current.signal }, (run) =>
            setRuns((old) => old.map((one, place) => (place === index ? run : one))),
          )
        }),
      )
      setBusy(false)
    },
  }
}

type Targets = ReturnType<typeof useTargets>

/** @param first the initial state, which is read only when the page is opened */
function Playground({ first }: { first: Beginning }) {
  const [start] = useState(first)
  const [asked, setAsked] = useState<Asked>({
    system: start.system,
    turns: start.turns,
    message: start.message,
    workspace: start.workspace,
  })
  const all = useTargets(start)
  const { targets, isBusy, put } = all
  const isPair = targets.length > 1
  return (
    <Page
      title="Playground"
      isBusy={isBusy}
      scopes={scopes}
      actions={
        <>
          {targets.length < mostTargets && (
            <button type="button" onClick={() => put([...targets, targets.at(-1) ?? emptyTarget])}>
              {isPair ? 'Add another' : 'Compare two'}
            </button>
          )}
          {isPair && (
            <button type="button" onClick={() => put(targets.slice(0, 1))}>
              Only one
            </button>
          )}
        </>
      }
    >
      <Choices />
      <div class={isPair ? undefined : 'halves'}>
        <RequestForm
          all={all}
          asked={asked}
          hasTurns={start.turns !== ''}
          onChange={(changes) => setAsked((old) => ({ ...old, ...changes }))}
        />
        <Answers all={all} asked={asked} />
      </div>
    </Page>
  )
}

interface RequestProps {
  all: Targets
  asked: Asked
  /** Whether the form begins with earlier turns. */
  hasTurns: boolean
  onChange: (changes: Partial<Asked>) => void
}

/** The messages and the targets to send them to. */
function RequestForm({ all, asked, hasTurns, onChange }: RequestProps) {
  const [, changeAddress] = useFilters()
  const { targets, isBusy } = all
  const [isLoading, setLoading] = useState(false)
  const { system, turns, message, workspace } = asked
  const isPair = targets.length > 1
  const send = (event: Event) => {
    event.preventDefault()
    if (targets.every(isComplete) && turnsOf(turns) !== null) void all.run(asked)
  }
  return (
    <form onSubmit={send}>
      <WorkspaceField
        value={workspace}
        onChange={(next) => {
          onChange({ workspace: next })
          changeAddress({ workspace_id: next }, true)
        }}
        onLoading={setLoading}
      />
      <AreaField label="System" value={system} onChange={(next) => onChange({ system: next })} rows={2} />
      <details open={hasTurns}>
        <summary>Earlier turns</summary>
        <AreaField
          label="Turns before the last one"
          value={turns}
          onChange={(next) => onChange({ turns: next })}
          rows={Math.min(16, Math.max(4, turns.split('\n').length))}
          isCode
          fault={turnsOf(turns) === null ? 'This is not a JSON list of messages.' : null}
          hint='As JSON: [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi"}]'
        />
      </details>
      <AreaField label="Message" value={message} onChange={(next) => onChange({ message: next })} rows={5} />
      <div class={isPair ? `side of-${targets.length}` : ''}>
        {targets.map((target, index) => (
          <TargetFields
            key={index}
            title={isPair ? `Target ${index + 1}` : 'Target'}
            target={target}
            onChange={(changes) => all.change(index, changes)}
            workspace={workspace}
          />
        ))}
      </div>
      <div class="buttons">
        <button type="submit" class="primary" disabled={isBusy || isLoading}>
          Send
        </button>
        {isBusy && (
          <button type="button" onClick={all.stop}>
            Stop
          </button>
        )}
      </div>
    </form>
  )
}

/** The answer of each target, with what can be done with it. */
function Answers({ all: { targets, runs }, asked }: { all: Targets; asked: Asked }) {
  const isPair = targets.length > 1
  return (
    <div class={isPair ? `side of-${targets.length}` : ''}>
      {targets.map((target, index) => {
        const title = isPair ? `Answer ${index + 1}` : 'Answer'
        return (
          <section key={index}>
            <h2>{title}</h2>
            <Answer run={runs[index] ?? null} label={title} />
            <CodeButtons call={callOf(target, asked)} prompt={target.prompt.trim()} />
            <SaveButtons
              call={callOf(target, asked)}
              prompt={target.prompt.trim()}
              workspace={asked.workspace}
              answer={runs[index]?.said.text ?? ''}
              place={index}
            />
          </section>
        )
      })}
    </div>
  )
}

/** The suggestions for the fields. */
function Choices() {
  const may = useMay()
  const list = <R,>(scope: string, url: Url<{ data: R[] }>) =>
    useQuery(may([scope]) ? url : null).data?.data ?? []
  const some = { query: { page_size: 100 } }
  const models = list('models.list', urlOf('/v1/models', { query: { limit: 200 } }))
  const configs = list('configs.list', urlOf('/v1/configs', some))
  const prompts = list('prompts.list', urlOf('/v1/prompts', some))
  return (
    <>
      <datalist id="playground-models">
        {models.map(({ id }) => (
          <option key={String(id)} value={textOf(id)} />
        ))}
      </datalist>
      <datalist id="playground-configs">
        {configs.map(({ id, slug, name }) => (
          <option key={String(id)} value={textOf(slug)} label={textOf(name)} />
        ))}
      </datalist>
      <datalist id="playground-prompts">
        {prompts.map(({ id, slug, name }) => (
          <option key={String(id)} value={textOf(slug)} label={textOf(name)} />
        ))}
      </datalist>
    </>
  )
}
