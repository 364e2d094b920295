/** Stores that a request may bring. */
import type { Counters, LogEntry } from '@gateway/contract'
import type { ResponseStore } from './response-store.ts'

/**
 * The stores for a request's counters, log entry and contents. Most requests have the process's; those of services and
 * of WebSockets may bring their own.
 */
export interface Stores {
  readonly counters: Pick<Counters, 'reserve' | 'settle' | 'read'>
  /** Receives the log entry of each request. */
  readonly logs: { add(entry: LogEntry): void; addLater(entry: LogEntry, complete: Promise<LogEntry>): void }
  readonly responses: ResponseStore
}
