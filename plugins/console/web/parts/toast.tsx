/**
 * Notice after an action, with Undo where possible. A new notice replaces the previous one. It disappears after a while,
 * but not while the pointer or the focus is on it.
 */
import { useEffect, useRef, useState } from 'preact/hooks'
import { asApiError } from '../query.tsx'
import { Link } from '../router.tsx'

interface Place {
  title: string
  path: string
}

interface Toast {
  text: string
  /** Reverts the action. */
  undo?: (() => Promise<void>) | undefined
  /** Whether it reports a refusal, which stays until the user closes it. */
  isRefusal?: boolean
  /** A link to the object of the notice. */
  place?: Place | undefined
}

let show: (toast: Toast) => void = () => undefined

/** @param undo omitted if the action cannot be undone */
export const notify = (text: string, undo?: () => Promise<void>) => show({ text, undo })

/** Reports that a change was refused after the user left its page. */
export const notifyRefused = (text: string, place?: Place) => show({ text, place, isRefusal: true })

const shownMs = 15_000

export function Toasts() {
  const [toast, setToast] = useState<Toast | null>(null)
  const timer = useRef<number | undefined>(undefined)
  const notice = useRef<HTMLDivElement>(null)
  const close = () => {
    clearTimeout(timer.current)
    setToast(null)
  }
  const closeLater = () => {
    timer.current = setTimeout(() => {
      if (notice.current?.matches(':hover, :focus-within')) closeLater()
      else setToast(null)
    }, shownMs)
  }
  useEffect(() => {
    show = (next) => {
      clearTimeout(timer.current)
      setToast(next)
      if (next.isRefusal !== true) closeLater()
    }
    return () => {
      clearTimeout(timer.current)
      show = () => undefined
    }
  }, [])
  const undo = async (run: () => Promise<void>) => {
    // A second press would revert the change twice.
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
          <div class="toast" ref={notice}>
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
