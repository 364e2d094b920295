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

interface Made {
  homes: LRUCache<string, string>
  /** One copy of each target's name. */
  names: LRUCache<string, string>
}

const maxSessions = 100_000
const maxTargets = 10_000
const sweepFloor = 1000
const hashBytes = 16

/** @param now a monotonic clock in milliseconds */
export function createSessionHomes(now: () => number = () => performance.now()): SessionHomes {
  /** Created with the first session: it takes megabytes, and most gateways have no sticky sessions. */
  let made: Made | null = null
  let sweepAt = sweepFloor

  function make(): Made {
    const homes = new LRUCache<string, string>({ max: maxSessions, ttlResolution: 0, perf: { now } })
    return { homes, names: new LRUCache<string, string>({ max: maxTargets }) }
  }

  return {
    get: (session) => made?.homes.get(hashOf(session)) ?? null,
    set(session, target, ttlMs) {
      made ??= make()
      const { homes, names } = made
      homes.set(hashOf(session), nameIn(names, target), { ttl: ttlMs })
      if (homes.size < sweepAt) return
      homes.purgeStale()
      sweepAt = Math.max(sweepFloor, homes.size * 2)
    },
    get size() {
      return made?.homes.size ?? 0
    },
  }
}

function nameIn(names: LRUCache<string, string>, target: string): string {
  const known = names.get(target)
  if (known !== undefined) return known
  names.set(target, target)
  return target
}

const hashOf = (session: string): string =>
  createHash('sha256').update(session).digest().subarray(0, hashBytes).toString('latin1')
