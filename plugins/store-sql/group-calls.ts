/**
 * Queues calls while one is in flight and combines the queued ones: many callers need few round trips, and none waits
 * for a connection.
 */

export interface GroupOptions<Item, Result> {
  /** Answers all of them, in their order. Errors: it fails for all of them. */
  run(items: readonly Item[]): Promise<readonly Result[]>
  keysOf(item: Item): readonly string[]
  /** Different keys in a group, and items; a group ends with the item that reaches one of them. */
  maxKeys: number
  maxItems: number
  /** Whether a failure would meet those that wait as well, so that they fail at once. */
  failsAll(error: unknown): boolean
}

interface Waiting<Item, Result> {
  item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}

/** A call that joins the next group. */
export function groupCalls<Item, Result>(
  options: GroupOptions<Item, Result>,
): (item: Item) => Promise<Result> {
  const { run, keysOf, maxKeys, maxItems, failsAll } = options
  let waiting: Waiting<Item, Result>[] = []
  let isRunning = false

  function takeGroup(): Waiting<Item, Result>[] {
    const keys = new Set<string>()
    const last = waiting.findIndex(({ item }, index) => {
      for (const key of keysOf(item)) keys.add(key)
      return keys.size >= maxKeys || index + 1 >= maxItems
    })
    const count = last === -1 ? waiting.length : last + 1
    const group = waiting.slice(0, count)
    waiting = waiting.slice(count)
    return group
  }

  async function runAll(): Promise<void> {
    isRunning = true
    while (waiting.length > 0) await runGroup(takeGroup())
    isRunning = false
  }

  async function runGroup(group: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await run(group.map(({ item }) => item))
      for (const [index, { resolve }] of group.entries()) resolve(results[index] as Result)
    } catch (error) {
      const others = failsAll(error) ? waiting : []
      if (others.length > 0) waiting = []
      for (const { reject } of [...group, ...others]) reject(error)
    }
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      if (!isRunning) void runAll()
    })
}
