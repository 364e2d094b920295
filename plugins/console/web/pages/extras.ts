import type { Row } from '../api.ts'
import type { Texts } from '../parts/field-text.ts'

/** The properties of page parts that only one kind of object has. */
export interface ExtrasProps {
  row: Row
  /** The texts of the form, saved or not. */
  draft: Texts
  onChanged: () => void
}
