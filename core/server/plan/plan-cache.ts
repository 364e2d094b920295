/** Whether a stored answer would answer a request; no embedding is created. */
import type { PlannedCache } from '@gateway/contract'
import type { Ports, Resolved } from '@gateway/flow'
import { cacheKeyOf, freshHead, reportCacheFault } from '../../caching/index.ts'

/** An exchange at a node with a cache. */
export interface CachingNode {
  exchange: Resolved
  probability: number
}

/** The outermost cache on the path to the likeliest target; null without a cache. */
export async function planCache(
  ports: Ports<'answers' | 'log' | 'metrics'>,
  caching: readonly CachingNode[],
): Promise<PlannedCache | null> {
  const { exchange } = caching.find(({ probability }) => probability > 0) ?? caching[0] ?? { exchange: null }
  const cache = exchange?.node.cache
  if (exchange === null || cache == null) return null
  const { semanticCache } = exchange.workspace
  const agreement = cache.mode === 'semantic' ? (semanticCache?.agreement ?? null) : null
  return { mode: cache.mode, agreement, would: await wouldBe(ports, exchange) }
}

async function wouldBe(
  ports: Ports<'answers' | 'log' | 'metrics'>,
  exchange: Resolved,
): Promise<PlannedCache['would']> {
  if (!exchange.endpoint.mayCache(exchange.input.body)) return 'disabled'
  if (exchange.options.cacheForceRefresh) return 'miss'
  try {
    const stored = await ports.answers.get(cacheKeyOf(exchange))
    return stored !== undefined && freshHead(exchange, stored) !== null ? 'hit' : 'miss'
  } catch (error) {
    reportCacheFault(ports, exchange, { operation: 'read', error })
    return 'miss'
  }
}
