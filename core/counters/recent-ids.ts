/** Remembers ids for at least a given time and at most twice that, in constant time and without timers. */

export interface RecentIds {
  add(id: string, keptMs: number): void
  /** Removes an id and returns when it was added, in milliseconds since the epoch; undefined: unknown. */
  take(id: string): number | undefined
}

export function createRecentIds(): RecentIds {
  let younger = new Map<string, number>()
  let older = new Map<string, number>()
  let turnAt = 0
  return {
    add(id, keptMs) {
      const now = Date.now()
      if (now >= turnAt) {
        older = younger
        younger = new Map()
        turnAt = now + keptMs
      }
      younger.set(id, now)
    },
    take(id) {
      const of = younger.has(id) ? younger : older
      const addedAt = of.get(id)
      of.delete(id)
      return addedAt
    },
  }
}
