/**
 * The stores of a request whose requester commits its records. Limit usage is reported instead of settled, and the log
 * entry is passed on. Reservations are made as usual, except for provider batches, which have their own.
 */
import type { Counters, InferenceRequest, Reservation } from '@gateway/contract'
import type { Stores } from '@gateway/flow'

export function withExternalRecords(
  stores: Stores,
  request: Pick<InferenceRequest, 'records' | 'provider' | 'isExempt'>,
): Stores {
  const { records } = request
  if (records === undefined) return stores
  const { counters } = stores
  const told: Stores['counters'] = {
    reserve: reserveOf(counters, request),
    /** Returns the readings including this usage, for threshold alerts. */
    async settle(id, used, nowMs) {
      records.charge({ id, at: nowMs, used })
      const readings = await counters.read(used, nowMs)
      return readings.map((reading, index) => ({
        ...reading,
        used: reading.used + (used[index]?.amount ?? 0),
      }))
    },
    read: (...given) => counters.read(...given),
  }
  return {
    ...stores,
    counters: told,
    logs: {
      add: (entry) => records.entry(entry),
      addLater: (entry, complete) => records.entry(entry, complete),
    },
  }
}

function reserveOf(
  counters: Stores['counters'],
  { provider, isExempt = false }: Pick<InferenceRequest, 'provider' | 'isExempt'>,
): Counters['reserve'] {
  if (isExempt) return readInstead(counters, () => true)
  if (provider === undefined) return (...given) => counters.reserve(...given)
  if (provider.isTrial) return readInstead(counters, ({ limit }) => limit > 0)
  return (id, reservations, lease) => {
    const unlimited = reservations.map((one) => ({
      ...one,
      limit: Number.MAX_SAFE_INTEGER,
      admits: 'fits' as const,
    }))
    return counters.reserve(id, unlimited, lease)
  }
}

/** Reads the counters instead of reserving. */
function readInstead(
  counters: Stores['counters'],
  admits: (one: Reservation) => boolean,
): Counters['reserve'] {
  return async (_id, reservations, { nowMs }) => {
    const read = await counters.read(reservations, nowMs)
    const readings = reservations.map((one, index) => {
      const { used, reserved } = read[index] ?? { used: 0, reserved: 0 }
      return { used, reserved, isAdmitted: admits(one) }
    })
    return { isAdmitted: readings.every(({ isAdmitted }) => isAdmitted), readings }
  }
}
