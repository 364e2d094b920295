/** A native modal dialog: it traps the focus, closes on Escape, and restores the focus. */
import type { ComponentChildren } from 'preact'
import { useId, useLayoutEffect, useRef } from 'preact/hooks'

interface Props {
  title: string
  onClose: () => void
  children: ComponentChildren
}

const focusable =
  'a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, summary, [tabindex="0"]'

/**
 * Moves the focus from the last element to the first and back. A native modal dialog would let it leave the page for
 * the browser's own controls.
 */
function keepFocus(event: KeyboardEvent & { currentTarget: HTMLDialogElement }): void {
  if (event.key !== 'Tab') return
  const inside = [...event.currentTarget.querySelectorAll<HTMLElement>(focusable)].filter(
    (one) => one.getClientRects().length > 0,
  )
  const edge = event.shiftKey ? inside[0] : inside.at(-1)
  const other = event.shiftKey ? inside.at(-1) : inside[0]
  const isOutside = !inside.some((one) => one === document.activeElement)
  if (document.activeElement !== edge && !isOutside) return
  event.preventDefault()
  other?.focus()
}

export function Dialog({ title, onClose, children }: Props) {
  const id = useId()
  const element = useRef<HTMLDialogElement>(null)
  // A layout effect runs before the user can type. A key pressed before the dialog is modal would be lost.
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
      onKeyDown={keepFocus}
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
  /** The label of the button that confirms. */
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
