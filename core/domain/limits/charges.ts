/** Reservations that count past usage, regardless of the limits. */
import type { Counters, Reservation } from '@gateway/contract'

type Used = Parameters<Counters['settle']>[1]

const dayMs = 86_400_000

/** @param ageMs how long ago it was admitted: it counts in the window of that time, while that is still open */
export function chargesOf(used: Used, ageMs = 0): Reservation[] {
  return used.map(({ key, window, amount }) => ({
    key,
    window,
    limit: Number.MAX_SAFE_INTEGER,
    need: amount,
    admits: 'fits',
    takes: 'use',
    ageMs,
  }))
}

/**
 * The same, but counted at most once per day, even if it is sent again: the first reservation is a counter under the
 * charge's id that admits one use, and the reservations are admitted together or not at all.
 */
export function chargesOnce(id: string, used: Used, ageMs = 0): Reservation[] {
  const marker: Reservation = {
    key: id,
    window: { lengthMs: dayMs, offsetMs: 0 },
    limit: 1,
    need: 1,
    admits: 'fits',
    takes: 'use',
  }
  return [marker, ...chargesOf(used, ageMs)]
}

/** Whether {@link chargesOnce} made these reservations. They are retried until the counters accept them. */
export const isChargedOnce = (id: string, [marker]: readonly Reservation[]): boolean => marker?.key === id
