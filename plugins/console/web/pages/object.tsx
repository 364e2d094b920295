/** One object of any kind: its editable fields, its facts, and the parts that only its kind has. */
import type { ComponentType } from 'preact'
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { type ApiError, type Row, send, urlOf } from '../api.ts'
import { rowOf } from '../json.ts'
import { Alert } from '../parts/alert.tsx'
import { Facts, formatTime, StatusBadge, textOf } from '../parts/cells.tsx'
import { Confirm } from '../parts/dialog.tsx'
import { bodyOf, textsOf } from '../parts/field-text.ts'
import { nearest } from '../parts/nearest.ts'
import { faultsOf, ObjectFields } from '../parts/object-form.tsx'
import { Page } from '../parts/page.tsx'
import { Pairs } from '../parts/pairs.tsx'
import { notify } from '../parts/toast.tsx'
import { cannotBeUndone, useUndo } from '../parts/undo.ts'
import { asApiError, useQuery } from '../query.tsx'
import type { FieldSpec } from '../resources/declare.ts'
import { nameOf, type Resource, scopesFor } from '../resources.ts'
import { Link, navigate, root } from '../router.tsx'
import { useMay } from '../session.tsx'
import type { ExtrasProps } from './extras.ts'
import { openPlayground } from './playground-start.ts'
import type { Target } from './playground-target.tsx'

type Loader = () => Promise<ComponentType<ExtrasProps>>

/** The parts of one kind, loaded with its page. */
const extras: Readonly<Record<string, Loader>> = {
  keys: async () => (await import('./key-extras.tsx')).KeyExtras,
  providers: async () => (await import('./provider-extras.tsx')).ProviderExtras,
  configs: async () => (await import('./config-extras.tsx')).ConfigExtras,
  prompts: async () => (await import('./prompt-extras.tsx')).PromptExtras,
  guardrails: async () => (await import('./guardrail-extras.tsx')).GuardrailExtras,
  policies: async () => (await import('./policy-extras.tsx')).PolicyExtras,
  workspaces: async () => (await import('./workspace-extras.tsx')).WorkspaceExtras,
  webhooks: async () => (await import('./webhook-extras.tsx')).WebhookExtras,
  exports: async () => (await import('./export-extras.tsx')).ExportExtras,
}

export function ObjectPage({ resource, id }: { resource: Resource; id: string }) {
  const may = useMay()
  const scopes = scopesFor(resource, 'read')
  const { data, error, isBusy, reload } = useQuery<Row>(
    may(scopes) ? urlOf(resource.one, { path: { id } }) : null,
  )
  const title = data === null ? resource.title : nameOf(resource, data)
  const target = data === null ? null : targetOf(resource, data)
  return (
    <Page
      title={title}
      isBusy={isBusy}
      error={error}
      onRetry={reload}
      scopes={scopes}
      actions={
        target !== null &&
        may(['completions.write']) && (
          <button type="button" onClick={() => openPlayground({ target })}>
            To playground
          </button>
        )
      }
    >
      {error?.status === 404 && <Meant resource={resource} id={id} />}
      {data !== null && <ObjectView resource={resource} row={data} onChanged={reload} />}
    </Page>
  )
}

/** The target of this object for the playground. */
function targetOf({ path }: Resource, row: Row): Partial<Target> | null {
  if (path === 'configs') return { config: textOf(row.slug) }
  if (path === 'prompts') return { prompt: textOf(row.slug) }
  return path === 'providers' ? { model: `@${textOf(row.slug)}/` } : null
}

/** The name or slug among the newest objects that is nearest to the one in the URL. */
function Meant({ resource, id }: { resource: Resource; id: string }) {
  const { data } = useQuery<{ data: readonly Row[] }>(urlOf(resource.api, { query: { page_size: 200 } }))
  const rows = data?.data ?? []
  const names = rows.flatMap((row) => [nameOf(resource, row), String(row.slug ?? '')])
  const meant = nearest(id, names.filter(Boolean))
  const row = rows.find((one) => one.slug === meant || nameOf(resource, one) === meant)
  if (row === undefined) return null
  return (
    <p>
      Did you mean{' '}
      <Link to={`${root}/${resource.path}/${encodeURIComponent(String(row.id))}`}>
        {nameOf(resource, row)}
      </Link>
      ?
    </p>
  )
}

interface ViewProps extends ExtrasProps {
  resource: Resource
}

function ObjectView({ resource, row, onChanged }: ViewProps) {
  const [Extras, setExtras] = useState<ComponentType<ExtrasProps> | null>(null)
  useEffect(() => {
    extras[resource.path]?.().then((component) => setExtras(() => component))
  }, [])
  // Lists of versions reload with each new version.
  const version = `${String(row.version)} ${String(row.latest_version)}`
  const own = Extras === null ? null : <Extras key={version} row={row} onChanged={onChanged} />
  // What cannot be edited is there to be used.
  const isAbove = resource.path === 'keys' || (resource.whyFixed?.(row) ?? null) !== null
  const isBeside = ['configs', 'guardrails'].includes(resource.path)
  return (
    <>
      <Facts
        rows={[
          ['ID', <code>{textOf(row.id)}</code>],
          ...(row.slug === undefined || row.slug === null
            ? []
            : [['Slug', <code>{textOf(row.slug)}</code>] as const]),
          ...(row.status === undefined ? [] : [['Status', <StatusBadge value={row.status} />] as const]),
          ...(row.source === undefined ? [] : [['Source', textOf(row.source)] as const]),
          ...(resource.factsOf?.(row) ?? []),
          ['Created', formatTime(row.created_at)],
          ['Changed', formatTime(row.last_updated_at)],
        ]}
      />
      {isAbove && own}
      <div class={isBeside ? 'beside' : undefined}>
        <EditForm resource={resource} row={row} onChanged={onChanged} />
        {!isAbove && own}
      </div>
    </>
  )
}

/** The values of an object that cannot be edited any more. */
const FixedFields = ({ fields, row }: { fields: readonly FieldSpec[]; row: Row }) => (
  <Facts
    rows={fields.map(({ name, label, kind }) => [
      label,
      kind === 'members' ? <Pairs values={rowOf(row[name])} /> : textOf(row[name]),
    ])}
  />
)

function EditForm({ resource, row, onChanged }: ViewProps) {
  const may = useMay()
  const fields = resource.fields.filter(({ on }) => on !== 'create')
  const before = textsOf(fields, row)
  const [texts, setTexts] = useState(before)
  const [error, setError] = useState<ApiError | null>(null)
  const [own, setOwn] = useState(faultsOf(null))
  const [said, setSaid] = useState('')
  const [isAsked, setAsked] = useState(false)
  const version = JSON.stringify(before)
  // Before the user can type into the old values.
  useLayoutEffect(() => setTexts(before), [version])
  const path = `${resource.api}/${encodeURIComponent(String(row.id))}`
  const undo = useUndo(resource, row)
  const run = async (work: () => Promise<void>) => {
    setError(null)
    setSaid('')
    try {
      await work()
    } catch (fault) {
      setError(asApiError(fault))
    }
  }
  const save = (event: Event) => {
    event.preventDefault()
    const { body, faults } = bodyOf(fields, texts, before)
    setOwn(faults)
    if (faults.length > 0) return
    if (Object.keys(body).length === 0) {
      setSaid('There is nothing to save.')
      return
    }
    void run(async () => {
      await send('PUT', path, resource.path === 'prompts' ? { ...body, patch: true } : body)
      setSaid('Saved.')
      onChanged()
    })
  }
  const remove = async () => {
    const takeBack = await undo?.prepare()
    await send('DELETE', path)
    navigate(`${root}/${resource.path}`)
    notify(`${nameOf(resource, row)} was deleted.`, takeBack)
  }
  const isFile = row.source === 'file'
  const whyFixed = resource.whyFixed?.(row) ?? null
  const canSave = !isFile && whyFixed === null && may(scopesFor(resource, 'update'))
  const canDelete =
    !isFile && resource.path !== 'keys' && resource.canDelete !== false && may(scopesFor(resource, 'delete'))
  return (
    <section aria-label="Edit">
      {isFile && <p class="note">The config file declares this {resource.singular}. Edit it there.</p>}
      {whyFixed !== null && (
        <>
          <h2>Settings</h2>
          <p class="note">{whyFixed}</p>
        </>
      )}
      {error !== null && <Alert>{error.message}</Alert>}
      <form class="form" onSubmit={save} noValidate>
        {whyFixed === null ? (
          <ObjectFields
            fields={fields}
            texts={texts}
            onChange={setTexts}
            faults={faultsOf(error, own)}
            workspace={typeof row.workspace_id === 'string' ? row.workspace_id : null}
          />
        ) : (
          // The heading of the page has its name.
          <FixedFields fields={fields.filter(({ name }) => row[name] !== nameOf(resource, row))} row={row} />
        )}
        <div class="buttons">
          {canSave && (
            <button type="submit" class="primary">
              Save
            </button>
          )}
          {canDelete && (
            <button type="button" class="danger" onClick={() => setAsked(true)}>
              Delete
            </button>
          )}
          <span role="status">{said}</span>
        </div>
      </form>
      {isAsked && (
        <Confirm
          title={`Delete this ${resource.singular}?`}
          action="Delete"
          onClose={() => setAsked(false)}
          onConfirm={() => {
            setAsked(false)
            void run(remove)
          }}
        >
          <p>
            {resource.onDelete ?? 'Requests that name it are refused.'} {undo?.text ?? cannotBeUndone}
          </p>
        </Confirm>
      )}
    </section>
  )
}
