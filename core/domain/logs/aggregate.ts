/** Aggregates entries one by one, for engines without a query language. */
import type { LogAggregation, LogGroup, LogSummary, LogValue } from '@gateway/contract'
import { ownMember } from '@gateway/contract'
import { isLogField } from './columns.ts'
import { latencyBin } from './latency.ts'
import { bucketOf, createGroups, totalsOf } from './totals.ts'

export const metadataGroup = 'metadata/'

export function aggregateEntries(entries: Iterable<LogSummary>, aggregation: LogAggregation): LogGroup[] {
  const { by, interval, histogram = false, users = false } = aggregation
  const groups = createGroups()
  for (const entry of entries) {
    const { created_at: at, fields } = entry
    const bucket = interval === undefined ? null : bucketOf(at, interval)
    const values = by.map((name) => groupValue(entry, name))
    groups.add({ bucket, values, totals: totalsOf(fields), firstAt: at, lastAt: at })
    if (histogram) groups.addBins(bucket, values, [[latencyBin(fields.response_time ?? 0), 1]])
    if (users && typeof fields.end_user === 'string') groups.addUser(bucket, values, fields.end_user)
  }
  return groups.finish()
}

/** The group of an entry. */
function groupValue(entry: LogSummary, name: string): LogValue {
  if (name === 'workspace_id') return entry.workspace_id
  if (name.startsWith(metadataGroup))
    return ownMember(entry.metadata, name.slice(metadataGroup.length)) ?? null
  return isLogField(name) ? (entry.fields[name] ?? null) : null
}
