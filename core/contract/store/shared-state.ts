/** Small state that several processes share: atomic counters, leases and messages. */

/** Every operation may reject with `dependency_unavailable`. */
export interface SharedState {
  /** Increments and returns the new value; the counter expires `ttlMs` after its first increment. */
  increment(key: string, ttlMs: number): Promise<number>
  /** Takes a lease unless it is held; it ends after `ttlMs` or with {@link delete}. */
  acquire(key: string, ttlMs: number): Promise<boolean>
  delete(key: string): Promise<void>
  /** Sends a message to every process, this one included. */
  publish(topic: string, message: string): Promise<void>
  subscribe(topic: string, listener: (message: string) => void): Promise<void>
}
