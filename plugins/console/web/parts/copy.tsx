import { useState } from 'preact/hooks'
import { asApiError } from '../query.tsx'

interface Props {
  /** Or what loads it when the button is used. */
  text: string | (() => Promise<string>)
  label?: string
}

/** Copies a text; without clipboard access, by selecting it. */
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
    // There is no clipboard over plain http, and a browser may forbid it.
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
