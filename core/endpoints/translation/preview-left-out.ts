/** Lists the members that a call to a target would leave out of the body, for dry runs. */
import { isGatewayError } from '@gateway/contract'
import type { Resolved, ResolvedTarget } from '@gateway/flow'
import { chat } from '../chat.ts'
import { implementationOf } from './endpoint-of.ts'
import { createDialectContext, translateRequest } from './translate-call.ts'

/** Paths of the caller's body; none for a body that the target would refuse. */
export function previewLeftOut(exchange: Resolved, target: ResolvedTarget): readonly string[] {
  const endpoint = exchange.endpoint
  const { translation } = endpoint
  if (
    translation?.kind !== 'chat' ||
    implementationOf(exchange, target, { endpoint, isTranslated: true }) !== null
  )
    return []
  const context = createDialectContext(exchange, target, chat)
  try {
    return translateRequest(exchange, { endpoint: chat, dialect: translation.dialect }, context).leftOut
  } catch (error) {
    if (!isGatewayError(error) || error.status >= 500) throw error
    return []
  }
}
