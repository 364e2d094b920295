/**
 * The way of request logs to the store: a bounded queue, written in batches behind the requests. While the store is
 * away entries wait; what finds the queue full is dropped and counted. Nothing on the request path waits for it.
 */
import { isGatewayError, type Log, type LogEntry } from '@gateway/contract'
import { hookFeedback } from './hook-feedback.ts'

export interface LogQueue {
  add(entry: LogEntry): void
  /** Takes an entry that something is still added to. A queue that closes before that takes it as it is. */
  addLater(entry: LogEntry, complete: Promise<LogEntry>): void
  /** Hears of every entry that is added; gives what ends it. */
  listen(listener: (entry: LogEntry) => void): () => void
  /** Writes what waits, once; resolves also when the store is away. */
  flush(): Promise<void>
  /** Writes what waits and stops. */
  close(): Promise<void>
}

export interface LogQueueOptions {
  log: Log
  /** Default 10000. */
  maxEntries?: number
  /** Hears how many were dropped since it last heard: at once. */
  dropped(count: number): void
  /** Hears how many were dropped since it last heard: every few seconds at most, and at the end. */
  warn(count: number): void
  report(error: unknown): void
}

const defaultMaxEntries = 10_000
/** Few, as what waits in young memory is copied at each collection. */
const batchEntries = 100
const batchMs = 200
/** After a fault the store is asked again at every fifth turn only. */
const awayTurns = 5
/** Turns between two warnings: 10 seconds. */
const warningTurns = 50

export function createLogQueue(options: LogQueueOptions): LogQueue {
  const { log, maxEntries = defaultMaxEntries } = options
  let waiting: LogEntry[] = []
  const incomplete = new Set<LogEntry>()
  let writing: Promise<boolean> | null = null
  let isAway = false
  let turns = 0
  let unsaid = 0
  const listeners = new Set<(entry: LogEntry) => void>()
  const timer = setInterval(() => {
    turns += 1
    if (waiting.length > 0 && (!isAway || turns % awayTurns === 0)) void write()
    if (turns % warningTurns === 0) warn()
  }, batchMs)
  timer.unref()

  function drop(count: number): void {
    options.dropped(count)
    unsaid += count
  }

  function warn(): void {
    if (unsaid === 0) return
    options.warn(unsaid)
    unsaid = 0
  }

  /** One batch at a time, in order; false when the store did not take it. */
  function write(): Promise<boolean> {
    writing ??= writeBatch().finally(() => {
      writing = null
    })
    return writing
  }

  async function writeBatch(): Promise<boolean> {
    const batch = waiting.slice(0, batchEntries)
    if (batch.length === 0) return true
    try {
      await log.append(batch)
      const feedback = batch.flatMap(hookFeedback)
      if (feedback.length > 0) await log.feedback.put(feedback)
      waiting = waiting.slice(batch.length)
      isAway = false
      return true
    } catch (error) {
      // One report for each time that it goes away.
      if (!isAway) options.report(error)
      if (isGatewayError(error) && error.code === 'internal_error') {
        // What the store refuses for itself it would refuse for ever, and all that waits behind it.
        waiting = waiting.slice(batch.length)
        drop(batch.length)
        return true
      }
      isAway = true
      return false
    }
  }

  async function flush(): Promise<void> {
    while (waiting.length > 0) if (!(await write())) return
  }

  function add(entry: LogEntry): void {
    for (const listener of listeners) listener(entry)
    if (waiting.length >= maxEntries) {
      drop(1)
      return
    }
    waiting.push(entry)
    if (waiting.length >= batchEntries && !isAway && writing === null) void write()
  }

  return {
    listen(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    add,
    addLater(entry, complete) {
      incomplete.add(entry)
      const end = (completed: LogEntry) => {
        if (incomplete.delete(entry)) add(completed)
      }
      complete.then(end, () => end(entry))
    },
    flush,
    async close() {
      clearInterval(timer)
      for (const entry of incomplete) add(entry)
      incomplete.clear()
      await flush()
      if (waiting.length > 0) drop(waiting.length)
      waiting = []
      warn()
    },
  }
}
