/** The workspace that lists, logs and charts are narrowed to. The choice lasts as long as the tab. */
import { useContext, useEffect, useState } from 'preact/hooks'
import { urlOf } from './api.ts'
import { useQuery } from './query.tsx'
import { SessionContext, useMay } from './session.tsx'

const name = 'console-workspace'

function stored(): string {
  try {
    return sessionStorage.getItem(name) ?? ''
  } catch {
    // A browser may forbid storage; then the choice lasts as long as the page.
    return ''
  }
}

let chosen = stored()
const listeners = new Set<() => void>()

function choose(slug: string): void {
  chosen = slug
  try {
    sessionStorage.setItem(name, slug)
  } catch (error) {
    console.info('The choice is not kept: ', error)
  }
  for (const listener of listeners) listener()
}

/** The slug of the chosen workspace; null: all of them. */
export function useWorkspace(): string | null {
  const [slug, setSlug] = useState(chosen)
  useEffect(() => {
    const update = () => setSlug(chosen)
    listeners.add(update)
    update()
    return () => void listeners.delete(update)
  }, [])
  return slug === '' ? null : slug
}

/** Shown to who has or may list more than one workspace. */
export function WorkspaceSwitch() {
  const { workspaces: own } = useContext(SessionContext)
  const mayList = useMay()(['workspaces.list'])
  const current = useWorkspace() ?? ''
  const asked = useQuery(
    own.length === 0 && mayList
      ? urlOf('/v1/workspaces', { query: { page_size: 200, sort: 'name', order: 'asc' } })
      : null,
  )
  const listed = (asked.data?.data ?? []).map(({ id, slug, name: title }) => ({
    slug: slug ?? id,
    name: title ?? id,
  }))
  const known = own.length > 0 ? own : listed
  const isKnown = current === '' || known.some(({ slug }) => slug === current)
  // Shown before the answer: the links below it do not move.
  if (known.length < 2 && current === '' && (own.length > 0 || !mayList)) return null
  return (
    <label class="theme">
      <select aria-label="Show" value={current} onChange={(event) => choose(event.currentTarget.value)}>
        <option value="">All workspaces</option>
        {!isKnown && <option value={current}>{current}</option>}
        {known.map(({ slug, name: title }) => (
          <option key={slug} value={slug}>
            {title}
          </option>
        ))}
      </select>
    </label>
  )
}
