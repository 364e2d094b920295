/**
 * A form in a dialog, which sends one request at a time and shows the errors of a refusal. If the page shows the
 * expected result immediately, the dialog closes as soon as the form is sent, and reopens with the entered values if
 * the gateway refuses.
 */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { ApiError } from '../api.ts'
import { asApiError } from '../query.tsx'
import { Alert } from './alert.tsx'
import { Dialog } from './dialog.tsx'

interface Props {
  title: string
  /** The label of the button that sends. */
  action: string
  /** If it rejects, the message is shown above the form. */
  onSend: () => Promise<void>
  onClose: () => void
  canSend?: boolean
  /** Whether the page shows the expected result immediately. */
  isShownAtOnce?: boolean
  /** Additional buttons. */
  others?: (send: (work: () => Promise<void>) => void) => ComponentChildren
  /** The error of data that the form loads. */
  loadError?: ApiError | null
  /** The fields, which show their errors of the last request. */
  children: (error: ApiError | null) => ComponentChildren
}

export function FormDialog({
  title,
  action,
  onSend,
  onClose,
  canSend = true,
  isShownAtOnce = false,
  others,
  loadError = null,
  children,
}: Props) {
  const [error, setError] = useState<ApiError | null>(null)
  const [isBusy, setBusy] = useState(false)
  const send = async (work: () => Promise<void>) => {
    setError(null)
    setBusy(true)
    try {
      await work()
    } catch (fault) {
      setError(asApiError(fault))
    }
    setBusy(false)
  }
  const shown = error ?? loadError
  if (isBusy && isShownAtOnce) return null
  return (
    <Dialog title={title} onClose={onClose}>
      {shown !== null && <Alert>{shown.message}</Alert>}
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void send(onSend)
        }}
        noValidate
      >
        {children(error)}
        <div class="buttons">
          <button type="submit" class="primary" disabled={isBusy || !canSend}>
            {action}
          </button>
          {others?.((work) => void send(work))}
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}
