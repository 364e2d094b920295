/**
 * Finds runnable work of one kind, such as batches, takes its leases and runs it. A lease lasts 15 s and is renewed
 * every 5 s: after a crash, another process soon takes over.
 */
import { type DocumentChange, faultReason, type ServiceContext } from '@gateway/contract'
import { LostLease } from './commit-results.ts'

export interface Scheduler {
  /** Called when this process has created work. */
  nudge(): void
  close(): Promise<void>
}

const leaseMs = 15_000
const renewMs = 5000
const lookMs = 2000
const mostAtOnce = 200

/** The process that runs a work item. */
export interface Around<Document> {
  fence: number
  /** Fires when this process must release the work, because it stops or has lost the lease. */
  leave: AbortSignal
  /** Calls the listener periodically, and when the document has changed, for example by a cancellation. */
  watch(listener: (document: Document) => void): () => void
}

export interface SchedulerOptions<Document extends { id: string }> {
  context: ServiceContext<'beginWork' | 'documents' | 'log' | 'now' | 'stopping' | 'work'>
  /** The kind of the documents, also used in messages: `batch`. */
  kind: string
  /** `live`: those that have not ended, oldest first. */
  store: { get(id: string): Promise<Document | null>; live(): Promise<Document[]> }
  run(document: Document, around: Around<Document>): Promise<void>
  /** Called for work that a crashed process has left behind. */
  look?(): void
  /** Called with the live documents at each poll. */
  found?(live: readonly Document[]): void
}

export function createScheduler<Document extends { id: string }>({
  context,
  kind,
  store,
  run,
  look,
  found,
}: SchedulerOptions<Document>): Scheduler {
  const { work, documents } = context
  const isOfKind = (change: DocumentChange): boolean => change.kind === kind
  const held = new Map<string, Promise<void>>()
  const listeners = new Map<string, Set<(document: Document) => void>>()
  const leaving = new Set<AbortController>()
  context.stopping.addEventListener('abort', leaveAll, { once: true })
  let looking: Promise<void> | null = null
  let isClosed = false
  let isAsked = false

  function leaveAll(): void {
    for (const leave of leaving) leave.abort()
  }

  async function tell(id: string): Promise<void> {
    const document = await store.get(id)
    if (document !== null) for (const listener of listeners.get(id) ?? []) listener(document)
  }

  /** If this check fails, the next one repeats it. */
  async function tellOrLog(id: string): Promise<void> {
    try {
      await tell(id)
    } catch (error) {
      const reason = faultReason(error)
      context.log.warn({ [kind]: id, reason }, `failed to read a changed ${kind}`)
    }
  }

  const unwatch = documents.watch((changes: readonly DocumentChange[]) => {
    const changed = changes.length === 0 ? [...held.keys()] : changes.filter(isOfKind).map(({ id }) => id)
    for (const id of changed) if (held.has(id)) void tellOrLog(id)
    if (changes.some(isOfKind)) nudge()
  })

  /** Repeats the check if it was requested in the meantime. */
  async function lookAgain(): Promise<void> {
    while (isAsked) {
      isAsked = false
      await lookForWork()
    }
  }

  async function lookForWork(): Promise<void> {
    look?.()
    const live = await store.live()
    found?.(live)
    for (const document of live) {
      if (isClosed || context.stopping.aborted || held.size >= mostAtOnce) return
      if (held.has(document.id)) continue
      const fence = await work.acquire(document.id, leaseMs, context.now())
      if (fence === null) continue
      // It may have ended before this process got the lease.
      const current = await store.get(document.id)
      if (current === null) continue
      held.set(document.id, hold(current, fence))
    }
  }

  async function hold(document: Document, fence: number): Promise<void> {
    const { id } = document
    const done = context.beginWork()
    const leave = new AbortController()
    leaving.add(leave)
    if (context.stopping.aborted) leave.abort()
    const timer = setInterval(() => {
      work.renew(id, fence, { ttlMs: leaseMs, nowMs: context.now() }).then(
        (isMine) => {
          if (!isMine) leave.abort()
        },
        // While the store is unavailable no other process can take the lease; every commit checks that it is still
        // held.
        () => undefined,
      )
      void tellOrLog(id)
    }, renewMs)
    const ofBatch = new Set<(seen: Document) => void>()
    listeners.set(id, ofBatch)
    try {
      await run(document, {
        fence,
        leave: leave.signal,
        watch(listener) {
          ofBatch.add(listener)
          return () => void ofBatch.delete(listener)
        },
      })
    } catch (error) {
      if (!(error instanceof LostLease)) {
        const reason = faultReason(error)
        context.log.error({ [kind]: id, reason }, `failed to advance a ${kind}; retrying`)
      }
    } finally {
      clearInterval(timer)
      leaving.delete(leave)
      listeners.delete(id)
      held.delete(id)
      await work.release(id, fence).catch((error: unknown) => {
        const reason = faultReason(error)
        context.log.warn({ [kind]: id, reason }, `failed to release the lease of a ${kind}; it will expire`)
      })
      done()
    }
  }

  function nudge(): void {
    if (isClosed || context.stopping.aborted) return
    isAsked = true
    looking ??= lookAgain()
      .catch((error: unknown) => {
        const reason = faultReason(error)
        context.log.warn({ reason }, `failed to look for work of the kind ${kind}`)
      })
      .finally(() => {
        looking = null
      })
  }

  const timer = setInterval(nudge, lookMs)
  timer.unref()
  return {
    nudge,
    async close() {
      isClosed = true
      clearInterval(timer)
      context.stopping.removeEventListener('abort', leaveAll)
      unwatch()
      await looking
      await Promise.allSettled(held.values())
    },
  }
}
