/**
 * The semantic cache for one request (contract section 8): the group of answers that differ only in the text, and the
 * nearest of them. A failure of the embedding or the store is a miss, counted and logged.
 */

import { randomUUID } from 'node:crypto'
import { faultReason, isGatewayError } from '@gateway/contract'
import { type Exchange, required } from '../flow/exchange.ts'
import type { SemanticCache } from '../flow/settings.ts'
import { cacheKeyOf } from '../upstream/cache-key.ts'
import { comparableText } from './comparable-text.ts'
import { embed } from './embed.ts'

interface SemanticHit {
  similarity: number
  /** The stored answer. */
  text: string
}

export interface SemanticLookup {
  /** The nearest stored answer within the threshold; null for a miss. */
  find(): Promise<SemanticHit | null>
  /** Stores an answer, replacing the one that {@link find} found. Without an embedding nothing is stored. */
  store(text: string, ttlMs: number): Promise<void>
}

/** Larger answers are stored only for exact matches. */
const maxAnswerChars = 2_000_000

/** Null when only exact matches are searched. */
export function semanticLookup(exchange: Exchange): SemanticLookup | null {
  const node = required(exchange.node, 'config node')
  const cache = exchange.settings.semanticCache
  if (node.cache?.mode !== 'semantic' || cache === null) return null
  const comparable = comparableText(required(exchange.endpoint, 'endpoint'), exchange.body)
  if (comparable === null) return null
  const { text, rest } = comparable
  const { provider, model, dimensions } = cache
  const collection = cacheKeyOf(exchange, { ...rest, embedding: [provider, model, dimensions] })
  return lookup(exchange, { cache, collection, text, threshold: node.cache.threshold ?? cache.threshold })
}

interface Place {
  cache: SemanticCache
  collection: string
  text: string
  threshold: number
}

function lookup(exchange: Exchange, { cache, collection, text, threshold }: Place): SemanticLookup {
  const { semanticAnswers } = exchange.runtime
  let values: readonly number[] | null = null
  let id: string = randomUUID()
  return {
    async find() {
      try {
        values = await embed(exchange, cache, text)
      } catch (error) {
        reportFault(exchange, 'embed', error)
        return null
      }
      try {
        const found = await semanticAnswers.nearest(collection, values, threshold)
        if (found === null) return null
        id = found.id
        return { similarity: found.similarity, text: found.text }
      } catch (error) {
        reportFault(exchange, 'search', error)
        return null
      }
    },
    async store(answer, ttlMs) {
      if (values === null || answer.length > maxAnswerChars) return
      try {
        const { maxEntries } = cache
        await semanticAnswers.put({ collection, id, values, text: answer, ttlMs, maxEntries })
      } catch (error) {
        reportFault(exchange, 'write', error)
      }
    },
  }
}

function reportFault({ runtime, traceId }: Exchange, operation: string, error: unknown): void {
  runtime.metrics.cacheErrors.inc({ operation })
  const reason = isGatewayError(error) ? faultReason(error) : error instanceof Error ? error.name : 'error'
  runtime.log.warn({ trace_id: traceId, operation, reason }, 'semantic cache error; treated as a miss')
}
