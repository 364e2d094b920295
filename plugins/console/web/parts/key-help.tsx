/** The keys of the console: `?` lists them, `/` goes to the search of the page. */
import { useEffect, useState } from 'preact/hooks'
import { Dialog } from './dialog.tsx'

const keys: readonly (readonly [string, string])[] = [
  ['?', 'Lists these keys'],
  ['/', 'Goes to the search of the page'],
  ['Ctrl K', 'Finds pages, objects and log entries'],
  ['Tab, Shift Tab', 'Goes to the next or the previous control; the first Tab skips to the content'],
  ['Escape', 'Closes a dialog'],
  ['Ctrl Space', 'Completes in an editor; Tab leaves it'],
]

/** Letters belong to the field in which they are typed. */
const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName))

export function KeyHelp() {
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      if (document.querySelector('dialog[open]') !== null) return
      if (event.key === '?') setOpen(true)
      if (event.key !== '/') return
      const search = document.querySelector<HTMLInputElement>('main input[type="search"]')
      if (search === null) return
      event.preventDefault()
      search.focus()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])
  if (!isOpen) return null
  return (
    <Dialog title="Keys" onClose={() => setOpen(false)}>
      <dl class="keys">
        {keys.map(([key, text]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <div class="buttons">
        <button type="button" class="primary" onClick={() => setOpen(false)}>
          Close
        </button>
      </div>
    </Dialog>
  )
}
