import type { Row } from '../../api.ts'
import type { Changeable } from '../../parts/change.tsx'
import type { Texts } from '../../parts/field-text.ts'
import type { TextHistory } from '../../parts/text-history.tsx'

/** The properties of page parts that only one kind of object has. */
export interface ExtrasProps {
  row: Row
  /** The etag of the row, for `If-Match`. */
  etag: string | null
  /** The texts of the form, saved or not. */
  draft: Texts
  /** The history of the text that the page's own editor also changes. */
  history: TextHistory
  /** The object as the page has loaded it. */
  object: Changeable<Row>
}

/** Content next to the form of a new object, by its kind. */
export interface BesideProps {
  texts: Texts
  history: TextHistory
}
