/** A form in a dialog: it cannot be sent twice at the same time, and shows the gateway's errors. */
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
  /** The error of loading the form's data. */
  loadError?: ApiError | null
  /** The fields, which show their faults of the last request. */
  children: (error: ApiError | null) => ComponentChildren
}

export function FormDialog({
  title,
  action,
  onSend,
  onClose,
  canSend = true,
  loadError = null,
  children,
}: Props) {
  const [error, setError] = useState<ApiError | null>(null)
  const [isBusy, setBusy] = useState(false)
  const send = async (event: Event) => {
    event.preventDefault()
    setError(null)
    setBusy(true)
    try {
      await onSend()
    } catch (fault) {
      setError(asApiError(fault))
    }
    setBusy(false)
  }
  const shown = error ?? loadError
  return (
    <Dialog title={title} onClose={onClose}>
      {shown !== null && <Alert>{shown.message}</Alert>}
      <form onSubmit={(event) => void send(event)} noValidate>
        {children(error)}
        <div class="buttons">
          <button type="submit" class="primary" disabled={isBusy || !canSend}>
            {action}
          </button>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  )
}
