/**
 * Quiet moments for background work: the event loop has been mostly idle since the last one, and the events that arrived
 * meanwhile have been handled. One piece of work begins in each, in order. A process without quiet moments is under load, and
 * the work can be dropped.
 */

/** Between two looks; nothing is measured while no work waits. */
const lookMs = 2
/** The share of the time since the last moment in which a quiet event loop is busy at most. */
const quietShare = 0.5
/** A process that has no quiet moment for so long is under load. */
const longestWaitMs = 250
/** How long a process under load is not measured again. Work that is asked for meanwhile is dropped at once. */
const loadMs = 5000

/** The process's clocks. */
export interface LoopClock {
  nowMs(): number
  /** Begins a measurement of the event loop. */
  restart(): void
  /** The share of the time of the measurement in which the event loop was busy. */
  busyShare(): number
  after(ms: number, callback: () => void): void
  /** Calls back when events that have arrived are handled. */
  afterArrived(callback: () => void): void
}

export interface QuietMoments {
  /** Resolves in the next quiet moment to true, or to false when the process is under load. */
  next(): Promise<boolean>
  /** Whether work waited in vain for a quiet moment within the last seconds. */
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
    // A busy time is not forgotten at the next look: a short pause of a busy process is not quiet.
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
