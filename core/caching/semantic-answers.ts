/**
 * Cached answers by the meaning of the question, in the store's vectors. They are sealed, limited in number, and
 * removed when they expire. All replicas read the same store.
 */
import type { Sealer, Vectors } from '@gateway/contract'
import type { SemanticAnswers } from '@gateway/flow'

interface Given {
  vectors: Vectors
  sealer: Pick<Sealer, 'seal' | 'open'>
  now(): number
}

/** The limit is checked after this many stored answers; a small limit is checked after each one. */
const trimEvery = 64

const rounding = 1e-6

const recordOf = (collection: string, id: string) => `semantic/${collection}/${id}`

export function createSemanticAnswers({ vectors, sealer, now }: Given): SemanticAnswers {
  let stored = 0
  return {
    async nearest(collection, values, { minSimilarity, limit }) {
      // Components are stored as 32-bit floats, so the product of equal vectors may be slightly less than 1.
      const options = { limit, minSimilarity: minSimilarity - rounding, nowMs: now() }
      const found = await vectors.nearest(collection, values, options)
      return found.map(({ id, similarity, payload }) => ({
        id,
        similarity: Math.min(1, Math.round(similarity * 1e4) / 1e4),
        open: () => sealer.open(payload, recordOf(collection, id)),
      }))
    },
    async put({ collection, id, values, text, ttlMs, maxEntries }) {
      const payload = sealer.seal(text, recordOf(collection, id))
      await vectors.put({ collection, id, values, payload, expires_at: now() + ttlMs })
      stored += 1
      if (stored % Math.min(trimEvery, Math.ceil(maxEntries / 100)) === 0) await vectors.trim(maxEntries)
    },
  }
}
