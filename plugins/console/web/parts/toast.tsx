/** Notice after an action, with Undo where possible. A new notice replaces the previous one. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { asApiError } from '../query.tsx'
import { Link } from '../router.tsx'

interface Place {
  title: string
  path: string
}

interface Toast {
  text: string
  /** Takes back what was done. */
  undo?: (() => Promise<void>) | undefined
  /** A refusal stays until it is closed. */
  isRefusal?: boolean
  /** What the notice is about. */
  place?: Place | undefined
}

let show: (toast: Toast) => void = () => undefined

/** @param undo left out where there is no way back */
export const notify = (text: string, undo?: () => Promise<void>) => show({ text, undo })

/** Says that a change was refused whose page has been left. */
export const notifyRefused = (text: string, place?: Place) => show({ text, place, isRefusal: true })

const shownMs = 15_000

export function Toasts() {
  const [toast, setToast] = useState<Toast | null>(null)
  const timer = useRef<number | undefined>(undefined)
  const close = () => {
    clearTimeout(timer.current)
    setToast(null)
  }
  useEffect(() => {
    show = (next) => {
      clearTimeout(timer.current)
      setToast(next)
      if (next.isRefusal !== true) timer.current = setTimeout(() => setToast(null), shownMs)
    }
    return () => {
      clearTimeout(timer.current)
      show = () => undefined
    }
  }, [])
  const undo = async (run: () => Promise<void>) => {
    // A second press would take it back twice.
    close()
    try {
      await run()
      notify('Undone.')
    } catch (error) {
      notifyRefused(`It could not be undone: ${asApiError(error).message}`)
    }
  }
  const { undo: run, place, isRefusal = false } = toast ?? {}
  return (
    <div class="toasts">
      <div role="status">
        {toast !== null && !isRefusal && (
          <div class="toast">
            <span>{toast.text}</span>
            {run !== undefined && (
              <button type="button" onClick={() => void undo(run)}>
                Undo
              </button>
            )}
          </div>
        )}
      </div>
      {toast !== null && isRefusal && (
        <div class="toast refusal" role="alert">
          <span>{toast.text}</span>
          {place !== undefined && <Link to={place.path}>{place.title}</Link>}
          <button type="button" onClick={close}>
            Close
          </button>
        </div>
      )}
    </div>
  )
}
