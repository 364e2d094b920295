/** The frame of a page's content: one `main`, one heading, and its name in the title. */
import { type ComponentChildren, toChildArray } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { ApiError } from '../api.ts'
import { useMay } from '../session.tsx'
import { Alert } from './alert.tsx'
import { Skeleton } from './skeleton.tsx'

interface Props {
  title: string
  isBusy?: boolean
  error?: ApiError | null
  onRetry?: () => void
  /** Content next to the heading. */
  actions?: ComponentChildren
  /** The page requires any one of these scopes. */
  scopes?: readonly string[]
  children?: ComponentChildren
}

let isFirst = true

export function Page({
  title,
  isBusy = false,
  error = null,
  onRetry,
  actions,
  scopes = [],
  children,
}: Props) {
  const may = useMay()
  const heading = useRef<HTMLHeadingElement>(null)
  useLayoutEffect(() => {
    document.title = `${title} · Console`
  }, [title])
  // Announces a new page to screen readers, which read the first page from its beginning. A layout effect runs before
  // the user can enter a field, which would otherwise lose the focus again.
  useLayoutEffect(() => {
    if (!isFirst) heading.current?.focus({ preventScroll: true })
    isFirst = false
  }, [])
  const isAllowed = may(scopes)
  const isRefused = error?.status === 403
  return (
    <main id="main" aria-busy={isAllowed && isBusy ? 'true' : 'false'} tabIndex={-1}>
      <div class="head">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {isAllowed && <div class="actions">{actions}</div>}
      </div>
      {!isAllowed && (
        <Alert>You are not allowed to see this page: it needs the scope {scopes.join(' or ')}.</Alert>
      )}
      {isAllowed && error !== null && (
        <Alert onRetry={isRefused ? undefined : onRetry}>
          {isRefused && 'You are not allowed to see this. '}
          {error.message}
        </Alert>
      )}
      {isAllowed && children}
      {isAllowed && isBusy && toChildArray(children).length === 0 && <Skeleton />}
    </main>
  )
}
