/** Publishing a version, which can be undone from the notice that follows. */
import type { Row } from '../../api.ts'
import { type Changeable, useChange } from '../../parts/change.tsx'

interface Publishing {
  object: Changeable<Row>
  /** The version that an undo publishes again; null: there was none. */
  published: number | null
  put: (version: number) => Promise<unknown>
  /** Called after each change: the list of versions loads again. */
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
