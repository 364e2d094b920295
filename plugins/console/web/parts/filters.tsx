/** The filters of a list. A phone shows only the first four until the user opens the rest or one of them is in use. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { useFilters } from '../router.tsx'

interface Props {
  /** The URL names of the filters after the fourth. */
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
