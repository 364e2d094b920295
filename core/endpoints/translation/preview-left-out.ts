/** What a call to a target would leave out of the body, for dry runs. */
import { isGatewayError } from '@gateway/contract'
import type { ResolvedTarget } from '../../flow/config-node.ts'
import { type Exchange, required } from '../../flow/exchange.ts'
import { endpointOf } from './endpoint-of.ts'
import { createDialectContext, mostLeftOut } from './translate-call.ts'

/** Paths of the caller's body; none for a body that the target would refuse. */
export function previewLeftOut(exchange: Exchange, target: ResolvedTarget): readonly string[] {
  const endpoint = required(exchange.endpoint, 'endpoint')
  const { translation } = endpoint
  if (translation?.kind !== 'chat' || endpointOf(exchange, target, endpoint, true) !== null) return []
  const context = createDialectContext(exchange, target)
  try {
    translation.dialect.request(exchange.body, context)
    return context.leftOut.slice(0, mostLeftOut)
  } catch (error) {
    if (!isGatewayError(error) || error.status >= 500) throw error
    return []
  }
}
