/** Vectors and their nearest neighbours, such as of a semantic cache. Errors: `store_unavailable`. */
export interface Vector {
  id: string
  /** Searches are limited to one collection. */
  collection: string
  /** Any length except 0; the same for all vectors of a collection. */
  values: readonly number[]
  /** Returned with a match. */
  payload: string
  /** Milliseconds since the epoch. */
  expires_at: number | null
}

export interface Neighbour {
  id: string
  /** Cosine similarity, −1 to 1. */
  similarity: number
  payload: string
}

export interface Vectors {
  put(vector: Vector): Promise<void>
  /** The nearest ones with at least that similarity, nearest first; vectors expired at `nowMs` are skipped. */
  nearest(
    collection: string,
    values: readonly number[],
    options: { limit: number; minSimilarity: number; nowMs: number },
  ): Promise<Neighbour[]>
  remove(collection: string, id: string): Promise<void>
  /** Removes the oldest vectors of all collections until this many are left; returns the number removed. */
  trim(maxVectors: number): Promise<number>
  /** Removes expired vectors; returns the number removed. */
  prune(nowMs: number): Promise<number>
}
