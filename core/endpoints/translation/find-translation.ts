/** How a provider answers an endpoint that it does not have: by one that it has. */
import type { ProviderAdapter } from '@gateway/contract'
import type { Answer } from '../../flow/answer.ts'
import type { ResolvedTarget } from '../../flow/config-node.ts'
import type { Endpoint } from '../../flow/endpoint.ts'
import { type Exchange, required } from '../../flow/exchange.ts'
import { type ChatCall, translateCall } from './translate-call.ts'

export type TranslatedCall = (exchange: Exchange, target: ResolvedTarget, chat: ChatCall) => Promise<Answer>

/** Null where the provider has nothing to answer by: it does not support the endpoint then. */
export function findTranslation(
  { translation }: Endpoint,
  { endpoints }: ProviderAdapter,
): TranslatedCall | null {
  if (translation?.needs.some((id) => endpoints[id] !== undefined) !== true) return null
  if (translation.kind === 'estimate')
    return async ({ body, options }) => translation.answer(body, required(options, 'options').prefix)
  return (exchange, target, chat) => translateCall(exchange, target, translation.dialect, chat)
}
