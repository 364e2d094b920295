/** The command palette (Ctrl-K): pages by name, and log entries by id. */
import { useEffect, useId, useState } from 'preact/hooks'
import { navigate, root } from '../router.tsx'
import { Dialog } from './dialog.tsx'

interface Entry {
  path: string
  title: string
}

const idPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export function Palette({ entries }: { entries: readonly Entry[] }) {
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      setOpen((old) => !old)
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
  return (
    <>
      <button type="button" class="palette" onClick={() => setOpen(true)}>
        Go to… <kbd>Ctrl K</kbd>
      </button>
      {isOpen && <PaletteDialog entries={entries} onClose={() => setOpen(false)} />}
    </>
  )
}

function PaletteDialog({ entries, onClose }: { entries: readonly Entry[]; onClose: () => void }) {
  const id = useId()
  const [text, setText] = useState('')
  const wanted = text.trim().toLowerCase()
  const found = [
    ...entries
      .filter(({ title }) => title.toLowerCase().includes(wanted))
      .map(({ path, title }) => ({ to: path === '' ? root : `${root}/${path}`, title })),
    ...(idPattern.test(wanted)
      ? [
          { to: `${root}/logs/${wanted}`, title: `Log entry ${wanted}` },
          { to: `${root}/traces/${wanted}`, title: `Trace ${wanted}` },
        ]
      : []),
  ]
  const go = (to: string) => {
    onClose()
    navigate(to)
  }
  return (
    <Dialog title="Go to" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          const [first] = found
          if (first !== undefined) go(first.to)
        }}
      >
        <label for={id}>Page or id</label>
        <input
          id={id}
          value={text}
          autocomplete="off"
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </form>
      <ul class="choices">
        {found.map(({ to, title }) => (
          <li key={to}>
            <button type="button" class="link" onClick={() => go(to)}>
              {title}
            </button>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p>Nothing has that name.</p>}
    </Dialog>
  )
}
