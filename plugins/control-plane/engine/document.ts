/** A document on its way into the store. */
import type { DocumentDraft } from '@gateway/contract'

/** What will be stored; hooks change it in place. */
export type DraftOf<Data> = Omit<DocumentDraft<Data>, 'keys' | 'attributes'> & {
  keys: string[]
  attributes: Record<string, readonly string[]>
}
