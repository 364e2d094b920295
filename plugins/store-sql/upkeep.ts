/** Background work of a part: polls for other processes' changes, and removes expired rows. */
import type { Health } from './parts.ts'

/** The polling interval: other processes must be notified of a change within 2 s. */
const lookIntervalMs = 1000
const sweepIntervalMs = 60_000

/** Starts the work and returns a function that stops it. An error is reported once until it is resolved. */
export function startUpkeep(health: Health, report: (error: unknown) => void): () => void {
  let isFaulty = false

  function every(intervalMs: number, work: () => Promise<void>): NodeJS.Timeout {
    let isWorking = false
    return setInterval(async () => {
      if (isWorking) return
      isWorking = true
      try {
        await work()
        isFaulty = false
      } catch (error) {
        if (!isFaulty) report(error)
        isFaulty = true
      } finally {
        isWorking = false
      }
    }, intervalMs).unref()
  }

  const timers = [every(lookIntervalMs, health.look), every(sweepIntervalMs, health.sweep)]
  return () => {
    for (const timer of timers) clearInterval(timer)
  }
}
