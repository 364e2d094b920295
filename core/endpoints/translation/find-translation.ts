/** Finds an endpoint of a provider that can substitute a missing one. Errors: `unsupported_endpoint`. */
import type { ProviderAdapter } from '@gateway/contract'
import {
  type Answer,
  createAnswer,
  type Endpoint,
  type ResolvedTarget,
  type Routed,
  type Targeted,
} from '@gateway/flow'
import { chat } from '../chat.ts'
import { embeddings } from '../embeddings.ts'
import { implementationOf } from './endpoint-of.ts'
import { translateCall, type UnifiedCall } from './translate-call.ts'

export type TranslatedCall = (
  exchange: Targeted,
  target: ResolvedTarget,
  call: UnifiedCall,
) => Promise<Answer>

const unified = { chat, embed: embeddings }

/** Null when the provider does not support the endpoint in any form. */
export function findTranslation(
  { translation }: Endpoint,
  { endpoints }: ProviderAdapter,
): TranslatedCall | null {
  if (translation?.needs.some((id) => endpoints[id] !== undefined) !== true) return null
  if (translation.kind === 'estimate')
    return async ({ options, input: { body } }) =>
      createAnswer({
        headers: { [`${options.prefix}token-count`]: 'estimate' },
        body: translation.answer(body),
      })
  const { kind, dialect } = translation
  return (exchange, target, call) =>
    translateCall(exchange, target, { unified: { endpoint: unified[kind], dialect }, call })
}

/** Refuses a target that cannot answer the endpoint of the exchange. */
export function checkEndpoint(exchange: Routed, target: ResolvedTarget, endpoint: Endpoint): void {
  if (endpoint.isProxied) return
  const isTranslated = endpoint.translation !== null && findTranslation(endpoint, target.adapter) !== null
  implementationOf(exchange, target, { endpoint, isTranslated })
}
