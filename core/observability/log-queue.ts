/**
 * The queue of log entries: bounded, and written to the store in batches in the background. While the store is
 * unavailable, entries wait; when the queue is full, further ones are dropped and counted. The request path never waits
 * for the queue.
 */
import { isGatewayError, isObject, type Log, type LogEntry, type LogFeedback } from '@gateway/contract'
import { derivedId } from '@gateway/domain'

export interface LogQueue {
  add(entry: LogEntry): void
  /** Adds an entry that is completed later. If the queue closes first, it is written incomplete. */
  addLater(entry: LogEntry, complete: Promise<LogEntry>): void
  /** Subscribes to added entries; returns a function that unsubscribes. */
  listen(listener: (entry: LogEntry) => void): () => void
  /** Writes queued entries, once; also resolves when the store is unavailable. */
  flush(): Promise<void>
  /** Writes queued entries and stops. */
  close(): Promise<void>
}

export interface LogQueueOptions {
  log: Log
  /** Default: 10000. */
  maxEntries?: number
  /** Called immediately, with the number of entries dropped since the last call. */
  dropped(count: number): void
  /**
   * Called at most every few seconds, and when the queue closes, with the number of entries dropped since the last
   * call.
   */
  warn(count: number): void
  report(error: unknown): void
}

const defaultMaxEntries = 10_000
/** Small, because the garbage collector copies waiting young objects each time. */
const batchEntries = 100
const batchMs = 200
/** After a failure the store is retried only every fifth turn. */
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

  /** Writes one batch at a time, in order. Resolves to false if the store did not accept it. */
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
      // Each outage is reported once.
      if (!isAway) options.report(error)
      if (isGatewayError(error) && error.code === 'internal_error') {
        // A batch that the store rejects would be rejected forever and block the queue.
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

const none: LogFeedback[] = []

/** The feedback of the hooks of a request (`on_fail`, `on_success`), on its trace. */
function hookFeedback(entry: LogEntry): LogFeedback[] {
  const { details, fields, workspace_id } = entry
  const { hook_results: results } = details
  const traceId = fields.trace_id ?? null
  if (!isObject(results) || workspace_id === null || traceId === null) return []
  const hooks = [results.before_request_hooks, results.after_request_hooks].flat().filter(isObject)
  // Hardly any hook has feedback.
  if (hooks.every(({ feedback }) => feedback === null)) return none
  return hooks.flatMap(({ feedback }, index) => {
    if (!isObject(feedback) || typeof feedback.value !== 'number') return []
    return {
      id: derivedId(`${entry.id}/${index}`),
      created_at: entry.created_at,
      last_updated_at: entry.created_at,
      organisation_id: entry.organisation_id,
      workspace_id,
      trace_id: traceId,
      value: feedback.value,
      weight: typeof feedback.weight === 'number' ? feedback.weight : 1,
      metadata: isObject(feedback.metadata) ? feedback.metadata : {},
      source: 'guardrail' as const,
      api_key_id: fields.api_key_id ?? null,
      user_id: fields.user_id ?? null,
    }
  })
}
