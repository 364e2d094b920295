/** Provider endpoints that a service answers instead. */
import type { EndpointId } from '../endpoint.ts'
import type { FormParts } from '../form.ts'
import type { JsonObject } from '../json.ts'
import type { ServiceRequest } from './request.ts'
import type { ServiceAnswer } from './route.ts'

/**
 * A request to a provider endpoint that a service answers when the gateway stores the objects itself: files and
 * batches.
 */
export interface EndpointRequest extends ServiceRequest {
  endpoint: EndpointId
  /** The JSON body without `gateway_options`; empty when the endpoint takes none. */
  body: JsonObject
  /** The form, when the endpoint takes one; otherwise null. */
  form: FormParts | null
  /** Whether the request specifies its routing: a config, a credential or a provider. */
  readonly namesTarget: boolean
  /** Whether a service sent it with usage that is already reserved: an inference request with `isExempt`. */
  readonly isExempt: boolean
  /** Applies a form's `gateway_options`: header names and values; headers of the request override them. */
  addOptions(options: JsonObject): void
  /**
   * The possible targets of the request, in the order of its config; empty when no provider is specified. Errors: those
   * of configs and credentials.
   */
  targets(): Promise<readonly EndpointTarget[]>
  /**
   * Forwards the request to its provider, which must be exactly one. The handler then returns null to pass the
   * provider's answer on. Errors: 400 `no_provider` when none or several are specified. Errors of the provider are
   * answers.
   */
  forward(body: JsonObject, form?: FormParts): Promise<ForwardedAnswer>
  /**
   * Headers for later calls on behalf of this caller, such as for the lines of a batch. They contain credentials: keep
   * them sealed.
   */
  laterHeaders(): Record<string, string>
  /**
   * Reserves the estimated usage of a provider batch, at batch prices, from the usage limits of the caller and of the
   * target. `need` is called only if such limits exist; otherwise the result is null. Errors: 412
   * `usage_limit_exceeded`; 503 when the counters are unavailable.
   */
  reserveBatch(endpoint: string, leaseMs: number, need: () => Promise<BatchNeed[]>): Promise<BatchHold | null>
}

/** The estimated usage of a batch's lines for one model. */
export interface BatchNeed {
  /** The model as written in the lines; empty for lines without a model. */
  model: string
  lines: number
  inputTokens: number
  maxOutputTokens: number
}

/** A batch's reservation of usage limits until `Counters.settle(id, [])`. */
export type BatchHold = {
  id: string
  held: { key: string; amount: number }[]
}

export interface EndpointTarget {
  provider: string
  /** The slug of the stored credential; null for a credential that came with the request. */
  slug: string | null
  /** Whether its provider has an endpoint. */
  has(endpoint: EndpointId): boolean
}

export interface ForwardedAnswer {
  status: number
  /** The parsed body; null for bytes, which are passed on only when the handler returns null. */
  body: JsonObject | null
}

/** Answers an endpoint. Null returns the answer of {@link EndpointRequest.forward}. */
export type EndpointHandler = (request: EndpointRequest) => Promise<ServiceAnswer | null>
