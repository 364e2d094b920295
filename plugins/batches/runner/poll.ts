/** Polls a provider until its batch has ended, and cancels it there after a caller has cancelled it here. */
import type { JsonObject } from '@gateway/contract'
import { type ProviderCalls, ProviderRefusal } from './provider-calls.ts'
import { providerOf, type Work } from './provider-work.ts'

/** The delay after a temporary error of the provider. */
const tryAgainMs = 5000
/** The extra time after the batch's own time before polling stops. */
const patienceMs = 3_600_000

const endStates: ReadonlySet<string> = new Set(['completed', 'failed', 'expired', 'cancelled'])

/** The provider's ended batch; null if this process must release the batch. */
export async function poll(work: Work): Promise<JsonObject | null> {
  const { parts, batch, calls, leave } = work
  const { context, batches } = parts
  let isCancelled = false
  let isAsked = false
  let wantedAt = providerOf(batch).wanted_at
  /** Whether the batch has changed since it was last read: a change during a poll must not wait for the next one. */
  let hasChanged = false
  let wake: () => void = () => undefined
  // The listener is also called when nothing has changed.
  const unwatch = work.watch((seen) => {
    const isWanted = providerOf(seen).wanted_at !== wantedAt
    if (!isWanted && seen.status === (isCancelled ? 'cancelling' : 'in_progress')) return
    if (seen.status === 'cancelling') isCancelled = true
    hasChanged = true
    wake()
  })
  leave.addEventListener('abort', () => wake(), { once: true })
  try {
    for (;;) {
      if (leave.aborted) return null
      hasChanged = false
      const seen = await batches.get(batch.id)
      if (seen === null) return null
      wantedAt = providerOf(seen).wanted_at
      const batchId = providerOf(seen).batch_id ?? ''
      isCancelled ||= seen.status === 'cancelling'
      let waitMs = context.batches().pollMs
      try {
        if (isCancelled && !isAsked) await calls.cancel(batchId)
        isAsked = isCancelled
        const state = await calls.retrieve(batchId)
        await keepState(work, state)
        if (endStates.has(state.status)) return state.details
      } catch (error) {
        if (
          !(error instanceof ProviderRefusal) ||
          !(error.isPassing || (isCancelled && error.status === 409))
        )
          throw error
        isAsked = isCancelled
        waitMs = Math.min(waitMs, tryAgainMs)
      }
      if (context.now() > batch.data.expires_at + patienceMs) return {}
      if (hasChanged || leave.aborted) continue
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, isCancelled ? Math.min(waitMs, tryAgainMs) : waitMs)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  } finally {
    unwatch()
  }
}

async function keepState(
  { parts, batch, done }: Work,
  { counts, details, status }: Awaited<ReturnType<ProviderCalls['retrieve']>>,
): Promise<void> {
  await parts.batches.change(
    batch.id,
    ({ data }) => ({
      data: {
        provider: data.provider === null ? null : { ...data.provider, details },
        ...(counts === null || endStates.has(status)
          ? {}
          : { counts: { ...data.counts, completed: counts.completed, failed: counts.failed + done.size } }),
      },
    }),
    true,
  )
}
