/** Texts of delete confirmations, and the Undo button shown afterwards. */
import type { Row } from '../api.ts'
import type { Resource } from '../resources.ts'
import { scopesFor } from '../resources.ts'
import { navigate, root } from '../router.tsx'
import { useMay } from '../session.tsx'

export const cannotBeUndone = 'This cannot be undone.'

export interface UndoOffer {
  /** The text for the confirmation. */
  text: string
  /** Called before the deletion. Returns a function that restores the object and opens it. */
  prepare: () => Promise<() => Promise<void>>
}

/** Null if the object cannot be restored, or the person lacks the right to do so. */
export function useUndo(resource: Resource, row: Row): UndoOffer | null {
  const may = useMay()
  const { undo, path } = resource
  if (undo === undefined || undo.canUndo?.(row) === false || !may(scopesFor(resource, undo.action)))
    return null
  return {
    text: ['You can undo this for a moment afterwards.', undo.except ?? ''].join(' ').trim(),
    async prepare() {
      const takeBack = await undo.prepare(resource, row)
      return async () => {
        const id = await takeBack()
        navigate(`${root}/${path}/${encodeURIComponent(id)}`)
      }
    },
  }
}
