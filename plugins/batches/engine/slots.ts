/**
 * Limits how many lines run concurrently in this process, over all batches. Workspaces take turns, so a large batch of
 * one does not delay the others. Interactive requests have priority: each line starts in its own turn of the event
 * loop, and while a client waits for an answer, lines start apart from each other and not while the loop is late, and
 * their results are committed less often.
 */
export interface Slots {
  /** Resolves when a line of this workspace may start. Call the returned function when the line has ended. */
  take(workspaceId: string): Promise<() => void>
  /**
   * Resolves when results may be committed: in the next turn of the event loop, when all results of this turn are
   * committed together; while a client waits, after a pause, in which more results arrive.
   */
  beforeCommit(): Promise<void>
}

/** The event loop counts as late when a timer is this late. */
const lateMs = 15
const pauseMs = 20
const probeMs = 10
const mostPauses = 50
/**
 * Between the starts of two lines while a client waits. A process then starts at most 125 lines a second, more than a
 * provider usually allows.
 */
const gapMs = 8
/** A commit keeps the store's thread and its disk busy for some milliseconds, even with few results. */
const commitPauseMs = 50

/** @param isInteractive whether a request of a client is being answered */
export function createSlots(limit: () => number, isInteractive: () => boolean): Slots {
  const queues = new Map<string, (() => void)[]>()
  let running = 0
  let lagMs = 0
  /** The time when the next line may start while a client waits. */
  let nextStartAt = 0

  function next(): void {
    while (running < limit()) {
      const [first] = queues
      if (first === undefined) return
      const [workspaceId, queue] = first
      // Moves the workspace to the end of the turn order.
      queues.delete(workspaceId)
      const begin = queue.shift()
      if (queue.length > 0) queues.set(workspaceId, queue)
      if (begin === undefined) continue
      running += 1
      begin()
    }
  }

  async function settle(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve))
    // The lag is measured only while lines run.
    for (let pauses = 0; lagMs > lateMs && pauses < mostPauses && isInteractive(); pauses += 1) {
      const startedAt = performance.now()
      await new Promise((resolve) => setTimeout(resolve, pauseMs))
      lagMs = performance.now() - startedAt - pauseMs
    }
    if (!isInteractive()) return
    const now = performance.now()
    const startAt = Math.max(now, nextStartAt)
    nextStartAt = startAt + gapMs
    if (startAt > now) await new Promise((resolve) => setTimeout(resolve, startAt - now))
  }

  let probing = false
  function probe(): void {
    if (probing) return
    probing = true
    const startedAt = performance.now()
    setTimeout(() => {
      lagMs = performance.now() - startedAt - probeMs
      probing = false
    }, probeMs).unref()
  }

  return {
    async take(workspaceId) {
      await new Promise<void>((resolve) => {
        const queue = queues.get(workspaceId) ?? []
        queue.push(resolve)
        queues.set(workspaceId, queue)
        next()
      })
      probe()
      await settle()
      let isOver = false
      return () => {
        if (isOver) return
        isOver = true
        running -= 1
        next()
      }
    },
    beforeCommit: () =>
      new Promise((resolve) => {
        if (isInteractive()) setTimeout(resolve, commitPauseMs)
        else setImmediate(resolve)
      }),
  }
}
