/** Forms with unsaved changes. Leaving their page asks for confirmation, in the console and in the browser. */
import { useLayoutEffect, useRef } from 'preact/hooks'

const forms = new Set<object>()

export const hasUnsaved = (): boolean => forms.size > 0

/** Discards all unsaved changes, so leaving asks no more until a form changes again. */
export const dropUnsaved = (): void => forms.clear()

type Ask = (leave: () => void) => void

let ask: Ask | null = null

/** @param next shows the question and calls its argument if the user leaves; null to show no question */
export const listenLeaving = (next: Ask | null): void => {
  ask = next
}

/** Leaves immediately, or after a confirmation if the page has unsaved changes. */
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

/** @returns a function to call when the changes are saved or discarded, before leaving the page */
export function useUnsaved(isDirty: boolean): () => void {
  const { current: form } = useRef({})
  useLayoutEffect(() => {
    if (isDirty) forms.add(form)
    return () => void forms.delete(form)
  }, [isDirty])
  return () => void forms.delete(form)
}
