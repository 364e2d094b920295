/** Loads the data of a page, once for each path. A newer path cancels the older one. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { ApiError, loadTagged, type Url } from './api.ts'

export interface Query<T> {
  data: T | null
  /** The version of the data, for `If-Match`. */
  etag: string | null
  error: ApiError | null
  isBusy: boolean
  reload(): void
  /** Shows the expected result of a change, instead of any loaded answer, until the change has succeeded or failed. */
  expect(change: (data: T) => T): {
    /** Call this if the gateway refused the change. */
    takeBack(): void
    /** Call this if the gateway made the change: the next load contains it. */
    done(): void
  }
}

export const asApiError = (error: unknown): ApiError =>
  error instanceof ApiError
    ? error
    : new ApiError(0, 'unknown', {
        message: error instanceof Error ? error.message : String(error),
        faults: [],
      })

interface State<T> {
  /** The path that was loaded. A new path counts as busy even before its first effect. */
  key: string | null
  data: T | null
  etag: string | null
  error: ApiError | null
  /** Pending changes, oldest first. */
  changes: readonly Expectation<T>[]
}

interface Expectation<T> {
  change: (data: T) => T
  /** The last load that was started before the gateway made the change; null until it has. */
  last: number | null
}

/** Counts the loads of all queries, to determine which of them started after a change. */
let loads = 0

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
 * @param path null to load nothing yet
 * @param headers headers of each request, such as the workspace of a route that has no parameter for it
 */
export function useQuery<T>(path: Url<T> | null, headers?: Record<string, string>): Query<T> {
  const [count, setCount] = useState(0)
  const [state, setState] = useState<State<T>>({
    key: null,
    data: null,
    etag: null,
    error: null,
    changes: [],
  })
  const key = path === null ? null : `${count} ${path} ${JSON.stringify(headers)}`
  useEffect(() => {
    if (path === null || key === null) return
    const control = new AbortController()
    const load = ++loads
    loadTagged(path, { signal: control.signal, headers }).then(
      ({ value, etag }) =>
        setState(({ changes }) => ({
          key,
          data: value,
          etag,
          error: null,
          changes: changes.filter(({ last }) => last === null || last >= load),
        })),
      (error) => {
        if (!control.signal.aborted) setState((old) => ({ ...old, key, error: asApiError(error) }))
      },
    )
    return () => control.abort()
  }, [key])
  const reload = useCallback(() => setCount((old) => old + 1), [])
  const expect = useCallback((change: (data: T) => T) => {
    const one: Expectation<T> = { change, last: null }
    setState((old) => ({ ...old, changes: [...old.changes, one] }))
    return {
      takeBack: () => setState((old) => ({ ...old, changes: old.changes.filter((other) => other !== one) })),
      done() {
        one.last = loads
      },
    }
  }, [])
  const data = useMemo(
    () =>
      state.data === null ? null : state.changes.reduce<T>((shown, { change }) => change(shown), state.data),
    [state.data, state.changes],
  )
  const isBusy = key !== null && state.key !== key
  return { data, etag: state.etag, error: isBusy ? null : state.error, isBusy, reload, expect }
}
