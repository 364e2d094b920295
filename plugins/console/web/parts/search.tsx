/** A search field whose text is kept in the URL; the request is sent when typing pauses. */
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useFilters } from '../router.tsx'

const pauseMs = 250

interface Props {
  placeholder?: string
  /** Replaces the search by other filters for some texts, such as an API key. */
  special?: {
    /** The filter whose value is shown in the field. */
    shown: string
    filtersOf: (text: string) => Promise<object | null>
    /** The names of all these filters. */
    names: readonly string[]
  }
}

export function Search({ placeholder, special }: Props) {
  const [query, change] = useFilters()
  const id = useId()
  const inUrl = query.get('search') ?? query.get(special?.shown ?? 'search') ?? ''
  const [text, setText] = useState(inUrl)
  const timer = useRef<number | undefined>(undefined)
  /**
   * The text last written to the URL. When the router returns it while the user is still typing, the field keeps the
   * newer text.
   */
  const sent = useRef(inUrl)
  useLayoutEffect(() => {
    if (inUrl === sent.current) return
    sent.current = inUrl
    setText(inUrl)
  }, [inUrl])
  useEffect(() => () => clearTimeout(timer.current), [])
  const search = async (next: string) => {
    const found = (await special?.filtersOf(next.trim())) ?? null
    // The field shows the mask instead of a key.
    sent.current = found === null ? next : ''
    const others = Object.fromEntries((special?.names ?? []).map((name) => [name, null]))
    change({ ...others, search: found === null ? next : null, ...found }, true)
  }
  const type = (next: string) => {
    setText(next)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => void search(next), pauseMs)
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
