/** A search field whose text is kept in the URL; the request is sent when typing pauses. */
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useFilters } from '../router.tsx'

const pauseMs = 250

export function Search({ placeholder }: { placeholder?: string }) {
  const [query, change] = useFilters()
  const id = useId()
  const inUrl = query.get('search') ?? ''
  const [text, setText] = useState(inUrl)
  const timer = useRef<number | undefined>(undefined)
  /** The text last written to the URL. When the router returns it while the user is still typing, the field keeps the newer text. */
  const sent = useRef(inUrl)
  useLayoutEffect(() => {
    if (inUrl === sent.current) return
    sent.current = inUrl
    setText(inUrl)
  }, [inUrl])
  useEffect(() => () => clearTimeout(timer.current), [])
  const type = (next: string) => {
    setText(next)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => {
      sent.current = next
      change({ search: next }, true)
    }, pauseMs)
  }
  return (
    <div class="field">
      <label for={id}>Search</label>
      <input
        id={id}
        type="search"
        value={text}
        placeholder={placeholder}
        maxLength={255}
        onInput={(event) => type(event.currentTarget.value)}
      />
    </div>
  )
}
