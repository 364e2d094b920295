/**
 * The visible period of an organisation's log: entries past their retention are hidden even if they are not erased yet.
 */
import { isObject } from '@gateway/contract'
import type { Call } from '@gateway/control-plane/engine'

export const dayMs = 86_400_000

interface Retention {
  /** Milliseconds since the epoch. */
  logsFrom: number
  metricsFrom: number
}

export async function retentionOf(call: Call<'logs'>): Promise<Retention> {
  const { retentionDays, metricsRetentionDays } = call.context.logs.settings()
  const { settings } = (await call.organisation()).data
  const own = isObject(settings.retention) ? settings.retention : {}
  const days = (longest: number, asked: unknown) =>
    typeof asked === 'number' ? Math.min(longest, asked) : longest
  return {
    logsFrom: call.nowMs - days(retentionDays, own.logs_days) * dayMs,
    metricsFrom: call.nowMs - days(metricsRetentionDays, own.metrics_days) * dayMs,
  }
}
