/** Names with their values, as a list instead of one long text. */
import type { Row } from '../api.ts'
import { textOf } from './cells.tsx'

export function Pairs({ values }: { values: Row }) {
  const found = Object.entries(values)
  return found.length === 0 ? (
    '–'
  ) : (
    <ul class="pairs">
      {found.map(([name, value]) => (
        <li key={name}>
          <code>{name}</code> {textOf(value)}
        </li>
      ))}
    </ul>
  )
}
