/**
 * Removes request logs that are older than `logs.retention_days` (default 30), and those that their organisation's
 * `settings.retention.logs_days` ends sooner; in portions, on one process at a time.
 */
import type { Documents, Job, Log } from '@gateway/contract'
import { eachRetention } from '../domain/index.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const portion = 5000
const defaultDays = 30

export interface LogRetentionOptions {
  log: Pick<Log, 'prune'>
  documents: Pick<Documents, 'scan'>
  /** Of the running configuration; null: the default. */
  days(): number | null
}

export function logRetention({ log, documents, days }: LogRetentionOptions): Job {
  async function prune(before: number, organisationId?: string): Promise<void> {
    while ((await log.prune(before, portion, organisationId)) === portion);
  }
  return {
    name: 'log-retention',
    intervalMs: hourMs,
    async run(nowMs) {
      const longest = days() ?? defaultDays
      await prune(nowMs - longest * dayMs)
      for await (const { organisationId, days: own } of eachRetention(documents, 'logs_days')) {
        // It lowers what the config file says, and never raises it.
        if (own < longest) await prune(nowMs - own * dayMs, organisationId)
      }
    },
  }
}
