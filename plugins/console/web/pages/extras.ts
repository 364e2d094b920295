import type { Row } from '../api.ts'

/** The properties of page parts that only one kind of object has. */
export interface ExtrasProps {
  row: Row
  onChanged: () => void
}
