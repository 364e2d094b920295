/**
 * The targets of sticky sessions: a hash and a reference per session, independent of the number of targets and the
 * length of their names. Expired sessions are removed whenever the number of sessions has doubled.
 */
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'

export interface SessionHomes {
  get(session: string): string | null
  set(session: string, target: string, ttlMs: number): void
  readonly size: number
}

const maxSessions = 100_000
const maxTargets = 10_000
const sweepFloor = 1000
const hashBytes = 16

/** @param now a monotonic clock in milliseconds */
export function createSessionHomes(now: () => number = () => performance.now()): SessionHomes {
  const homes = new LRUCache<string, string>({ max: maxSessions, ttlResolution: 0, perf: { now } })
  /** One copy of each target's name. */
  const names = new LRUCache<string, string>({ max: maxTargets })
  let sweepAt = sweepFloor

  function nameOf(target: string): string {
    const known = names.get(target)
    if (known !== undefined) return known
    names.set(target, target)
    return target
  }

  return {
    get: (session) => homes.get(hashOf(session)) ?? null,
    set(session, target, ttlMs) {
      homes.set(hashOf(session), nameOf(target), { ttl: ttlMs })
      if (homes.size < sweepAt) return
      homes.purgeStale()
      sweepAt = Math.max(sweepFloor, homes.size * 2)
    },
    get size() {
      return homes.size
    },
  }
}

const hashOf = (session: string): string =>
  createHash('sha256').update(session).digest().subarray(0, hashBytes).toString('latin1')
