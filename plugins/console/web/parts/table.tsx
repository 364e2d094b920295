/** A table with native cells. It scrolls by itself on narrow screens. */
import type { ComponentChildren } from 'preact'
import type { Query } from '../query.tsx'
import { useFilters } from '../router.tsx'

export interface Column<R> {
  name: string
  label: string
  isNumber?: boolean
  /** Whether it stays on one line. Short texts always do. */
  isShort?: boolean
  /** The name by which the server sorts the rows; omitted if it cannot. */
  sort?: string
  render: (row: R) => ComponentChildren
}

interface Props<R> {
  caption: string
  columns: readonly Column<R>[]
  rows: readonly R[]
  empty?: ComponentChildren
  sorted?: Sorted
}

/** The text of an empty table, which is shown only once the data is loaded. */
export const emptyOf = (
  { data, error }: Pick<Query<unknown>, 'data' | 'error'>,
  text: ComponentChildren,
): ComponentChildren => (data !== null ? text : error === null ? 'Loading…' : 'This could not be loaded.')

/** The column by which the rows are sorted. */
export interface Sorted {
  by: string
  isAscending: boolean
  /** Called with the name of the chosen column. */
  onSort: (by: string) => void
}

/** The order in the URL, under the API's names. */
export function useSorted(fallback: string): Sorted {
  const [query, change] = useFilters()
  const by = query.get('sort') ?? fallback
  const isAscending = query.get('order') === 'asc'
  return {
    by,
    isAscending,
    onSort: (next) =>
      change({ sort: next === fallback ? null : next, order: next === by && !isAscending ? 'asc' : null }),
  }
}

function Head<R>({
  column: { label, isNumber, sort },
  sorted,
}: {
  column: Column<R>
  sorted: Sorted | undefined
}) {
  const isSorted = sort !== undefined && sorted?.by === sort
  return (
    <th
      scope="col"
      class={isNumber === true ? 'number' : undefined}
      aria-sort={isSorted ? (sorted.isAscending ? 'ascending' : 'descending') : undefined}
    >
      {sort === undefined || sorted === undefined ? (
        label
      ) : (
        <button type="button" class="sort" onClick={() => sorted.onSort(sort)}>
          {label}
          <span aria-hidden="true">{isSorted ? (sorted.isAscending ? ' ↑' : ' ↓') : ''}</span>
        </button>
      )}
    </th>
  )
}

/** Text up to this length is not broken across lines. */
const maxShortChars = 26

function Cell<R>({ column: { isNumber, isShort, render }, row }: { column: Column<R>; row: R }) {
  const content = render(row)
  const isText = typeof content === 'string'
  const isWord = isShort === true || (isText && content.length <= maxShortChars)
  return (
    <td class={isNumber === true ? 'number' : isWord ? 'short' : isText ? 'long' : undefined}>{content}</td>
  )
}

export const Table = <R extends object>({
  caption,
  columns,
  rows,
  empty = 'Nothing here yet.',
  sorted,
}: Props<R>) => (
  // A scrollable region must be reachable by keyboard.
  <section class="table" tabIndex={0} aria-label={caption}>
    <table>
      <caption class="hidden">{caption}</caption>
      <thead>
        <tr>
          {columns.map((column) => (
            <Head key={column.name} column={column} sorted={sorted} />
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={'id' in row ? String(row.id) : index}>
            {columns.map((column) => (
              <Cell key={column.name} column={column} row={row} />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
    {rows.length === 0 && <div class="empty">{empty}</div>}
  </section>
)
