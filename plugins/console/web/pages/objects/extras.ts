import type { Row } from '../../api.ts'
import type { Changeable } from '../../parts/change.tsx'
import type { Texts } from '../../parts/field-text.ts'
import type { TextHistory } from '../../parts/text-history.tsx'

/** The properties of page parts that only one kind of object has. */
export interface ExtrasProps {
  row: Row
  /** Of the row, for `If-Match`. */
  etag: string | null
  /** The texts of the form, saved or not. */
  draft: Texts
  /** Of the text that the page's own editor changes as well. */
  history: TextHistory
  /** What the page has loaded of the object. */
  object: Changeable<Row>
}

/** Content next to the form of a new object, by its kind. */
export interface BesideProps {
  texts: Texts
  history: TextHistory
}
