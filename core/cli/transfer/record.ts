/**
 * The file of an export: JSON lines. A header, records, and an end line with the count of each kind and the SHA-256 of
 * all preceding lines, line breaks included. A blob is followed by its bytes in chunks.
 */
import type { CounterUse, LogAggregateHour, LogEntry, LogFeedback, StoredDocument } from '@gateway/contract'

export const formatName = 'gateway-export'
/** Increased when an older version could not read the format. */
export const formatVersion = 4

interface Header {
  type: 'header'
  format: typeof formatName
  version: number
  /** ISO 8601. */
  created_at: string
}

export type Content =
  | { type: 'document'; document: StoredDocument }
  | { type: 'budget'; key: string; used: number }
  | { type: 'window'; key: string; use: CounterUse }
  | { type: 'log'; entry: LogEntry }
  | { type: 'feedback'; feedback: LogFeedback }
  | { type: 'aggregates'; hour: LogAggregateHour }
  | { type: 'blob'; key: string; size_bytes: number; created_at: number }
  /** Base64, of the last blob. */
  | { type: 'bytes'; data: string }

export interface Counts {
  documents: number
  budgets: number
  windows: number
  log: number
  feedback: number
  /** Hours of them. */
  aggregates: number
  blobs: number
}

interface End {
  type: 'end'
  counts: Counts
  sha256: string
}

export type TransferRecord = Header | Content | End

export const noCounts = (): Counts => ({
  documents: 0,
  budgets: 0,
  windows: 0,
  log: 0,
  feedback: 0,
  aggregates: 0,
  blobs: 0,
})

/** Adds a record to the counts; bytes are part of their blob. */
export function countRecord(counts: Counts, { type }: TransferRecord): void {
  if (type === 'document') counts.documents += 1
  else if (type === 'budget') counts.budgets += 1
  else if (type === 'window') counts.windows += 1
  else if (type === 'log') counts.log += 1
  else if (type === 'feedback') counts.feedback += 1
  else if (type === 'aggregates') counts.aggregates += 1
  else if (type === 'blob') counts.blobs += 1
}

export function describeCounts(counts: Counts): string {
  const { documents, budgets, windows, log, feedback, aggregates, blobs } = counts
  return `${documents} documents, ${budgets} budgets, ${windows} rate windows, ${log} log entries, ${feedback} feedback, ${aggregates} hours of aggregates, ${blobs} files`
}
