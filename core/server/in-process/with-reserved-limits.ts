/**
 * The stores of a request whose usage is reserved separately: limits in that reservation neither refuse nor count it
 * again.
 */
import type { BatchHold, Counters } from '@gateway/contract'
import type { Stores } from '@gateway/flow'

export function withReservedLimits(stores: Stores, { held }: BatchHold): Stores {
  const keys = new Set(held.map(({ key }) => key))
  const { counters } = stores
  const reserve: Counters['reserve'] = (id, reservations, lease) => {
    const rest = reservations.map((one) =>
      keys.has(one.key) ? { ...one, limit: Number.MAX_SAFE_INTEGER, need: 0, admits: 'fits' as const } : one,
    )
    return counters.reserve(id, rest, lease)
  }
  const settle: Counters['settle'] = (id, used, nowMs) =>
    counters.settle(
      id,
      used.map((one) => (keys.has(one.key) ? { ...one, amount: 0 } : one)),
      nowMs,
    )
  const read: Counters['read'] = (...given) => counters.read(...given)
  return { ...stores, counters: { reserve, settle, read } }
}
