import { useState } from 'preact/hooks'

/** Copies a text; without clipboard access, by selecting it. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [isDone, setDone] = useState(false)
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
    } catch {
      // There is no clipboard over plain http, and a browser may forbid it.
      copyBySelection(text)
    }
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
