/**
 * Detects a store that fails although its connection is open: operations are pending, and none was answered for a
 * while. Time is counted in timer ticks, not by the clock: otherwise a busy process would blame the store.
 */

/** The time without any answer, in milliseconds, after which the store counts as failed. */
export const silenceLimitMs = 5000
const steps = 20

interface SilenceWatch {
  /** Call when an operation starts; call the returned function once when it completes. */
  asked(): () => void
}

/** @param onSilent runs once per silence; operations pending at that time are no longer waited for */
export function createSilenceWatch(onSilent: () => void, limitMs: number = silenceLimitMs): SilenceWatch {
  let open = 0
  /** The number of full ticks without an answer; −1: the tick began before the silence. */
  let silentSteps = -1
  let silences = 0
  let timer: NodeJS.Timeout | undefined

  function start(): void {
    timer ??= setTimeout(step, limitMs / steps).unref()
  }

  function step(): void {
    timer = undefined
    // Data that has arrived is read before the immediate runs.
    if (silentSteps + 1 >= steps) setImmediate(endStep)
    else endStep()
  }

  function endStep(): void {
    if (open === 0) return
    silentSteps += 1
    if (silentSteps < steps) {
      start()
      return
    }
    open = 0
    silences += 1
    onSilent()
  }

  return {
    asked() {
      if (open === 0) silentSteps = timer === undefined ? 0 : -1
      open += 1
      start()
      const since = silences
      return () => {
        if (since !== silences) return
        open -= 1
        silentSteps = -1
      }
    },
  }
}
