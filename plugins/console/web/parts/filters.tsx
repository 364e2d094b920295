/** The filters of a list. On a phone only the first four are seen until the rest is asked for or in use. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useFilters } from '../router.tsx'

interface Props {
  /** The names in the URL of the filters after the fourth. */
  rest: readonly string[]
  children: ComponentChildren
}

export function Filters({ rest, children }: Props) {
  const [query] = useFilters()
  const [isOpen, setOpen] = useState(rest.some((name) => query.has(name)))
  return (
    <div class={isOpen ? 'filters open' : 'filters'}>
      {children}
      <button type="button" class="more" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? 'Fewer filters' : 'More filters'}
      </button>
    </div>
  )
}
