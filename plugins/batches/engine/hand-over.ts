/**
 * Delivers the log entries and usage of committed lines to the log and the counters. Each has an id that makes delivery
 * idempotent: it can be repeated after a crash.
 */
import {
  faultReason,
  type InferenceCharge,
  type LogEntry,
  type Outgoing,
  type ServiceContext,
} from '@gateway/contract'
import { chargesOnce } from '@gateway/domain'

export interface HandOver {
  /** Starts delivering soon. */
  nudge(): void
  /** Delivers everything that is queued. Errors: those of the stores. */
  all(): Promise<void>
}

const pageSize = 300
const leaseMs = 60_000

export function createHandOver(
  context: ServiceContext<'counters' | 'log' | 'logEntries' | 'now' | 'work'>,
): HandOver {
  const { counters, log, logEntries, now, work } = context
  let running: Promise<void> | null = null
  let isAsked = false

  async function page(): Promise<number> {
    const waiting = await work.outgoing(pageSize)
    if (waiting.length === 0) return 0
    const entries = waiting
      .filter(({ kind }) => kind === 'log')
      .map(({ data }) => JSON.parse(data) as LogEntry)
    if (entries.length > 0) await logEntries.append(entries, { isDurable: true })
    const charges = waiting.filter(({ kind }) => kind === 'charge')
    await Promise.all(charges.map(charge))
    if (charges.length > 0) await counters.flush?.()
    await work.handedOver(waiting.map(({ id }) => id))
    return waiting.length
  }

  /** The usage is counted once, even if it is delivered again. */
  async function charge({ id, data }: Outgoing): Promise<void> {
    const { id: attempt, at, used } = JSON.parse(data) as InferenceCharge
    const nowMs = now()
    await counters.settle(attempt, [], nowMs)
    if (used.length === 0) return
    const charges = chargesOnce(id, used, Math.max(0, nowMs - at))
    await counters.reserve(id, charges, { leaseMs, nowMs })
  }

  function all(): Promise<void> {
    isAsked = true
    running ??= (async () => {
      while (isAsked) {
        isAsked = false
        while ((await page()) >= pageSize) {
          // More records are queued.
        }
      }
    })().finally(() => {
      running = null
    })
    return running
  }

  return {
    all,
    nudge() {
      all().catch((error: unknown) => {
        const reason = faultReason(error)
        log.warn({ reason }, 'failed to deliver usage and log entries of batch lines; retrying')
      })
    },
  }
}
