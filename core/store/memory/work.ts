/** Long work of a single process, in maps. */
import type { Outgoing, Work } from '@gateway/contract'

interface Lease {
  fence: number
  endsAt: number
}

export function createMemoryWork(): Work {
  const leases = new Map<string, Lease>()
  const results = new Map<string, Map<number, string>>()
  const waiting = new Map<string, Outgoing>()
  const resultsOf = (id: string) => results.get(id) ?? new Map<number, string>()
  const sorted = (id: string) => [...resultsOf(id).keys()].sort((one, other) => one - other)

  return {
    async acquire(id, ttlMs, nowMs) {
      const known = leases.get(id)
      if (known !== undefined && known.endsAt > nowMs) return null
      const fence = (known?.fence ?? 0) + 1
      leases.set(id, { fence, endsAt: nowMs + ttlMs })
      return fence
    },
    async renew(id, fence, { ttlMs, nowMs }) {
      if (leases.get(id)?.fence !== fence) return false
      leases.set(id, { fence, endsAt: nowMs + ttlMs })
      return true
    },
    async release(id, fence) {
      if (leases.get(id)?.fence === fence) leases.set(id, { fence, endsAt: 0 })
    },
    async commit(id, fence, given) {
      if (leases.get(id)?.fence !== fence) return false
      const kept = resultsOf(id)
      results.set(id, kept)
      for (const { position, data, outgoing } of given) {
        if (kept.has(position)) continue
        kept.set(position, data)
        for (const one of outgoing) waiting.set(one.id, one)
      }
      return true
    },
    async results(id, after, limit) {
      const kept = resultsOf(id)
      const positions = sorted(id).filter((position) => position > after)
      return positions.slice(0, limit).map((position) => ({ position, data: kept.get(position) ?? '' }))
    },
    positions: async (id) => sorted(id),
    async clear(id) {
      results.delete(id)
    },
    outgoing: async (limit) => [...waiting.values()].slice(0, limit),
    async handedOver(ids) {
      for (const id of ids) waiting.delete(id)
    },
  }
}
