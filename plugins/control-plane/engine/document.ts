/** A document before it is stored. */
import type { DocumentDraft } from '@gateway/contract'

/** The data to store; hooks change it in place. */
export type DraftOf<Data> = Omit<DocumentDraft<Data>, 'keys' | 'attributes'> & {
  keys: string[]
  attributes: Record<string, readonly string[]>
}
