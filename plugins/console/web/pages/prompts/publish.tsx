/** Publishes a version. The notice that follows can undo it. */
import type { Row } from '../../api.ts'
import { type Changeable, useChange } from '../../parts/change.tsx'

interface Publishing {
  object: Changeable<Row>
  /** The version that Undo publishes again; null if there was none. */
  published: number | null
  put: (version: number) => Promise<unknown>
  /** Called after each change, to reload the list of versions. */
  onChanged: () => void
}

export function usePublish({ object, published, put, onChanged }: Publishing) {
  const { error, change } = useChange(object, onChanged)
  const publish = (version: number) =>
    change({
      expect: (row) => ({ ...row, published_version: version }),
      send: () => put(version),
      said: () => ({
        text: `Version ${version} is published.`,
        undo: published === null ? undefined : () => put(published),
      }),
      refused: `Version ${version} was not published`,
    })
  return { error, publish }
}
