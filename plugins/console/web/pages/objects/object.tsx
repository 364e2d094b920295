/** One object of any kind: its editable fields, its facts, and parts that only its kind has. */
import { useRef, useState } from 'preact/hooks'
import { type Row, urlOf } from '../../api.ts'
import { Facts, formatTime, StatusBadge, textOf } from '../../parts/cells.tsx'
import type { Changeable } from '../../parts/change.tsx'
import type { Texts } from '../../parts/field-text.ts'
import { type Loader, NotLoaded, useLoaded } from '../../parts/loaded.tsx'
import { nearest } from '../../parts/nearest.ts'
import { Page } from '../../parts/page.tsx'
import { HistoryContext, useTextHistory } from '../../parts/text-history.tsx'
import { useQuery } from '../../query.tsx'
import { nameOf, type Resource, scopesFor } from '../../resources.ts'
import { Link, root } from '../../router.tsx'
import { useMay } from '../../session.tsx'
import { openPlayground } from '../playground/playground-start.ts'
import type { Target } from '../playground/playground-target.tsx'
import { EditForm } from './edit-form.tsx'
import type { ExtrasProps } from './extras.ts'

/** The parts of one kind, loaded with its page. */
const extras: Readonly<Record<string, Loader<ExtrasProps>>> = {
  keys: async () => (await import('../keys/key-extras.tsx')).KeyExtras,
  providers: async () => (await import('../providers/provider-extras.tsx')).ProviderExtras,
  configs: async () => (await import('../configs/config-extras.tsx')).ConfigExtras,
  prompts: async () => (await import('../prompts/prompt-extras.tsx')).PromptExtras,
  partials: async () => (await import('../prompts/partial-extras.tsx')).PartialExtras,
  guardrails: async () => (await import('../guardrails/guardrail-extras.tsx')).GuardrailExtras,
  policies: async () => (await import('../policies/policy-extras.tsx')).PolicyExtras,
  workspaces: async () => (await import('../workspaces/workspace-extras.tsx')).WorkspaceExtras,
  users: async () => (await import('../users/user-extras.tsx')).UserExtras,
  webhooks: async () => (await import('../webhooks/webhook-extras.tsx')).WebhookExtras,
  exports: async () => (await import('../exports/export-extras.tsx')).ExportExtras,
}

export function ObjectPage({ resource, id }: { resource: Resource; id: string }) {
  const may = useMay()
  const scopes = scopesFor(resource, 'read')
  const object = useQuery<Row>(
    may(scopes) ? urlOf(resource.one, { path: { id: editedId(resource, id) } }) : null,
  )
  const { data, etag, error, isBusy, reload } = object
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
          <button type="button" onClick={() => openPlayground({ target, workspace: workspaceOf(data) })}>
            To playground
          </button>
        )
      }
    >
      {error?.status === 404 && <Meant resource={resource} id={id} />}
      {data !== null && <ObjectView resource={resource} row={data} etag={etag} object={object} />}
    </Page>
  )
}

/** A save adds to the latest version, so the latest version is edited even if another is published. */
const editedId = ({ hasVersions }: Resource, id: string) =>
  hasVersions === true ? `${id.split('@', 1)[0]}@latest` : id

const workspaceOf = (row: Row | null): string =>
  typeof row?.workspace_id === 'string' ? row.workspace_id : ''

/** The target of this object for the playground. */
function targetOf({ path }: Resource, row: Row): Partial<Target> | null {
  if (path === 'configs') return { config: textOf(row.slug) }
  if (path === 'prompts') {
    const { slug, latest_version: latest, published_version: published } = row
    return { prompt: latest === published ? textOf(slug) : `${textOf(slug)}@latest` }
  }
  return path === 'providers' ? { model: `@${textOf(row.slug)}/` } : null
}

/** Suggests the newest object whose name or slug is most similar to the one in the URL. */
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

/** The field that other parts of the page also change, such as the routing tree. */
const edited = 'config'

interface ViewProps {
  resource: Resource
  row: Row
  etag: string | null
  object: Changeable<Row>
}

function ObjectView({ resource, row, etag, object }: ViewProps) {
  const [draft, setDraft] = useState<Texts>({})
  const change = useRef<(name: string, text: string) => void>(() => undefined)
  const history = useTextHistory(draft[edited] ?? '', (text) => change.current(edited, text))
  const { Component: Extras, isFailed } = useLoaded(extras[resource.path])
  // Lists of versions reload with each new version.
  const version = `${String(row.version)} ${String(row.latest_version)}`
  const own = (
    <>
      {isFailed && <NotLoaded what="A part of this page" />}
      {Extras !== null && <Extras key={version} {...{ row, etag, draft, history, object }} />}
    </>
  )
  // Objects that cannot be edited are opened to be used.
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
        <HistoryContext.Provider value={resource.path === 'configs' ? history : null}>
          <EditForm {...{ resource, row, etag, object, change }} onDraft={setDraft} />
        </HistoryContext.Provider>
        {!isAbove && own}
      </div>
    </>
  )
}
