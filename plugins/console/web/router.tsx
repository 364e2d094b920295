/** Router. The URL holds the whole view state, so Back and reload work. */
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { inWorkspace, root } from './address.ts'
import { askToLeave, hasUnsaved } from './unsaved.tsx'

export { root, workspaceParameter } from './address.ts'

const listeners = new Set<() => void>()
const announce = () => {
  for (const listener of listeners) listener()
}

/** The position of the current entry in the history, to return to it when a step back is refused. */
let place = placeOf(history.state)
let shownPath = location.pathname
let isReturning = false

function placeOf(state: unknown): number {
  const { place: found } = (state ?? {}) as { place?: unknown }
  return typeof found === 'number' ? found : 0
}

window.addEventListener('popstate', ({ state }) => {
  const steps = placeOf(state) - place
  if (isReturning) {
    isReturning = false
    return
  }
  if (steps !== 0 && hasUnsaved() && location.pathname !== shownPath) {
    isReturning = true
    history.go(-steps)
    askToLeave(() => history.go(steps))
    return
  }
  place += steps
  shownPath = location.pathname
  announce()
})

/** Navigates within the selected workspace. */
export const navigate = (to: string, isReplaced = false): void =>
  visit(inWorkspace(to, location.search), isReplaced)

/** Asks first if the page has unsaved changes. */
export function visit(to: string, isReplaced = false): void {
  if (to === location.pathname + location.search) return
  if (to.split('?', 1)[0] !== location.pathname) askToLeave(() => go(to, isReplaced))
  else go(to, isReplaced)
}

function go(to: string, isReplaced: boolean): void {
  if (!to.startsWith(root)) {
    location.assign(to)
    return
  }
  if (isReplaced) history.replaceState({ place }, '', to)
  else history.pushState({ place: ++place }, '', to)
  shownPath = location.pathname
  announce()
}

/** The segments of the path after /console, and the query. */
export function useLocation(): { segments: string[]; query: URLSearchParams; url: string } {
  const [url, setUrl] = useState(location.pathname + location.search)
  useEffect(() => {
    const update = () => setUrl(location.pathname + location.search)
    listeners.add(update)
    update()
    return () => void listeners.delete(update)
  }, [])
  const { pathname, searchParams } = new URL(url, location.origin)
  const segments = pathname.slice(root.length).split('/').filter(Boolean).map(decode)
  return { segments, query: searchParams, url }
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** The query, and a function that changes it. Changing a filter goes back to the first page. */
export function useFilters(): [
  URLSearchParams,
  (changes: Record<string, string | null>, isReplaced?: boolean) => void,
] {
  const { query } = useLocation()
  const change = (changes: Record<string, string | null>, isReplaced = false) => {
    const next = new URLSearchParams(location.search)
    if (!('current_page' in changes)) next.delete('current_page')
    for (const [name, value] of Object.entries(changes)) {
      if (value === null || value === '') next.delete(name)
      else next.set(name, value)
    }
    const text = next.toString()
    visit(location.pathname + (text === '' ? '' : `?${text}`), isReplaced)
  }
  return [query, change]
}

interface Opened {
  /** Null if it is closed. */
  opened: string | null
  /** @param isReplaced replaces the current history entry, so Back does not close it */
  open: (what?: string, isReplaced?: boolean) => void
  close: () => void
}

/** The open part of a page, such as a dialog, under a name in the address. Back closes it, and a link opens it. */
export function useOpened(name: string): Opened {
  const [query, change] = useFilters()
  const put = (value: string | null, isReplaced: boolean) =>
    // The list behind it stays on its page.
    change(
      { [name]: value, current_page: new URLSearchParams(location.search).get('current_page') },
      isReplaced,
    )
  return {
    opened: query.get(name),
    open: (what = '1', isReplaced = false) => put(what, isReplaced),
    close: () => put(null, true),
  }
}

/** The page on which a person consents to an application's access. The gateway serves it itself. */
const consentPath = '/oauth/authorize'

/** A path to return to, in the console or of the consent page; anything else becomes the overview. */
export function ownPath(path: string | null): string {
  if (path === null || !path.startsWith('/')) return root
  const url = URL.canParse(path, location.origin) ? new URL(path, location.origin) : null
  if (url === null || url.origin !== location.origin) return root
  const isOwn = url.pathname === root || url.pathname === consentPath || url.pathname.startsWith(`${root}/`)
  return isOwn ? url.pathname + url.search + url.hash : root
}

interface LinkProps {
  to: string
  children: ComponentChildren
  class?: string
  current?: boolean
}

export function Link({ to, children, class: name, current }: LinkProps) {
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    navigate(to)
  }
  return (
    <a
      href={inWorkspace(to, location.search)}
      class={name}
      aria-current={current === true ? 'page' : undefined}
      onClick={follow}
    >
      {children}
    </a>
  )
}
