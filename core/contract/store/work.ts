/**
 * Long work in many pieces, such as the lines of a batch: one process at a time works on it, under a lease with a
 * fencing token, and each piece's result is committed once, together with its obligations to other stores (charges, log
 * entries). Errors: `store_unavailable`.
 */
export interface WorkResult {
  /** The position of the piece; unique within the work. */
  position: number
  data: string
}

/** An obligation of a committed result to another store, kept until it is delivered. */
export interface Outgoing {
  /** Delivery must be idempotent per id. */
  id: string
  kind: string
  data: string
}

export interface Work {
  /**
   * Takes the lease of a work item if it is free.
   * @returns its fencing token, which increases each time; null when another holder has the lease
   */
  acquire(id: string, ttlMs: number, nowMs: number): Promise<number | null>
  /** Returns false when another holder has taken the lease. */
  renew(id: string, fence: number, lease: { ttlMs: number; nowMs: number }): Promise<boolean>
  release(id: string, fence: number): Promise<void>
  /**
   * Stores results and their obligations, all or nothing; existing results at a position stay, with their obligations.
   * @returns false, with nothing stored, when the fencing token is outdated
   */
  commit(
    id: string,
    fence: number,
    results: readonly (WorkResult & { outgoing: readonly Outgoing[] })[],
  ): Promise<boolean>
  /** The results in the order of the positions, after the position `after`. */
  results(id: string, after: number, limit: number): Promise<WorkResult[]>
  /** The positions of all results, in order. */
  positions(id: string): Promise<number[]>
  /** Removes the results; their obligations stay. */
  clear(id: string): Promise<void>
  /** Undelivered obligations, oldest first. */
  outgoing(limit: number): Promise<Outgoing[]>
  handedOver(ids: readonly string[]): Promise<void>
}
