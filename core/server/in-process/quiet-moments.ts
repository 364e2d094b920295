/**
 * Quiet moments for background work. In a quiet moment the event loop has been mostly idle since the previous one, and
 * the events that arrived meanwhile have been handled. Each quiet moment starts one piece of work, in order. A process
 * without quiet moments is under load, and its background work can be dropped.
 */

/** The interval between two measurements; nothing is measured while no work waits. */
const lookMs = 2
/** The event loop counts as quiet if it was busy for at most this share of the time. */
const quietShare = 0.5
/** A process without a quiet moment for this long is under load. */
const longestWaitMs = 250
/**
 * How long a process counts as under load before it is measured again. Work that is requested meanwhile is dropped
 * immediately.
 */
const loadMs = 5000

/** The process's clocks. */
export interface LoopClock {
  nowMs(): number
  /** Starts a measurement of the event loop. */
  restart(): void
  /** The share of the measured time in which the event loop was busy. */
  busyShare(): number
  after(ms: number, callback: () => void): void
  /** Calls back after the events that have already arrived are handled. */
  afterArrived(callback: () => void): void
}

export interface QuietMoments {
  /** Resolves to true in the next quiet moment, or to false if the process is under load. */
  next(): Promise<boolean>
  /** Whether work has recently waited in vain for a quiet moment. */
  isUnderLoad(): boolean
}

export function createQuietMoments(clock: LoopClock = loopClock()): QuietMoments {
  const waiting: ((isQuiet: boolean) => void)[] = []
  let startedAt = 0
  let loadEndsAt = 0
  const isUnderLoad = () => clock.nowMs() < loadEndsAt

  function wait(): void {
    startedAt = clock.nowMs()
    clock.restart()
    clock.after(lookMs, look)
  }

  function look(): void {
    // The measurement covers all the time since it started, so a short pause of a busy process does not count as quiet.
    if (clock.busyShare() <= quietShare) clock.afterArrived(begin)
    else if (clock.nowMs() - startedAt < longestWaitMs) clock.after(lookMs, look)
    else giveUp()
  }

  function giveUp(): void {
    loadEndsAt = clock.nowMs() + loadMs
    for (const resolve of waiting.splice(0)) resolve(false)
  }

  function begin(): void {
    waiting.shift()?.(true)
    if (waiting.length > 0) wait()
  }

  return {
    next: () =>
      new Promise((resolve) => {
        if (isUnderLoad()) resolve(false)
        else if (waiting.push(resolve) === 1) wait()
      }),
    isUnderLoad,
  }
}

function loopClock(): LoopClock {
  let start = performance.eventLoopUtilization()
  return {
    nowMs: () => performance.now(),
    restart() {
      start = performance.eventLoopUtilization()
    },
    busyShare: () => performance.eventLoopUtilization(start).utilization,
    after: (ms, callback) => void setTimeout(callback, ms),
    afterArrived: (callback) => void setImmediate(callback),
  }
}
