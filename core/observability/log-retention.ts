/**
 * Removes request logs that are older than `logs.retention_days` (default 30) but keeps their hourly aggregates, which
 * are removed after `logs.metrics_retention_days` (default 365). An organisation's `settings.retention` can shorten
 * both. Works in batches, in one process at a time.
 */
import type { Documents, Job, Log } from '@gateway/contract'
import { eachRetention } from '@gateway/domain'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const portion = 2000

export interface LogRetentionOptions {
  log: Pick<Log, 'prune' | 'pruneAggregates'>
  documents: Pick<Documents, 'scan'>
  /** The retention of the running configuration. */
  days(): number
  metricsDays(): number
}

export function logRetention({ log, documents, days, metricsDays }: LogRetentionOptions): Job {
  async function untilNone(remove: () => Promise<number>): Promise<void> {
    while ((await remove()) > 0);
  }
  return {
    name: 'log-retention',
    intervalMs: hourMs,
    async run(nowMs) {
      const longest = { logs: days(), metrics: metricsDays() }
      const startOf = (own: number) => nowMs - own * dayMs
      await untilNone(() => log.prune(startOf(longest.logs), portion))
      await untilNone(() => log.pruneAggregates(startOf(longest.metrics), portion))
      // Organisations can only shorten the config file's retention.
      for await (const { organisationId, days: own } of eachRetention(documents, 'logs_days'))
        if (own < longest.logs) await untilNone(() => log.prune(startOf(own), portion, organisationId))
      for await (const { organisationId, days: own } of eachRetention(documents, 'metrics_days'))
        if (own < longest.metrics)
          await untilNone(() => log.pruneAggregates(startOf(own), portion, organisationId))
    },
  }
}
