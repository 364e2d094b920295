/**
 * A queue with a share for each key: one job runs at a time, and keys with waiting jobs take turns, so a key with many
 * jobs does not delay the others. The number of waiting jobs per key is limited. If the total limit is reached, the
 * last job of the key with the most jobs is dropped for a job of a key with fewer.
 */

interface Waiting {
  start(): void
  refuse(): void
}

interface Bounds {
  maxOfKey: number
  maxOfAll: number
}

export interface FairQueue {
  /** Runs a job in its turn. Throws the error of `refusal` if the queue has no room for it. */
  run<Result>(key: string, job: () => Promise<Result>): Promise<Result>
}

export function createFairQueue({ maxOfKey, maxOfAll }: Bounds, refusal: () => Error): FairQueue {
  /** The key whose turn is next comes first. */
  const waiting = new Map<string, Waiting[]>()
  let count = 0
  let isRunning = false

  function startNext(): void {
    const [next] = waiting
    if (next === undefined) {
      isRunning = false
      return
    }
    const [key, jobs] = next
    const job = jobs.shift()
    waiting.delete(key)
    if (jobs.length > 0) waiting.set(key, jobs)
    count -= 1
    job?.start()
  }

  /** Makes room for a job of a key with this number of jobs; false if no other key has more. */
  function displace(own: number): boolean {
    let longest: [string, Waiting[]] | null = null
    for (const entry of waiting) if (longest === null || entry[1].length > longest[1].length) longest = entry
    if (longest === null || longest[1].length <= own + 1) return false
    longest[1].pop()?.refuse()
    count -= 1
    return true
  }

  function wait(key: string): Promise<void> {
    const jobs = waiting.get(key) ?? []
    if (jobs.length >= maxOfKey) throw refusal()
    if (count >= maxOfAll && !displace(jobs.length)) throw refusal()
    count += 1
    waiting.set(key, jobs)
    return new Promise((resolve, reject) => {
      jobs.push({ start: resolve, refuse: () => reject(refusal()) })
    })
  }

  return {
    async run(key, job) {
      if (isRunning) await wait(key)
      isRunning = true
      try {
        return await job()
      } finally {
        startNext()
      }
    },
  }
}
