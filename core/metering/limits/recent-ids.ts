/** Ids that are remembered for a time at least and twice that at most, in constant time and without timers. */

export interface RecentIds {
  add(id: string, keptMs: number): void
  /** Whether it was there; it no longer is. */
  take(id: string): boolean
}

export function createRecentIds(): RecentIds {
  let younger = new Set<string>()
  let older = new Set<string>()
  let turnAt = 0
  return {
    add(id, keptMs) {
      const now = Date.now()
      if (now >= turnAt) {
        older = younger
        younger = new Set()
        turnAt = now + keptMs
      }
      younger.add(id)
    },
    take: (id) => younger.delete(id) || older.delete(id),
  }
}
