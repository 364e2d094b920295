/** The workspace by which lists, logs and charts are filtered: a parameter of the address, which links keep. */
import { useContext } from 'preact/hooks'
import { urlOf } from './api.ts'
import { useQuery } from './query.tsx'
import { useFilters, useLocation, workspaceParameter } from './router.tsx'
import { SessionContext, useMay } from './session.tsx'

/** The slug of the selected workspace; null for all workspaces. */
export const useWorkspace = (): string | null => useLocation().query.get(workspaceParameter) || null

/** Shown if the user has or may list more than one workspace. */
export function WorkspaceSwitch() {
  const { workspaces: own } = useContext(SessionContext)
  const mayList = useMay()(['workspaces.list'])
  const current = useWorkspace() ?? ''
  const [, change] = useFilters()
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
  // The field is shown before the answer arrives, so the links below it do not move.
  if (known.length < 2 && current === '' && (own.length > 0 || !mayList)) return null
  return (
    <label>
      <select
        aria-label="Show"
        value={current}
        onChange={(event) => change({ [workspaceParameter]: event.currentTarget.value })}
      >
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
