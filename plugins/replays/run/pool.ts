/** Asynchronous work with a bound on how much of it runs at once. */

export type Pool = ReturnType<typeof createPool>

/** Runs up to `most` pieces of work at once. */
export function createPool(most: number) {
  const running = new Set<Promise<void>>()
  let fault: unknown = null
  return {
    /** The error of the first work that failed, or null. */
    fault: () => fault,
    isIdle: () => running.size === 0,
    /** Waits until any running work has ended. */
    one: () => Promise.race(running),
    async room() {
      while (running.size >= most) await Promise.race(running)
    },
    begin(work: () => Promise<void>) {
      const done: Promise<void> = work()
        .catch((error: unknown) => {
          fault ??= error
        })
        .finally(() => void running.delete(done))
      running.add(done)
    },
    drain: () => Promise.all(running),
  }
}
