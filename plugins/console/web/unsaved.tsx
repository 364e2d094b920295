/** Forms with changes that are not saved. Leaving their page asks first, in the console and in the browser. */
import { useLayoutEffect, useRef } from 'preact/hooks'

const forms = new Set<object>()

export const hasUnsaved = (): boolean => forms.size > 0

/** After this nothing asks any more, until a form changes again. */
export const dropUnsaved = (): void => forms.clear()

type Ask = (leave: () => void) => void

let ask: Ask | null = null

/** @param next shows the question, and calls its argument if the user leaves. Null: no question is shown */
export const listenLeaving = (next: Ask | null): void => {
  ask = next
}

/** Leaves at once, or after a question if the page has changes that are not saved. */
export function askToLeave(leave: () => void): void {
  if (!hasUnsaved() || ask === null) {
    leave()
    return
  }
  ask(() => {
    dropUnsaved()
    leave()
  })
}

window.addEventListener('beforeunload', (event) => {
  if (hasUnsaved()) event.preventDefault()
})

/** @returns call it when the changes are saved or discarded, before leaving the page */
export function useUnsaved(isDirty: boolean): () => void {
  const { current: form } = useRef({})
  useLayoutEffect(() => {
    if (isDirty) forms.add(form)
    return () => void forms.delete(form)
  }, [isDirty])
  return () => void forms.delete(form)
}
