/**
 * The runtime of a request whose requester commits its records: limit usage is reported instead of settled, and its
 * log entry is passed on. Reservations are made as usual, except for provider batches, which have their own.
 */
import type { Counters, InferenceRequest, LogEntry, Reservation } from '@gateway/contract'
import type { Runtime } from '../../flow/index.ts'

export function withExternalRecords(
  runtime: Runtime,
  request: Pick<InferenceRequest, 'records' | 'provider' | 'isExempt'>,
): Runtime {
  const { records } = request
  if (records === undefined) return runtime
  const { counters } = runtime.store
  const told: Counters = {
    reserve: reserveOf(counters, request),
    /** The readings after it is counted, for threshold alerts. */
    async settle(id, used, nowMs) {
      records.charge({ id, at: nowMs, used })
      const readings = await counters.read(used, nowMs)
      return readings.map((reading, index) => ({
        ...reading,
        used: reading.used + (used[index]?.amount ?? 0),
      }))
    },
    read: (...given) => counters.read(...given),
    reset: (keys) => counters.reset(keys),
    seed: (budgets) => counters.seed(budgets),
    list: (...given) => counters.list(...given),
    listWindows: (...given) => counters.listWindows(...given),
    seedWindows: (windows) => counters.seedWindows(windows),
  }
  return Object.create(runtime, {
    store: { value: { ...runtime.store, counters: told } },
    logs: {
      value: {
        add: (entry: LogEntry) => records.entry(entry),
        addLater: (entry: LogEntry, complete: Promise<LogEntry>) => records.entry(entry, complete),
      },
    },
  }) as Runtime
}

function reserveOf(
  counters: Counters,
  { provider, isExempt = false }: Pick<InferenceRequest, 'provider' | 'isExempt'>,
): Counters['reserve'] {
  if (isExempt) return readInstead(counters, () => true)
  if (provider === undefined) return (...given) => counters.reserve(...given)
  if (provider.isTrial) return readInstead(counters, ({ limit }) => limit > 0)
  return (id, reservations, leaseMs, nowMs) => {
    const unlimited = reservations.map((one) => ({
      ...one,
      limit: Number.MAX_SAFE_INTEGER,
      admits: 'fits' as const,
    }))
    return counters.reserve(id, unlimited, leaseMs, nowMs)
  }
}

/** Ignores its input. */
function readInstead(counters: Counters, admits: (one: Reservation) => boolean): Counters['reserve'] {
  return async (_id, reservations, _leaseMs, nowMs) => {
    const read = await counters.read(reservations, nowMs)
    const readings = reservations.map((one, index) => {
      const { used, reserved } = read[index] ?? { used: 0, reserved: 0 }
      return { used, reserved, isAdmitted: admits(one) }
    })
    return { isAdmitted: readings.every(({ isAdmitted }) => isAdmitted), readings }
  }
}
