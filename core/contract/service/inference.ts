/** Inference requests that a service runs inside the process, through the same stages as one that a client sends. */
import type { EndpointId } from '../endpoint.ts'
import type { Identity } from '../identity.ts'
import type { JsonObject } from '../json.ts'
import type { CounterWindow, LogEntry } from '../store.ts'
import type { RouteMethod } from './route-method.ts'

/** An inference request that a service runs inside the process, through the same stages as one that a client sends. */
export interface InferenceCall {
  /** Default: POST. */
  method?: RouteMethod
  /** As a client would call it: `/v1/chat/completions`; with its query. */
  path: string
  /** Null: no body, or one that is not JSON. */
  body: JsonObject | null
  /** The body as JSON, where the caller has it already. */
  text?: string
  /** A body that is not JSON, such as a form. */
  raw?: { contentType: string; bytes: AsyncIterable<Uint8Array> }
  /** What its log entry and policies know of where it came from. */
  origin?: InferenceOrigin
}

export interface InferenceOrigin {
  batch_id?: string
  prompt?: InferencePrompt
}

/** The prompt whose text a request holds. */
export interface InferencePrompt {
  id: string
  slug: string
  version: number
  /** Which config routes it, and which stored provider is called, when nobody else says. Slugs; the config's may be its id. */
  config: string | null
  virtual_key: string | null
  variables: JsonObject
  /** What the call itself says of the body: it also wins over a prompt that a config runs in the place of this one. */
  given: JsonObject
  /** Names of missing variables, as a header says them; null when there is none. */
  missing: string | null
}

/** A prompt that a target of a config names. */
export interface PromptRequest {
  /** As `prompt_id` is written: id or slug, with or without a version. */
  reference: string
  identity: Identity
  endpoint: EndpointId
  variables: JsonObject
  /** Members of the body that win over those of the prompt. */
  given: JsonObject
}

export interface RenderedPrompt {
  prompt: InferencePrompt
  body: JsonObject
}

/** An inference request that belongs to no request of a client. */
export interface InferenceRequest extends InferenceCall {
  /**
   * Who calls, authenticated before: their rights, limits and workspace are looked up again. A JWT cannot be: it calls
   * as it did.
   */
  identity: Identity
  /** As a client would send them, the gateway's own with a prefix: `x-gateway-config`. No API key is needed. */
  headers: Readonly<Record<string, string>>
  clientIp: string
  /** Fires when nobody waits for the answer any more. */
  signal: AbortSignal
  /** Takes what would otherwise be counted and logged at once; absent: it is. */
  records?: InferenceRecords
  /** Answers in the place of the provider, whose batch has the request; what it costs is the price of batches. */
  provider?: BatchProvider
  /** Neither counted by limits nor refused by them: what it is about was reserved before. Only with `records`. */
  isExempt?: boolean
}

/** The provider of a request that is part of a batch of the provider's own. */
export interface BatchProvider {
  /**
   * Whether only what would be sent is asked for: nothing is counted, and only a limit of 0 refuses, for the whole batch
   * was admitted before. Else the provider has answered, and limits count what was used without refusing it.
   */
  isTrial: boolean
  /** Gets the request in the provider's format, and as a line of its batch; gives the provider's own answer. */
  answer(sent: { body: JsonObject; line: JsonObject }): Promise<{ status: number; body: JsonObject }>
}

/** Takes the records of a request, so that they can be committed together with its answer. */
export interface InferenceRecords {
  /** In the place of the log; once, unless the request is not logged at all. */
  entry(entry: LogEntry): void
  /** In the place of the settlement of limits; before the answer. Several times where targets have limits, too. */
  charge(charge: InferenceCharge): void
}

/** What a request used of its limits. */
export interface InferenceCharge {
  /** Under which it was reserved: what it holds is given back by `Counters.settle(id, [])`. */
  id: string
  /** Milliseconds since the epoch. */
  at: number
  used: readonly { key: string; amount: number; window: CounterWindow | null }[]
}

/** What a client would have got, errors too. */
export interface InferenceAnswer {
  status: number
  headers: Readonly<Record<string, string>>
  /** The whole body; null for a stream. */
  text: string | null
  /** Read it to its end, or call its `return`: the request ends with it. It throws where a connection would break off. */
  stream: AsyncIterableIterator<Uint8Array> | null
}
