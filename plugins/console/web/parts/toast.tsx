/** Notice after an action, with Undo where possible. A new notice replaces the previous one. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { asApiError } from '../query.tsx'

interface Toast {
  text: string
  /** Undoes the action. */
  undo?: () => Promise<void>
}

let show: (toast: Toast) => void = () => undefined

/** @param undo left out where there is no way back */
export const notify = (text: string, undo?: () => Promise<void>) =>
  show(undo === undefined ? { text } : { text, undo })

const shownMs = 15_000

export function Toasts() {
  const [toast, setToast] = useState<Toast | null>(null)
  const timer = useRef<number | undefined>(undefined)
  useEffect(() => {
    show = (next) => {
      clearTimeout(timer.current)
      setToast(next)
      timer.current = setTimeout(() => setToast(null), shownMs)
    }
    return () => {
      clearTimeout(timer.current)
      show = () => undefined
    }
  }, [])
  const undo = async (run: () => Promise<void>) => {
    try {
      await run()
      notify('Undone.')
    } catch (error) {
      notify(`It could not be undone: ${asApiError(error).message}`)
    }
  }
  const { undo: run } = toast ?? {}
  return (
    <div class="toasts" role="status">
      {toast !== null && (
        <p class="toast">
          <span>{toast.text}</span>
          {run !== undefined && (
            <button type="button" onClick={() => void undo(run)}>
              Undo
            </button>
          )}
        </p>
      )}
    </div>
  )
}
