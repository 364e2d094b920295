/** Named views of a page: its filters, stored in this browser. */
import { useState } from 'preact/hooks'
import { Link, useFilters } from '../router.tsx'
import { Dialog } from './dialog.tsx'
import { TextField } from './field.tsx'
import { notify } from './toast.tsx'

interface View {
  name: string
  /** The query string of the page. */
  query: string
}

const isView = (value: unknown): value is View =>
  typeof value === 'object' && value !== null && 'name' in value && 'query' in value

function stored(key: string): readonly View[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(key) ?? '[]')
    return Array.isArray(found) ? found.filter(isView) : []
  } catch {
    // A browser may forbid storage; there are no views then.
    return []
  }
}

function store(key: string, views: readonly View[]): void {
  try {
    localStorage.setItem(key, JSON.stringify(views))
  } catch (error) {
    console.info('The view is not kept: ', error)
  }
}

/** @param page path below the console, under which the page's views are stored */
export function SavedViews({ page, root }: { page: string; root: string }) {
  const key = `console-views-${page}`
  const [query] = useFilters()
  const [views, setViews] = useState(() => stored(key))
  const [name, setName] = useState<string | null>(null)
  const here = query.toString()
  const change = (next: readonly View[]) => {
    setViews(next)
    store(key, next)
  }
  const save = (event: Event) => {
    event.preventDefault()
    const named = name?.trim() ?? ''
    if (named === '') return
    change([...views.filter((view) => view.name !== named), { name: named, query: here }])
    setName(null)
  }
  const forget = (view: View) => {
    change(views.filter((one) => one !== view))
    notify(`The view ${view.name} was forgotten.`, async () => change(views))
  }
  const current = views.find((view) => view.query === here)
  if (views.length === 0 && here === '') return null
  return (
    <nav class="views" aria-label="Saved views">
      {views.map((view) => (
        <Link key={view.name} to={`${root}?${view.query}`} current={view === current}>
          {view.name}
        </Link>
      ))}
      {current === undefined ? (
        here !== '' && (
          <button type="button" class="link" onClick={() => setName('')}>
            Save this view
          </button>
        )
      ) : (
        <button type="button" class="link" onClick={() => forget(current)}>
          Forget this view
        </button>
      )}
      {name !== null && (
        <Dialog title="Save this view" onClose={() => setName(null)}>
          <form onSubmit={save}>
            <p>Its filters are kept in this browser, under a name.</p>
            <TextField label="Name" value={name} onChange={setName} isRequired />
            <div class="buttons">
              <button type="submit" class="primary">
                Save
              </button>
              <button type="button" onClick={() => setName(null)}>
                Cancel
              </button>
            </div>
          </form>
        </Dialog>
      )}
    </nav>
  )
}
