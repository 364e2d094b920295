/** Stored responses. Errors: `dependency_unavailable` when the store does not answer. */
import type { KeptResponse, ResponseReader } from '@gateway/contract/dialect'

/** A response stored by a provider. */
export interface ResponseOwner {
  workspace: string
  /** The stored credential used for it. */
  slug: string
  /** The session of its first request, if a rollout was running; otherwise null. */
  session: string | null
}

export interface ResponseStore extends ResponseReader {
  keep(workspace: string, kept: KeptResponse): Promise<void>
  /** Keeps a response with `store: false` as long as its WebSocket is open; null for other connections. */
  readonly keepUnstored: ((workspace: string, kept: KeptResponse) => void) | null
  forget(workspace: string, id: string): Promise<void>
  ownerOf(id: string): Promise<ResponseOwner | null>
  /** The first owner of a response stays its owner. */
  noteOwner(id: string, owner: ResponseOwner): Promise<void>
  forgetOwner(id: string): Promise<void>
}
