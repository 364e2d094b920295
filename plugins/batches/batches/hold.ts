/**
 * What a batch that a provider runs holds of usage limits, from its creation to its end. Counters of one process forget it
 * with the process: whoever goes on with the batch takes it again.
 */
import type { BatchHold, ServiceContext } from '@gateway/contract'

type Parts = Pick<ServiceContext, 'ports' | 'now'>

/** Longer than a batch lives: a day, and what a provider is given beyond that. */
export const holdMs = 30 * 3_600_000

export async function releaseHold({ ports, now }: Parts, hold: BatchHold | null | undefined): Promise<void> {
  if (hold != null) await ports.counters.settle(hold.id, [], now())
}

/** Whatever the limits say now: it was admitted. */
export async function holdAgain({ ports, now }: Parts, hold: BatchHold | null | undefined): Promise<void> {
  if (hold == null) return
  await ports.counters.settle(hold.id, [], now())
  const reservations = hold.held.map(({ key, amount }) => ({
    key,
    window: null,
    limit: Number.MAX_SAFE_INTEGER,
    need: amount,
    admits: 'fits' as const,
    takes: 'hold' as const,
  }))
  await ports.counters.reserve(hold.id, reservations, holdMs, now())
}
