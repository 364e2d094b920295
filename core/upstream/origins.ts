/**
 * One pool of connections an origin, bounded in number. undici's own Agent bounds them by refusing the next one;
 * here the origin that has been idle longest makes room, and when none is idle the bound gives way: what is in
 * flight is bounded by those who call.
 */
import { Pool } from 'undici'

export interface Origins {
  /** The pool of an origin that is known; undefined when it is not. */
  find(origin: string): Pool | undefined
  /** Adds an origin. */
  add(origin: string): Pool
  /** Resolves when what is in flight is done. */
  close(): Promise<void>
}

interface Entry {
  pool: Pool
  /** Ticks at each use. */
  usedAt: number
}

export function createOrigins(maxOrigins: number, options: Pool.Options): Origins {
  const entries = new Map<string, Entry>()
  let clock = 0

  const oldestIdle = (): string | null => {
    let oldest: string | null = null
    let oldestUse = Number.POSITIVE_INFINITY
    for (const [origin, { pool, usedAt }] of entries) {
      if (usedAt >= oldestUse || pool.stats.size > 0) continue
      oldest = origin
      oldestUse = usedAt
    }
    return oldest
  }

  const makeRoom = () => {
    while (entries.size >= maxOrigins) {
      const origin = oldestIdle()
      if (origin === null) return
      void entries.get(origin)?.pool.destroy()
      entries.delete(origin)
    }
  }

  return {
    find(origin) {
      const entry = entries.get(origin)
      if (entry === undefined) return undefined
      clock += 1
      entry.usedAt = clock
      return entry.pool
    },
    add(origin) {
      makeRoom()
      const pool = new Pool(origin, options)
      clock += 1
      entries.set(origin, { pool, usedAt: clock })
      return pool
    },
    async close() {
      const pools = [...entries.values()].map(({ pool }) => pool)
      entries.clear()
      await Promise.all(pools.map((pool) => pool.close()))
    },
  }
}
