/** What one process knows of the targets that it balances over, and of the sessions that it keeps together. */

/** What is known of one target. */
export interface TargetLoad {
  /** Moving mean of the time to the first byte, in milliseconds; null before the first answer. */
  firstByteMs: number | null
  /** Calls that have not ended. */
  pending: number
}

export interface Balancer {
  /** @param key of the target: provider, credential, host and model */
  loadOf(key: string): TargetLoad
  /** Where a session was served within its time to live; null when it was not. */
  homeOf(session: string): string | null
  keepHome(session: string, target: string, ttlMs: number): void
}
