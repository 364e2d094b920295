/**
 * The runtime of a request whose records are committed by whoever asked for it: what it used of limits is told and not
 * settled, and its log entry is handed over. Reservations are made as ever.
 */
import type { Counters, InferenceRecords } from '@gateway/contract'
import type { Runtime } from '../../flow/runtime.ts'

export function recordApart(runtime: Runtime, records: InferenceRecords): Runtime {
  const { counters } = runtime.store
  const told: Counters = {
    reserve: (...given) => counters.reserve(...given),
    /** What the readings will be once it is counted, so that whoever crosses a line is told. */
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
    logs: { value: { add: records.entry } },
  }) as Runtime
}
