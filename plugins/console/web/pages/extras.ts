import type { Row } from '../api.ts'

/** What the part of a page gets that only one kind of object has. */
export interface ExtrasProps {
  row: Row
  onChanged: () => void
}
