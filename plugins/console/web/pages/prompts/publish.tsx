/** Publishing a version, which can be undone from the notice that follows. */
import { useEffect, useState } from 'preact/hooks'
import type { ApiError } from '../../api.ts'
import { notify } from '../../parts/toast.tsx'
import { asApiError } from '../../query.tsx'

/** @param published the version that an undo publishes again; null: there was none */
export function usePublish(published: number | null, put: (version: number) => Promise<void>) {
  const [error, setError] = useState<ApiError | null>(null)
  /** Shown as published while the gateway is asked to. */
  const [expected, setExpected] = useState<number | null>(null)
  const publish = async (version: number) => {
    setError(null)
    setExpected(version)
    try {
      await put(version)
      notify(`Version ${version} is published.`, published === null ? undefined : () => put(published))
    } catch (fault) {
      setError(asApiError(fault))
      setExpected(null)
    }
  }
  // A new value of the object replaces the expected one.
  useEffect(() => setExpected(null), [published])
  return { error, shown: expected ?? published, publish: (version: number) => void publish(version) }
}
