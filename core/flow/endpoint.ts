/**
 * A request's endpoint, as the stages see it: validation of bodies, texts for guardrails, streaming, usage and cost.
 * `core/endpoints/` declares one object for each endpoint; the router sets it in the exchange, so that no stage looks
 * it up by name. What a dialect's package can declare is {@link EndpointTraits}.
 */
import type { EndpointId, JsonObject } from '@gateway/contract'
import type { EndpointTraits } from '@gateway/contract/dialect'
import type { FormRules } from '@gateway/contract/wire'

/** An endpoint, and the routes that lead to it. */
export interface ListedEndpoint extends Endpoint {
  readonly routes: readonly {
    readonly method: string
    readonly path: string
    readonly aliases?: readonly string[]
    /** The list of `core/pipeline.ts` that serves it. */
    readonly pipeline: string
  }[]
}

export interface Endpoint extends EndpointTraits {
  /** Its id in policies, plugins and logs. */
  readonly id: EndpointId

  /** The rules of a form body; null when only JSON is accepted. */
  readonly form: FormRules | null
  /** Whether bodies are forwarded as bytes, because their format is the provider's. */
  readonly isProxied: boolean

  /** The schema's members that a prompt supplies; null when no prompt can run. */
  readonly promptMembers: Readonly<JsonObject> | null

  /** Whether images are generated: they are counted, and priced by size and quality. */
  readonly makesImages: boolean
  /** Whether estimates can be priced; false when the priced unit does not appear in bodies. */
  readonly isEstimatePriced: boolean
}
