/**
 * Finds runnable batches, takes their leases and runs them. A lease lasts 15 s and is renewed every 5 s, so that
 * another process soon takes over after a crash.
 */
import { type DocumentChange, faultReason } from '@gateway/contract'
import type { BatchDocument } from '../batches/store.ts'
import { LostLease } from './commit-results.ts'
import type { RunnerParts } from './common.ts'

export interface Scheduler {
  /** A batch was created here. */
  nudge(): void
  close(): Promise<void>
}

const leaseMs = 15_000
const renewMs = 5000
const lookMs = 2000
const mostAtOnce = 200

type RunBatch = (
  batch: BatchDocument,
  around: {
    fence: number
    leave: AbortSignal
    watch(listener: (batch: BatchDocument) => void): () => void
  },
) => Promise<void>

export interface SchedulerOptions extends Pick<RunnerParts, 'context' | 'batches'> {
  run: RunBatch
  /** Called for work that a crashed process has left. */
  look(): void
}

export function createScheduler({ context, batches, run, look }: SchedulerOptions): Scheduler {
  const { work, documents } = context.ports
  const held = new Map<string, Promise<void>>()
  const listeners = new Map<string, Set<(batch: BatchDocument) => void>>()
  const leaving = new Set<AbortController>()
  context.stopping.addEventListener('abort', leaveAll, { once: true })
  let looking: Promise<void> | null = null
  let isClosed = false
  let isAsked = false

  function leaveAll(): void {
    for (const leave of leaving) leave.abort()
  }

  async function tell(id: string): Promise<void> {
    const batch = await batches.get(id)
    if (batch !== null) for (const listener of listeners.get(id) ?? []) listener(batch)
  }

  /** If this check fails, the next one repeats it. */
  async function tellOrLog(id: string): Promise<void> {
    try {
      await tell(id)
    } catch (error) {
      const reason = faultReason(error)
      context.log.warn({ batch: id, reason }, 'failed to read a changed batch')
    }
  }

  const unwatch = documents.watch((changes: readonly DocumentChange[]) => {
    const changed = changes.length === 0 ? [...held.keys()] : changes.filter(isBatch).map(({ id }) => id)
    for (const id of changed) if (held.has(id)) void tellOrLog(id)
    if (changes.some(isBatch)) nudge()
  })

  /** Repeats the check if it was requested in the meantime. */
  async function lookAgain(): Promise<void> {
    while (isAsked) {
      isAsked = false
      await lookForWork()
    }
  }

  async function lookForWork(): Promise<void> {
    look()
    const live = await batches.live()
    context.metrics.batches(countsOf(live))
    for (const batch of live) {
      if (isClosed || context.stopping.aborted || held.size >= mostAtOnce) return
      if (held.has(batch.id)) continue
      const fence = await work.acquire(batch.id, leaseMs, context.now())
      if (fence === null) continue
      // It may have ended before this process got the lease.
      const current = await batches.get(batch.id)
      if (current === null) continue
      held.set(batch.id, hold(current, fence))
    }
  }

  async function hold(batch: BatchDocument, fence: number): Promise<void> {
    const { id } = batch
    const done = context.beginWork()
    const leave = new AbortController()
    leaving.add(leave)
    if (context.stopping.aborted) leave.abort()
    const timer = setInterval(() => {
      work.renew(id, fence, leaseMs, context.now()).then(
        (isMine) => {
          if (!isMine) leave.abort()
        },
        // While the store is unavailable no other process can take the lease; every commit checks that it is still
        // held.
        () => undefined,
      )
      void tellOrLog(id)
    }, renewMs)
    const ofBatch = new Set<(seen: BatchDocument) => void>()
    listeners.set(id, ofBatch)
    try {
      await run(batch, {
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
        context.log.error({ batch: id, reason }, 'failed to advance a batch; retrying')
      }
    } finally {
      clearInterval(timer)
      leaving.delete(leave)
      listeners.delete(id)
      held.delete(id)
      await work.release(id, fence).catch((error: unknown) => {
        const reason = faultReason(error)
        context.log.warn({ batch: id, reason }, 'failed to release the lease of a batch; it will expire')
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
        context.log.warn({ reason }, 'failed to look for batches')
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

function countsOf(live: readonly BatchDocument[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status } of live) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

const isBatch = ({ kind }: DocumentChange): boolean => kind === 'batch'
