/** Vectors and their nearest neighbours, such as of a semantic cache. Errors: `store_unavailable`. */
export interface Vector {
  id: string
  /** Neighbours are sought within one collection only. */
  collection: string
  /** Any length but 0; all of a collection have the same number of members. */
  values: readonly number[]
  /** What is found with it. */
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
  /** The nearest ones of at least that similarity, nearest first; what has expired at `nowMs` is not found. */
  nearest(
    collection: string,
    values: readonly number[],
    options: { limit: number; minSimilarity: number; nowMs: number },
  ): Promise<Neighbour[]>
  remove(collection: string, id: string): Promise<void>
  /** Removes the oldest of all collections, until so many are left; gives the number. */
  trim(maxVectors: number): Promise<number>
  /** Removes what has expired; gives the number. */
  prune(nowMs: number): Promise<number>
}
