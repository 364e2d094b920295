/** Removes request logs that are older than `logs.retention_days` (default 30), in portions, on one process at a time. */
import type { Job, Log } from './contract/index.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const portion = 5000
const defaultDays = 30

/** @param days of the running configuration; null: the default */
export function logRetention(log: Log, days: () => number | null): Job {
  return {
    name: 'log-retention',
    intervalMs: hourMs,
    async run(nowMs) {
      const before = nowMs - (days() ?? defaultDays) * dayMs
      while ((await log.prune(before, portion)) === portion);
    },
  }
}
