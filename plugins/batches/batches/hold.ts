/**
 * The reservation of a provider batch in usage limits, from its creation to its end. In-process counters lose it with
 * the process: the process that continues the batch reserves again.
 */
import type { BatchHold, Counters, ServiceContext } from '@gateway/contract'

type Parts = Pick<ServiceContext, 'ports' | 'now'>

/** Longer than a batch lives: a day, and what a provider is given beyond that. */
export const holdMs = 30 * 3_600_000
/** Should the process die in between. */
const meanwhileMs = 60_000

/** When this process took holds, by their ids and its counters: these know them as long as they live. */
const taken = new WeakMap<Counters, Map<string, number>>()

function takenOf({ ports: { counters } }: Pick<Parts, 'ports'>): Map<string, number> {
  const known = taken.get(counters) ?? new Map<string, number>()
  taken.set(counters, known)
  return known
}

/** Notes a hold that was just taken, and forgets those that have lapsed: another process may have ended their batches. */
export function keepHold(parts: Parts, hold: BatchHold | null): BatchHold | null {
  if (hold === null) return null
  const known = takenOf(parts)
  const now = parts.now()
  known.set(hold.id, now)
  for (const [id, takenAt] of known) {
    if (takenAt + holdMs > now) break
    known.delete(id)
  }
  return hold
}

export async function releaseHold(parts: Parts, hold: BatchHold | null | undefined): Promise<void> {
  if (hold == null) return
  takenOf(parts).delete(hold.id)
  await parts.ports.counters.settle(hold.id, [], parts.now())
}

/**
 * Regardless of the current limits, because it was admitted. Another process's hold may still be in shared counters; a
 * second hold covers the time while it is replaced, so that no other request takes the room.
 */
export async function holdAgain(parts: Parts, hold: BatchHold | null | undefined): Promise<void> {
  if (hold == null || takenOf(parts).has(hold.id)) return
  const { ports, now } = parts
  const reservations = hold.held.map(({ key, amount }) => ({
    key,
    window: null,
    limit: Number.MAX_SAFE_INTEGER,
    need: amount,
    admits: 'fits' as const,
    takes: 'hold' as const,
  }))
  const meanwhile = `${hold.id}/meanwhile`
  await ports.counters.settle(meanwhile, [], now())
  await ports.counters.reserve(meanwhile, reservations, meanwhileMs, now())
  await ports.counters.settle(hold.id, [], now())
  await ports.counters.reserve(hold.id, reservations, holdMs, now())
  keepHold(parts, hold)
  await ports.counters.settle(meanwhile, [], now())
}
