/** A table with real cells; it scrolls by itself where the screen is narrow. */
import type { ComponentChildren } from 'preact'
export interface Column<R> {
  name: string
  label: string
  isNumber?: boolean
  /** Stays on one line; short texts do so anyway. */
  isShort?: boolean
  render: (row: R) => ComponentChildren
}

interface Props<R> {
  caption: string
  columns: readonly Column<R>[]
  rows: readonly R[]
  empty?: ComponentChildren
}

/** What is read as one word breaks into none. */
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
}: Props<R>) => (
  // A region that scrolls must be reachable by keyboard.
  <section class="table" tabIndex={0} aria-label={caption}>
    <table>
      <caption class="hidden">{caption}</caption>
      <thead>
        <tr>
          {columns.map(({ name, label, isNumber }) => (
            <th key={name} scope="col" class={isNumber === true ? 'number' : undefined}>
              {label}
            </th>
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
