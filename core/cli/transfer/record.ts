/**
 * The file of an export: JSON lines. A header, records, and an end line with the count of each kind and the SHA-256 of
 * all preceding lines, line breaks included. A blob or a content is followed by its bytes in chunks, and a content then
 * by its own checksum, or by a mark if it could not be read to the end.
 */
import type { CounterUse, LogAggregateHour, LogEntry, LogFeedback, StoredDocument } from '@gateway/contract'

export const formatName = 'gateway-export'
/** Increased when an older version could not read the format. */
export const formatVersion = 5

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
  /** Data that a service stores outside the ports (`StoredContents`), such as a file on a disk. */
  | { type: 'content'; kind: string; key: string; id: string }
  /** A chunk of the last blob or content, in base64. */
  | { type: 'bytes'; data: string }
  /** The checksum, after the bytes of a content. */
  | { type: 'sum'; size_bytes: number; sha256: string }
  /** A mark in place of the checksum: the content is not part of the export. */
  | { type: 'unreadable' }

export interface Counts {
  documents: number
  budgets: number
  windows: number
  log: number
  feedback: number
  /** The number of hours with aggregates. */
  aggregates: number
  blobs: number
  /** The number of complete contents. */
  contents: number
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
  contents: 0,
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
  else if (type === 'sum') counts.contents += 1
}

export function describeCounts(counts: Counts): string {
  const { documents, budgets, windows, log, feedback, aggregates, blobs, contents } = counts
  return `${documents} documents, ${budgets} budgets, ${windows} rate windows, ${log} log entries, ${feedback} feedback, ${aggregates} hours of aggregates, ${blobs + contents} files`
}
