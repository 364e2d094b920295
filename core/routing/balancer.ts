/**
 * One process's measurements of its targets: time to first byte, calls in flight, and the targets of sessions. Bounded:
 * the least recently used are dropped.
 */

import { atMost, type Balancer, type TargetLoad } from '@gateway/flow'
import { LRUCache } from 'lru-cache'
import { createSessionHomes } from './session-homes.ts'

const maxTargets = 10_000
/** Weight of the newest answer in the moving mean. */
const newest = 0.2

export function createBalancer(): Balancer {
  const loads = new LRUCache<string, TargetLoad>(atMost(maxTargets))
  const homes = createSessionHomes()
  return {
    loadOf(key) {
      const known = loads.get(key)
      if (known !== undefined) return known
      const load: TargetLoad = { firstByteMs: null, pending: 0 }
      loads.set(key, load)
      return load
    },
    homeOf: homes.get,
    keepHome: homes.set,
  }
}

/** Records the time at which an answer started. */
export function recordFirstByte(load: TargetLoad, durationMs: number): void {
  load.firstByteMs =
    load.firstByteMs === null ? durationMs : load.firstByteMs + newest * (durationMs - load.firstByteMs)
}
