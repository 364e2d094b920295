/** The caller, and its credential's data besides rights. */
import type { Identity, StoredDocument, TokenSubject } from '@gateway/contract'
import type { KeyTerms } from '@gateway/domain'
import type { Claim } from './headers/presented.ts'
import type { MaybePromise } from './waiting.ts'

export interface Caller {
  identity: Identity
  /**
   * The stored key that called or signed in: its defaults and limits apply. For a JWT, an unstored document of the same
   * type. Null for keys of the config file and other credentials.
   */
  key: StoredDocument<KeyTerms> | null
  /** Whether its key may be used from an address (`allowed_ips`); null: from any. */
  allowsAddress: ((address: string) => boolean) | null
}

/** Who sent a request. Requests of a key share it. */
export type KnownCaller = Readonly<Pick<Caller, 'identity' | 'key'>>

/** Authenticates callers. */
export interface Callers {
  find(claim: Claim): MaybePromise<Caller>
  /** The current identity of a previously authenticated caller. Errors: as for an invalid credential. */
  findAgain(identity: Identity): Promise<Caller>
  /** A signed-in person in each of the workspaces that they may see. Errors: as for an invalid credential. */
  findInWorkspaces(identity: Identity): Promise<Caller[]>
  /**
   * The identity behind an access token. Errors: `invalid_api_key`, `expired_api_key`; `not_found` for its workspace.
   */
  findSubject(subject: TokenSubject, client: Claim['client']): Promise<Caller>
  /**
   * Records the use of something other than keys and sessions, whose use is recorded on lookup.
   * @param name what was
   * used
   * @param toId derives the id from the name; by default the name is the id
   */
  noteUse(name: string, organisationId: string, toId?: (name: string) => string): void
}
