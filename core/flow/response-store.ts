/** What the gateway keeps of `/v1/responses`. Errors: `dependency_unavailable` when the store does not answer. */
import type { JsonObject } from '@gateway/contract'

export interface KeptResponse {
  response: JsonObject
  /** All items that led to it, those of earlier responses first; each has an id. */
  items: JsonObject[]
}

/** Of a response that a provider keeps. */
export interface ResponseOwner {
  workspace: string
  /** The stored credential that made it. */
  slug: string
}

export interface ResponseStore {
  find(workspace: string, id: string): Promise<KeptResponse | null>
  keep(workspace: string, kept: KeptResponse): Promise<void>
  forget(workspace: string, id: string): Promise<void>
  ownerOf(id: string): Promise<ResponseOwner | null>
  /** Whoever made a response first stays its owner. */
  noteOwner(id: string, owner: ResponseOwner): Promise<void>
  forgetOwner(id: string): Promise<void>
}
