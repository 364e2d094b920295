/** Router. The URL holds the whole view state, so Back and reload work. */
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'

export const root = '/console'

const listeners = new Set<() => void>()
const announce = () => {
  for (const listener of listeners) listener()
}
window.addEventListener('popstate', announce)

export function navigate(to: string, isReplaced = false): void {
  if (to === location.pathname + location.search) return
  if (!to.startsWith(root)) {
    location.assign(to)
    return
  }
  if (isReplaced) history.replaceState(null, '', to)
  else history.pushState(null, '', to)
  announce()
}

/** The part behind /console, in segments, and the query. */
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

/** The query, and what changes it; a change of a filter goes back to the first page. */
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
    navigate(location.pathname + (text === '' ? '' : `?${text}`), isReplaced)
  }
  return [query, change]
}

/** Where a person consents to an application's access; the gateway serves that page itself. */
const consentPath = '/oauth/authorize'

/** A path to return to, of the console or of the consent page; anything else is the overview. */
export function ownPath(path: string | null): string {
  if (path === null || !path.startsWith('/')) return root
  const url = URL.canParse(path, location.origin) ? new URL(path, location.origin) : null
  if (url === null || url.origin !== location.origin) return root
  const isOwn = url.pathname === root || url.pathname === consentPath || url.pathname.startsWith(`${root}/`)
  return isOwn ? url.pathname + url.search : root
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
    <a href={to} class={name} aria-current={current === true ? 'page' : undefined} onClick={follow}>
      {children}
    </a>
  )
}
