/** A provider's implementation of an endpoint for a model. Errors: `unsupported_endpoint`. */
import { GatewayError, type HttpEndpoint, isGatewayError, type ProcedureEndpoint } from '@gateway/contract'
import type { Endpoint, ResolvedTarget, Routed } from '@gateway/flow'

/** The provider's implementation for this model; null when it has none and the call is translated. */
export function implementationOf(
  exchange: Routed,
  target: ResolvedTarget,
  { endpoint: { id }, isTranslated }: { endpoint: Endpoint; isTranslated: boolean },
): HttpEndpoint | ProcedureEndpoint | null {
  const declared = target.adapter.endpoints[id]
  if (declared === undefined) {
    if (isTranslated) return null
    const message = `The provider ${target.adapter.name} does not support ${id}.`
    throw new GatewayError('unsupported_endpoint', message)
  }
  if (declared.kind !== 'choice') return declared
  try {
    return declared.choose(exchange.input.body, target.settings, baseModelOf(exchange, target))
  } catch (error) {
    if (isTranslated && isGatewayError(error) && error.code === 'unsupported_endpoint') return null
    throw error
  }
}

/** The base model that the operator configured for the called model. */
function baseModelOf({ workspace, input: { body } }: Routed, { slug }: ResolvedTarget): string | null {
  const stored = slug === null ? undefined : workspace.storedProviders.get(slug)
  return stored?.models.get(String(body.model))?.base_model_slug ?? null
}
