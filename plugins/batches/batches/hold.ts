/**
 * The reservation of a provider batch in usage limits, from its creation to its end. In-process counters lose it with
 * the process; the process that continues the batch reserves it again.
 */
import type { BatchHold, Counters, ServiceContext } from '@gateway/contract'

type Parts = ServiceContext<'counters' | 'now'>

/** Longer than the lifetime of any batch: a day, plus the extra time for the provider. */
export const holdMs = 30 * 3_600_000
/** Covers the time in which the process may die before the next step. */
const meanwhileMs = 60_000

/** The times of this process's reservations, by id, kept as long as the counters exist. */
const taken = new WeakMap<Counters, Map<string, number>>()

function takenOf({ counters }: Parts): Map<string, number> {
  const known = taken.get(counters) ?? new Map<string, number>()
  taken.set(counters, known)
  return known
}

/** Records a new reservation, and removes expired ones: another process may have ended their batches. */
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
  await parts.counters.settle(hold.id, [], parts.now())
}

/**
 * Ignores the current limits because the batch was admitted before. Shared counters may still contain another process's
 * reservation; a second one covers the time while it is replaced, so that no other request takes the capacity.
 */
export async function holdAgain(parts: Parts, hold: BatchHold | null | undefined): Promise<void> {
  if (hold == null || takenOf(parts).has(hold.id)) return
  const { counters, now } = parts
  const reservations = hold.held.map(({ key, amount }) => ({
    key,
    window: null,
    limit: Number.MAX_SAFE_INTEGER,
    need: amount,
    admits: 'fits' as const,
    takes: 'hold' as const,
  }))
  const meanwhile = `${hold.id}/meanwhile`
  await counters.settle(meanwhile, [], now())
  await counters.reserve(meanwhile, reservations, { leaseMs: meanwhileMs, nowMs: now() })
  await counters.settle(hold.id, [], now())
  await counters.reserve(hold.id, reservations, { leaseMs: holdMs, nowMs: now() })
  keepHold(parts, hold)
  await counters.settle(meanwhile, [], now())
}
