/**
 * Long work in many pieces, such as the lines of a batch: one process of all does it at a time, under a lease with a
 * fence, and each piece's result is committed once, together with what is to be handed over because of it (charges, log
 * entries). Errors: `store_unavailable`.
 */
export interface WorkResult {
  /** Of the piece; unique within the work. */
  position: number
  data: string
}

/** What a committed result owes to another store. It is kept until it was handed over. */
export interface Outgoing {
  /** Handing it over twice under one id must be the same as once. */
  id: string
  kind: string
  data: string
}

export interface Work {
  /**
   * Takes the lease of a piece of work, which nobody may hold.
   * @returns its fence, which grows with each taking; null when another holder has the lease
   */
  acquire(id: string, ttlMs: number, nowMs: number): Promise<number | null>
  /** False when the lease was taken by another one. */
  renew(id: string, fence: number, ttlMs: number, nowMs: number): Promise<boolean>
  release(id: string, fence: number): Promise<void>
  /**
   * Keeps results and what they owe, all or nothing; what is there at a position stays, with what it owed.
   * @returns false, and nothing is kept, when the fence is not the last one
   */
  commit(
    id: string,
    fence: number,
    results: readonly (WorkResult & { outgoing: readonly Outgoing[] })[],
  ): Promise<boolean>
  /** In the order of the positions, behind `after`. */
  results(id: string, after: number, limit: number): Promise<WorkResult[]>
  /** The positions of all results, in order. */
  positions(id: string): Promise<number[]>
  /** Removes the results; what they owe stays. */
  clear(id: string): Promise<void>
  /** What is still to be handed over, the oldest first. */
  outgoing(limit: number): Promise<Outgoing[]>
  handedOver(ids: readonly string[]): Promise<void>
}
