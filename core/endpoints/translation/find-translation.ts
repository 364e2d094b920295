/** What answers an endpoint that a provider does not have, by what it has. */

import type { EndpointId, ProviderAdapter } from '@gateway/contract'
import type { Answer } from '../../flow/answer.ts'
import type { ResolvedTarget } from '../../flow/config-node.ts'
import type { Exchange } from '../../flow/exchange.ts'
import { estimateAnswer } from '../messages/estimate.ts'
import { clientDialects } from './client-dialects.ts'
import { type ChatCall, translateCall } from './translate-call.ts'

export type StandIn = (exchange: Exchange, target: ResolvedTarget, chat: ChatCall) => Promise<Answer>

/** Null where nothing can stand in: the endpoint is not supported then. */
export function standInFor(endpoint: EndpointId, { endpoints }: ProviderAdapter): StandIn | null {
  if (endpoint === 'countTokens') {
    const isSpoken = endpoints.messages !== undefined || endpoints.chatComplete !== undefined
    return isSpoken ? async (exchange) => estimateAnswer(exchange) : null
  }
  const dialect = clientDialects[endpoint]
  if (dialect === undefined || endpoints.chatComplete === undefined) return null
  return (exchange, target, chat) => translateCall(exchange, target, dialect, chat)
}
