/** Loads what a page shows, once for each path; a newer path cancels the older one. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { ApiError, loadTagged, type Url } from './api.ts'

export interface Query<T> {
  data: T | null
  /** The version of the data, for `If-Match`. */
  etag: string | null
  error: ApiError | null
  isBusy: boolean
  reload(): void
  /** Shows the expected result of a save until the next answer. @returns a function that restores the old value */
  expect(change: (data: T) => T): () => void
}

export const asApiError = (error: unknown): ApiError =>
  error instanceof ApiError
    ? error
    : new ApiError(0, 'unknown', error instanceof Error ? error.message : String(error), [])

interface State<T> {
  /** The path that was loaded. A new path counts as busy even before its first effect. */
  key: string | null
  data: T | null
  etag: string | null
  error: ApiError | null
}

/** Repeats work at an interval while the page is visible. */
export function useWhileSeen(work: () => void, everyMs: number): void {
  const latest = useRef(work)
  latest.current = work
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') latest.current()
    }, everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
}

/**
 * @param path null: nothing is loaded yet
 * @param headers of each request, such as the workspace of a route that has no parameter for it
 */
export function useQuery<T>(path: Url<T> | null, headers?: Record<string, string>): Query<T> {
  const [count, setCount] = useState(0)
  const [state, setState] = useState<State<T>>({ key: null, data: null, etag: null, error: null })
  const key = path === null ? null : `${count} ${path} ${JSON.stringify(headers)}`
  useEffect(() => {
    if (path === null || key === null) return
    const control = new AbortController()
    loadTagged(path, { signal: control.signal, headers }).then(
      ({ value, etag }) => setState({ key, data: value, etag, error: null }),
      (error) => {
        if (!control.signal.aborted) setState((old) => ({ ...old, key, error: asApiError(error) }))
      },
    )
    return () => control.abort()
  }, [key])
  const reload = useCallback(() => setCount((old) => old + 1), [])
  const expect = useCallback((change: (data: T) => T) => {
    let before: T | null = null
    setState((old) => {
      before = old.data
      return old.data === null ? old : { ...old, data: change(old.data) }
    })
    return () => setState((old) => ({ ...old, data: before }))
  }, [])
  const isBusy = key !== null && state.key !== key
  return { data: state.data, etag: state.etag, error: isBusy ? null : state.error, isBusy, reload, expect }
}
