/**
 * A 429 from a provider or a limit delays all unsent lines of its target, in all batches of this process: by
 * `retry-after`, otherwise with exponential backoff up to a minute.
 */
export interface BackOff {
  /** Resolves when a line may be sent (immediately if the target has no backoff), or when the signal fires. */
  wait(target: string, signal: AbortSignal): Promise<void>
  /** Called when a line was answered with 429. */
  refused(target: string, retryAfterMs: number | null): void
  /** Called when a line was accepted. */
  passed(target: string): void
}

const firstMs = 1000
const longestMs = 60_000
/** The longest wait. A provider may request a longer one, but is then retried earlier. */
const longestToldMs = 600_000

interface Held {
  until: number
  /** The delay after the next refusal without `retry-after`. */
  nextMs: number
}

export function createBackOff(now: () => number = Date.now): BackOff {
  const held = new Map<string, Held>()
  return {
    async wait(target, signal) {
      for (;;) {
        const leftMs = (held.get(target)?.until ?? 0) - now()
        if (leftMs <= 0 || signal.aborted) return
        await pause(leftMs, signal)
      }
    },
    refused(target, retryAfterMs) {
      const known = held.get(target)
      // Refusals of lines that were sent together count once.
      if (known !== undefined && known.until > now() && retryAfterMs === null) return
      const nextMs = known?.nextMs ?? firstMs
      const waitMs = Math.min(retryAfterMs ?? nextMs, longestToldMs)
      held.set(target, {
        until: Math.max(known?.until ?? 0, now() + waitMs),
        nextMs: Math.min(nextMs * 2, longestMs),
      })
    },
    passed(target) {
      const known = held.get(target)
      if (known !== undefined && known.until <= now()) held.delete(target)
    },
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    signal.addEventListener('abort', end, { once: true })
  })
}

/** Seconds or an HTTP date, as milliseconds from now. Null if the header is missing or invalid. */
export function retryAfterOf(headers: Readonly<Record<string, string>>, nowMs: number): number | null {
  const ms = Number(headers['retry-after-ms'])
  if (headers['retry-after-ms'] !== undefined && Number.isFinite(ms)) return Math.max(0, ms)
  const written = headers['retry-after']
  if (written === undefined) return null
  const seconds = Number(written)
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000)
  const date = Date.parse(written)
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs)
}
