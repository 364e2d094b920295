/** Components whose code is loaded when they are first shown. */
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Alert } from './alert.tsx'

export type Loader<Props> = () => Promise<ComponentType<Props>>

interface Loaded<Props> {
  /** Null while it is loading, if it cannot be loaded, and if there is nothing to load. */
  Component: ComponentType<Props> | null
  isFailed: boolean
}

/** Loads a component once, when the caller is first shown. */
export function useLoaded<Props>(load: Loader<Props> | undefined): Loaded<Props> {
  const [loaded, setLoaded] = useState<Loaded<Props>>({ Component: null, isFailed: false })
  useEffect(() => {
    load?.().then(
      (Component) => setLoaded({ Component, isFailed: false }),
      () => setLoaded({ Component: null, isFailed: true }),
    )
  }, [])
  return loaded
}

/** @param what the beginning of the sentence, such as "The page" */
export const NotLoaded = ({ what }: { what: string }) => (
  <Alert onRetry={() => location.reload()}>
    {what} could not be loaded. The gateway may have been updated: reload the page.
  </Alert>
)
