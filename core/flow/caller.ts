/** Who calls, and what their credential brings beside rights. */
import type { Identity, StoredDocument, TokenSubject } from '@gateway/contract'
import type { KeyTerms } from '../domain/index.ts'
import type { Claim } from '../headers/presented.ts'

export interface Caller {
  identity: Identity
  /**
   * The stored key that called, or that signed in: its defaults and limits apply. What a JWT brings of these stands in
   * a document of the same shape, which is in no store. Null for keys of the config file and everything else.
   */
  key: StoredDocument<KeyTerms> | null
  /** Whether its key may be used from an address (`allowed_ips`); null: from every address. */
  allowsAddress: ((address: string) => boolean) | null
}

/** Who knows callers. */
export interface Callers {
  find(claim: Claim): Promise<Caller>
  /** Who somebody is now that was found before. Errors: as for a credential that is not valid any more. */
  findAgain(identity: Identity): Promise<Caller>
  /** In whose name an access token was given. Errors: `invalid_api_key`, `expired_api_key`; `not_found` for its workspace. */
  findSubject(subject: TokenSubject, address: Claim['address']): Promise<Caller>
  /**
   * That something was used beside keys and sessions, which are noted when they are found.
   * @param name what was used
   * @param toId makes an id of the name; without it the name is the id
   */
  noteUse(name: string, organisationId: string, toId?: (name: string) => string): void
}
