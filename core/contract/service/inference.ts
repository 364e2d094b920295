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
  /** The JSON body; null for a request without a body or with a body that is not JSON. */
  body: JsonObject | null
  /** The JSON text of the body, if the caller already has it. */
  text?: string
  /** A body that is not JSON, such as a form. */
  raw?: { contentType: string; bytes: AsyncIterable<Uint8Array> }
  /** Its origin, for log entries and policies. */
  origin?: InferenceOrigin
}

/** Sources of log entries that lists, graphs and exports leave out unless they are asked for. */
export type LogSource = 'replay' | 'shadow'

export interface InferenceOrigin {
  batch_id?: string
  /** The `source` of its log entry, for requests that no caller waits for. Default: `gateway`. */
  source?: LogSource
  prompt?: InferencePrompt
}

/** The prompt that a request was rendered from. */
export interface InferencePrompt {
  id: string
  slug: string
  version: number
  /** The default config and stored provider. Slugs; the config may be given by id. */
  config: string | null
  virtual_key: string | null
  variables: JsonObject
  /** Body members from the call itself; they also override a prompt that a config runs instead of this one. */
  given: JsonObject
  /** Names of missing variables, formatted for a header; null if all are present. */
  missing: string | null
}

/** A prompt that a config's target refers to. */
export interface PromptRequest {
  /** The `prompt_id`: id or slug, with or without a version. */
  reference: string
  identity: Identity
  endpoint: EndpointId
  variables: JsonObject
  /** Body members that override those of the prompt. */
  given: JsonObject
}

export interface RenderedPrompt {
  prompt: InferencePrompt
  body: JsonObject
}

/** An inference request that does not originate from a client's request. */
export interface InferenceRequest extends InferenceCall {
  /**
   * The previously authenticated caller: rights, limits and workspace are looked up again, except for a JWT, which
   * keeps its original ones.
   */
  identity: Identity
  /** Headers as a client would send them; the gateway's own with a prefix: `x-gateway-config`. No API key is needed. */
  headers: Readonly<Record<string, string>>
  clientIp: string
  /** Aborts the request. */
  signal: AbortSignal
  /** Receives records that would otherwise be counted and logged immediately. */
  records?: InferenceRecords
  /** Replaces the provider call for a request of a provider batch; batch prices apply. */
  provider?: BatchProvider
  /** Whether it is exempt from limits, because its usage was reserved before. Only with `records`. */
  isExempt?: boolean
}

/** The provider of a request that is part of the provider's own batch. */
export interface BatchProvider {
  /**
   * Whether only the provider request is built: nothing is counted, and only a limit of 0 refuses, because the whole
   * batch was already admitted. Otherwise the provider has answered, and limits count the usage without refusing it.
   */
  isTrial: boolean
  /** Receives the request in the provider's format and as a batch line; returns the provider's answer. */
  answer(sent: { body: JsonObject; line: JsonObject }): Promise<{ status: number; body: JsonObject }>
}

/** Receives the records of a request, to commit them together with its answer. */
export interface InferenceRecords {
  /**
   * Replaces logging; called for each entry: the request's own, whose id is the answer's `x-request-id`, and those of
   * calls that it made. `complete` is the entry with the results of async hooks.
   */
  entry(entry: LogEntry, complete?: Promise<LogEntry>): void
  /** Replaces the settlement of limits; called before the answer, several times when targets also have limits. */
  charge(charge: InferenceCharge): void
  /** Called once, when the request is over: nothing more is recorded. */
  ended?(): void
}

/** A request's usage of its limits. */
export interface InferenceCharge {
  /** The id of the reservation, which `Counters.settle(id, [])` releases. */
  id: string
  /** Milliseconds since the epoch. */
  at: number
  used: readonly { key: string; amount: number; window: CounterWindow | null }[]
}

/** The answer that a client would have received, including errors. */
export interface InferenceAnswer {
  status: number
  headers: Readonly<Record<string, string>>
  /** The whole body; null for a stream. */
  text: string | null
  /**
   * Read it to its end or call its `return`; the request ends with it. It throws when a client's connection would be
   * reset.
   */
  stream: AsyncIterableIterator<Uint8Array> | null
}
