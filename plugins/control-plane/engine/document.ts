/** Documents of a kind whose `data` is known. */
import type { DocumentDraft, StoredDocument } from '@gateway/contract'

/** A document whose `data` is known. */
export type DocumentOf<Data> = Omit<StoredDocument, 'data'> & { data: Data }

/** What will be stored; hooks change it in place. */
export type DraftOf<Data> = Omit<DocumentDraft, 'data' | 'keys' | 'attributes'> & {
  data: Data
  keys: string[]
  attributes: Record<string, readonly string[]>
}
