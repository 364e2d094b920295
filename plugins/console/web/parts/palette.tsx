/**
 * The command palette (Ctrl-K): finds pages by name, objects by name or slug, and anything by its id, including traces.
 */
import { useEffect, useId, useLayoutEffect, useState } from 'preact/hooks'
import { load, type Row, type Url, urlOf } from '../api.ts'
import { nameOf, type Resource, resources, scopesFor } from '../resources.ts'
import { navigate, root } from '../router.tsx'
import { useMay } from '../session.tsx'
import { Dialog } from './dialog.tsx'
import { nearest } from './nearest.ts'

interface Entry {
  path: string
  title: string
}

interface Choice {
  to: string
  title: string
  /** Object type, shown next to the name. */
  kind: string
}

const idPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export function Palette({ entries }: { entries: readonly Entry[] }) {
  const [isOpen, setOpen] = useState(false)
  // A layout effect runs before the user sees the page, so no key is lost.
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      setOpen((old) => !old)
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
  return (
    <>
      <button type="button" class="palette" onClick={() => setOpen(true)}>
        Go to… <kbd>Ctrl K</kbd>
      </button>
      {isOpen && <PaletteDialog entries={entries} onClose={() => setOpen(false)} />}
    </>
  )
}

const pauseMs = 200
const shortest = 2
const shortestTrace = 4
const perKind = 5

const choiceOf = (resource: Resource, row: Row): Choice => ({
  to: `${root}/${resource.path}/${encodeURIComponent(String(row.id))}`,
  title: nameOf(resource, row),
  kind: resource.singular,
})

/** Finds objects by name, slug or id. Kinds that cannot be searched are left out. */
async function findObjects(
  kinds: readonly Resource[],
  text: string,
  signal: AbortSignal,
): Promise<readonly Choice[]> {
  const filter = idPattern.test(text) ? { ids: text } : { search: text }
  const found = await Promise.allSettled(
    kinds.map(async (resource) => {
      const url: Url<{ data: readonly Row[] }> = urlOf(resource.api, {
        query: { ...filter, page_size: perKind },
      })
      const { data } = await load(url, { signal })
      return data.map((row) => choiceOf(resource, row))
    }),
  )
  return found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
}

/** Callers can choose trace ids freely. */
const isTraceLike = (text: string) => text.length >= shortestTrace && !/\s/.test(text)

/** Finds a log entry and a trace with exactly this id. */
async function findRequests(text: string, signal: AbortSignal): Promise<readonly Choice[]> {
  const [entry, spans] = await Promise.allSettled([
    idPattern.test(text) ? load(urlOf('/v1/logs/{id}', { path: { id: text } }), { signal }) : null,
    isTraceLike(text)
      ? load(urlOf('/v1/logs', { query: { trace_id: text, page_size: 1 } }), { signal })
      : null,
  ])
  const choice = (path: string, kind: string): Choice => ({
    to: `${root}/${path}/${encodeURIComponent(text)}`,
    title: text,
    kind,
  })
  return [
    ...(entry.status === 'fulfilled' && entry.value !== null ? [choice('logs', 'log entry')] : []),
    ...(spans.status === 'fulfilled' && (spans.value?.data.length ?? 0) > 0
      ? [choice('traces', 'trace')]
      : []),
  ]
}

function PaletteDialog({ entries, onClose }: { entries: readonly Entry[]; onClose: () => void }) {
  const id = useId()
  const may = useMay()
  const [text, setText] = useState('')
  const [objects, setObjects] = useState<readonly Choice[]>([])
  const [isBusy, setBusy] = useState(false)
  const wanted = text.trim().toLowerCase()
  useEffect(() => {
    setObjects([])
    setBusy(wanted.length >= shortest)
    if (wanted.length < shortest) return
    const control = new AbortController()
    const kinds = resources.filter(
      (resource) => resource.isSearched !== false && may(scopesFor(resource, 'list')),
    )
    const timer = setTimeout(async () => {
      const found = await Promise.all([
        findObjects(kinds, text.trim(), control.signal),
        may(['logs.list']) ? findRequests(text.trim(), control.signal) : [],
      ])
      if (control.signal.aborted) return
      setObjects(found.flat())
      setBusy(false)
    }, pauseMs)
    return () => {
      clearTimeout(timer)
      control.abort()
    }
  }, [wanted])
  const pages = entries.filter(({ title }) => title.toLowerCase().includes(wanted))
  const meant =
    pages.length === 0 && objects.length === 0 && !isBusy
      ? nearest(
          wanted,
          entries.map(({ title }) => title),
        )
      : null
  const found: readonly Choice[] = [
    ...[...pages, ...entries.filter(({ title }) => title === meant)].map(({ path, title }) => ({
      to: path === '' ? root : `${root}/${path}`,
      title,
      kind: 'page',
    })),
    ...objects,
  ]
  const go = (to: string) => {
    onClose()
    navigate(to)
  }
  return (
    <Dialog title="Go to" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          const [first] = found
          if (first !== undefined) go(first.to)
        }}
      >
        <label for={id}>Page, object or ID</label>
        <input
          id={id}
          value={text}
          autocomplete="off"
          maxLength={255}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </form>
      <p role="status" class="hint">
        {isBusy ? 'Searching…' : meant !== null ? 'There is nothing with that name. Did you mean:' : ''}
        {!isBusy && found.length === 0 && 'There is nothing with that name or ID.'}
      </p>
      <ul class="choices" aria-busy={isBusy ? 'true' : 'false'}>
        {found.map(({ to, title, kind }) => (
          <li key={to}>
            <button type="button" class="link" onClick={() => go(to)}>
              {title}
            </button>{' '}
            <span class="kind">{kind}</span>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
