/**
 * Vectors in this process's memory: a search compares every vector of a collection; the oldest are dropped when the
 * limit is reached.
 */
import type { Neighbour, Vector, Vectors } from '@gateway/contract'

export interface MemoryVectorsOptions {
  /** The maximum for all collections together; default 20,000. */
  maxVectors?: number
}

interface Kept {
  id: string
  /** Normalised to length 1: the dot product is then the cosine. */
  unit: Float32Array
  payload: string
  expires_at: number | null
}

/** Vectors in memory, limited in number. */
export function createMemoryVectors({ maxVectors = 20_000 }: MemoryVectorsOptions = {}): Vectors {
  const collections = new Map<string, Map<string, Kept>>()
  /** Collection and id, the oldest first. */
  const ages = new Map<string, [collection: string, id: string]>()

  function remove(collection: string, id: string): void {
    const kept = collections.get(collection)
    kept?.delete(id)
    if (kept?.size === 0) collections.delete(collection)
    ages.delete(ageKey(collection, id))
  }

  return {
    async put({ collection, id, values, payload, expires_at }: Vector) {
      remove(collection, id)
      const kept = collections.get(collection) ?? new Map<string, Kept>()
      collections.set(collection, kept.set(id, { id, unit: toUnit(values), payload, expires_at }))
      ages.set(ageKey(collection, id), [collection, id])
      for (const oldest of ages.values()) {
        if (ages.size <= maxVectors) break
        remove(...oldest)
      }
    },
    async nearest(collection, values, { limit, minSimilarity, nowMs }) {
      const unit = toUnit(values)
      const near: Neighbour[] = []
      for (const kept of collections.get(collection)?.values() ?? []) {
        if (kept.expires_at !== null && kept.expires_at <= nowMs) continue
        const similarity = product(unit, kept.unit)
        if (similarity >= minSimilarity) near.push({ id: kept.id, similarity, payload: kept.payload })
      }
      return near.sort((left, right) => right.similarity - left.similarity).slice(0, limit)
    },
    async remove(collection, id) {
      remove(collection, id)
    },
    async trim(most) {
      const old = [...ages.values()].slice(0, Math.max(0, ages.size - most))
      for (const [collection, id] of old) remove(collection, id)
      return old.length
    },
    async prune(nowMs) {
      const old = [...collections].flatMap(([collection, kept]) =>
        [...kept.values()]
          .filter(({ expires_at }) => expires_at !== null && expires_at <= nowMs)
          .map(({ id }) => [collection, id] as const),
      )
      for (const [collection, id] of old) remove(collection, id)
      return old.length
    },
  }
}

const ageKey = (collection: string, id: string) => `${collection}\n${id}`

/** Normalises a vector to length 1. A vector of length 0 is unchanged, and similar to no other. */
function toUnit(values: readonly number[]): Float32Array {
  const length = Math.hypot(...values) || 1
  return Float32Array.from(values, (value) => value / length)
}

/** The dot product; a component that only one of the vectors has counts as 0. */
function product(left: Float32Array, right: Float32Array): number {
  let sum = 0
  for (let index = 0; index < left.length; index++) sum += (left[index] ?? 0) * (right[index] ?? 0)
  return sum
}
