/**
 * How the requests of an endpoint continue stored responses. The gateway has the store, the master key and the credential
 * of a response that a provider stores; the format knows where a request refers to a response, and what of an answer later
 * requests need. A request with `store: false`, and a response with it, is not stored.
 */
import type { JsonObject } from '../json.ts'
import type { Sealer } from '../service/context.ts'

export interface KeptResponse {
  response: JsonObject
  /** All input items, those of earlier responses first; each has an id. */
  items: JsonObject[]
}

/** Errors: `dependency_unavailable` when the store does not answer. */
export interface ResponseReader {
  find(workspace: string, id: string): Promise<KeptResponse | null>
  /** Whose response a provider stores; null if no provider is known to. */
  ownerOf(id: string): Promise<{ workspace: string } | null>
}

/** Seals texts that callers keep; one opens only in its workspace. */
export interface StateSeal {
  workspace: string
  sealer: Pick<Sealer, 'seal' | 'open'>
}

/** What a request can continue. */
export interface History extends StateSeal {
  store: ResponseReader
}

export interface Recalled {
  body: JsonObject
  /** The response whose conversation was prepended to the input; null without one. */
  continued: string | null
}

/** How answers are stored. */
export interface KeptAnswers {
  /** Types of the events whose member `response` is the complete response. */
  readonly endings: readonly string[]
  /** Types of the events from which on a provider can be asked for the response in them that it stores. */
  readonly beginnings: readonly string[]
  /** A translated response, as it is stored. */
  translated(response: JsonObject, request: JsonObject): KeptResponse
  /** A provider's native response that is not stored anywhere, in the form in which its output can be sent back. */
  portable(response: JsonObject, request: JsonObject): KeptResponse
}

export interface ResponseState {
  /**
   * The request with what it refers to, before any other stage sees it. References to responses that a provider stores
   * are left unchanged. Errors: those of the format for a response of another workspace, or a seal that does not open.
   */
  recall(body: JsonObject, history: History): Promise<Recalled>
  /** The answer as its caller receives it; the same one if nothing in it is sealed. */
  seal(answer: JsonObject, seal: StateSeal): JsonObject
  /** The same for the events of one stream; null if nothing in the answer to this request is sealed. */
  sealEvents(request: JsonObject, seal: StateSeal): ((events: Buffer) => Buffer) | null
  /** Null if answers are not stored. */
  readonly keeps: KeptAnswers | null
}
