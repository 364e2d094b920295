/** Navigates between the pages of a list. */
import { useFilters } from '../router.tsx'

export const pageSize = 50

export function Pager({ total, shown }: { total: number; shown: number }) {
  const [query, change] = useFilters()
  const page = pageOf(query)
  const first = page * pageSize
  const go = (to: number) => change({ current_page: to === 0 ? null : String(to) })
  // An empty table shows its own text.
  if (total === 0 && page === 0) return null
  return (
    <nav class="pager" aria-label="Pages">
      <span>
        {shown === 0
          ? `${total.toLocaleString('en')} in total`
          : `${(first + 1).toLocaleString('en')}–${(first + shown).toLocaleString('en')} of ${total.toLocaleString('en')}`}
      </span>
      {(page > 0 || total > pageSize) && (
        <>
          <button type="button" disabled={page === 0} onClick={() => go(page - 1)}>
            Previous
          </button>
          <button type="button" disabled={first + shown >= total} onClick={() => go(page + 1)}>
            Next
          </button>
        </>
      )}
    </nav>
  )
}

/** The page number, from 0 as in the API. */
export function pageOf(query: URLSearchParams): number {
  const page = Number(query.get('current_page') ?? 0)
  return Number.isInteger(page) && page > 0 ? page : 0
}
