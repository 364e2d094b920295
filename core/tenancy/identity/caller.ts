/** Who calls, and what their credential brings beside rights. */
import type { Identity, StoredDocument } from '@gateway/contract'
import type { KeyTerms } from '../../domain/index.ts'

export interface Caller {
  identity: Identity
  /**
   * The stored key that called, or that signed in: its defaults and limits apply. What a JWT brings of these stands in
   * a document of the same shape, which is in no store. Null for keys of the config file and everything else.
   */
  key: StoredDocument<KeyTerms> | null
}
