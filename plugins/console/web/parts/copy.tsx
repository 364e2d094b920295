import { useState } from 'preact/hooks'

/** Copies a text; where the browser has no clipboard (plain http), by a selection. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [isDone, setDone] = useState(false)
  const copy = async () => {
    if (navigator.clipboard !== undefined) await navigator.clipboard.writeText(text)
    else copyBySelection(text)
    setDone(true)
  }
  return (
    <span class="copy">
      <button type="button" onClick={() => void copy()}>
        {label}
      </button>
      <span role="status">{isDone ? ' Copied' : ''}</span>
    </span>
  )
}

function copyBySelection(text: string): void {
  const area = document.createElement('textarea')
  area.value = text
  const holder = document.querySelector('dialog[open]') ?? document.body
  holder.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}
