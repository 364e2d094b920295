/**
 * When a store counts as failing although its connection stands: questions are open, and it answered none of them for a
 * while. Time is counted in steps of a timer and not by the clock, so that a process that was busy itself gives the
 * store its time.
 */

/** Without any answer, in milliseconds. */
export const silenceLimitMs = 5000
const steps = 20

export interface SilenceWatch {
  /** A question was sent. Call what it returns once, when the question has been answered. */
  asked(): () => void
}

/** @param onSilent runs once for each silence; questions that are open then are not waited for any more */
export function createSilenceWatch(onSilent: () => void, limitMs: number = silenceLimitMs): SilenceWatch {
  let open = 0
  /** Whole steps without an answer; −1: the step began before the silence did. */
  let silentSteps = -1
  let silences = 0
  let timer: NodeJS.Timeout | undefined

  function start(): void {
    timer ??= setTimeout(step, limitMs / steps).unref()
  }

  function step(): void {
    timer = undefined
    // What has arrived is read before an immediate runs.
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
