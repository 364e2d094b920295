import { useState } from 'preact/hooks'
import { asApiError } from '../query.tsx'

interface Props {
  /** The text, or a function that loads it when the button is used. */
  text: string | (() => Promise<string>)
  label?: string
}

/** Copies a text. Without clipboard access, it selects the text and copies the selection. */
export function CopyButton({ text, label = 'Copy' }: Props) {
  const [said, setSaid] = useState('')
  const copy = async () => {
    try {
      await write(typeof text === 'string' ? text : await text())
      setSaid('Copied')
    } catch (fault) {
      setSaid(`Not copied: ${asApiError(fault).message}`)
    }
  }
  return (
    <span class="copy">
      <button type="button" onClick={() => void copy()}>
        {label}
      </button>
      <span role="status">{said}</span>
    </span>
  )
}

async function write(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    // Browsers offer no clipboard over plain HTTP, and may forbid it.
    copyBySelection(text)
  }
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
