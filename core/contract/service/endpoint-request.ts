/** Endpoints that providers have and that a service answers in their place. */
import type { EndpointId } from '../endpoint.ts'
import type { FormParts } from '../form.ts'
import type { JsonObject } from '../json.ts'
import type { ServiceRequest } from './request.ts'
import type { ServiceAnswer } from './route.ts'

/**
 * A request of an endpoint that providers have and that a service answers in their place where the gateway keeps the
 * objects itself: files and batches.
 */
export interface EndpointRequest extends ServiceRequest {
  endpoint: EndpointId
  /** The JSON object that was sent, without `gateway_options`; empty where the endpoint takes none. */
  body: JsonObject
  /** The form that was sent, where the endpoint takes one; null for every other endpoint. */
  form: FormParts | null
  /** Whether the request names where it is to be routed: a config, a credential, a provider. */
  readonly namesTarget: boolean
  /** Whether a service sent it about what has a reservation: an inference request that is `isExempt`. */
  readonly isExempt: boolean
  /** Takes `gateway_options` of a form: header names and their values; headers that were sent beat them. */
  addOptions(options: JsonObject): void
  /**
   * What the request can be routed to, in the order of its config; empty when nothing names a provider.
   * Errors: those of configs and credentials.
   */
  targets(): Promise<readonly EndpointTarget[]>
  /**
   * Asks the provider, which must be exactly one. Null as the answer of the handler stands for what the provider answered.
   * Errors: 400 `no_provider` when nothing, or more than one, is named. Faults of the provider are answers.
   */
  forward(body: JsonObject, form?: FormParts): Promise<ForwardedAnswer>
  /**
   * Headers with which the service can call later in the name of this caller, such as for the lines of a batch. They
   * hold credentials: keep them sealed.
   */
  laterHeaders(): Record<string, string>
  /**
   * Reserves what a batch of a provider may need, at the price of batches, from the usage limits of the caller and of the
   * target. `need` is asked only where there are such limits. Null: there are none.
   * Errors: 412 `usage_limit_exceeded`; 503 when nobody can count.
   */
  reserveBatch(endpoint: string, leaseMs: number, need: () => Promise<BatchNeed[]>): Promise<BatchHold | null>
}

/** What the lines of a batch that ask for one model may need. */
export interface BatchNeed {
  /** As the lines write it; empty for lines without one. */
  model: string
  lines: number
  inputTokens: number
  maxOutputTokens: number
}

/** What a batch holds of usage limits until `Counters.settle(id, [])`. */
export type BatchHold = {
  id: string
  held: { key: string; amount: number }[]
}

export interface EndpointTarget {
  provider: string
  /** Of the stored credential; null for one that came with the request. */
  slug: string | null
  /** Whether its provider has an endpoint. */
  has(endpoint: EndpointId): boolean
}

export interface ForwardedAnswer {
  status: number
  /** Null for bytes, which only a null answer of the handler passes on. */
  body: JsonObject | null
}

/** Answers an endpoint; null: what {@link EndpointRequest.forward} brought. */
export type EndpointHandler = (request: EndpointRequest) => Promise<ServiceAnswer | null>
