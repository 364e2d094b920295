/**
 * Moments in which work that nobody waits for may begin: the event loop was mostly idle since the last look, and what
 * arrived meanwhile has been handled. One piece of work begins in each, in order. While there are none, the process is
 * under load, and the work can be dropped.
 */

/** Between two looks; nothing is measured while no work waits. */
const lookMs = 2
/** The share of the time since the last look in which a quiet event loop is busy at most. */
const quietShare = 0.5
/** A process in which no moment is quiet for so long is under load. */
const longestWaitMs = 250

/** The process's clocks. */
export interface LoopClock {
  nowMs(): number
  /** The share of the time since its last call in which the event loop was busy. */
  busyShare(): number
  after(ms: number, callback: () => void): void
  /** Calls back when events that have arrived are handled. */
  afterArrived(callback: () => void): void
}

export interface QuietMoments {
  /** Resolves in the next quiet moment to true, or to false when the process is under load. */
  next(): Promise<boolean>
}

export function createQuietMoments(clock: LoopClock = loopClock()): QuietMoments {
  const waiting: ((isQuiet: boolean) => void)[] = []
  let lastQuietAt = 0

  function look(): void {
    if (clock.busyShare() <= quietShare) clock.afterArrived(begin)
    else if (clock.nowMs() - lastQuietAt < longestWaitMs) clock.after(lookMs, look)
    else for (const resolve of waiting.splice(0)) resolve(false)
  }

  function begin(): void {
    lastQuietAt = clock.nowMs()
    waiting.shift()?.(true)
    if (waiting.length > 0) clock.after(lookMs, look)
  }

  return {
    next: () =>
      new Promise((resolve) => {
        if (waiting.push(resolve) > 1) return
        lastQuietAt = clock.nowMs()
        clock.busyShare()
        clock.after(lookMs, look)
      }),
  }
}

function loopClock(): LoopClock {
  let last = performance.eventLoopUtilization()
  return {
    nowMs: () => performance.now(),
    busyShare() {
      const { utilization } = performance.eventLoopUtilization(last)
      last = performance.eventLoopUtilization()
      return utilization
    },
    after: (ms, callback) => void setTimeout(callback, ms),
    afterArrived: (callback) => void setImmediate(callback),
  }
}
