/** One process's knowledge about load-balanced targets and sticky sessions. */

/** The state of one target. */
export interface TargetLoad {
  /** Moving mean of the time to the first byte, in milliseconds; null before the first answer. */
  firstByteMs: number | null
  /** Calls in flight. */
  pending: number
}

export interface Balancer {
  /** @param key the target's provider, credential, host and model */
  loadOf(key: string): TargetLoad
  /** The target that served a session within its TTL; null when none did. */
  homeOf(session: string): string | null
  keepHome(session: string, target: string, ttlMs: number): void
}
