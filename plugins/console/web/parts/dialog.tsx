/** A native modal dialog: it holds the focus, closes on Escape, and gives the focus back. */
import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'

interface Props {
  title: string
  onClose: () => void
  children: ComponentChildren
}

export function Dialog({ title, onClose, children }: Props) {
  const id = useId()
  const element = useRef<HTMLDialogElement>(null)
  // Before anybody can type: a key pressed into a dialog that is not modal yet would be lost.
  useLayoutEffect(() => {
    const before = document.activeElement
    element.current?.showModal()
    return () => {
      element.current?.close()
      if (before instanceof HTMLElement && before.isConnected) before.focus()
    }
  }, [])
  return (
    <dialog
      ref={element}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  )
}

interface ConfirmProps {
  title: string
  /** The word on the button that does it. */
  action: string
  onConfirm: () => void
  onClose: () => void
  children: ComponentChildren
}

export const Confirm = ({ title, action, onConfirm, onClose, children }: ConfirmProps) => (
  <Dialog title={title} onClose={onClose}>
    {children}
    <div class="buttons">
      <button type="button" class="danger" onClick={onConfirm}>
        {action}
      </button>
      <button type="button" onClick={onClose}>
        Cancel
      </button>
    </div>
  </Dialog>
)
