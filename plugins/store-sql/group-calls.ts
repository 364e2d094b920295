/**
 * Queues calls while one is in flight and combines the queued ones: many callers need few round trips, and none waits
 * for a connection.
 */

export interface GroupOptions<Item, Result> {
  /** Returns the results in order. An error rejects all calls of the group. */
  run(items: readonly Item[]): Promise<readonly Result[]>
  keysOf(item: Item): readonly string[]
  /** The most distinct keys and items in a group. */
  maxKeys: number
  maxItems: number
  /** Whether the waiting calls would fail in the same way, so that they are rejected immediately. */
  failsAll(error: unknown): boolean
}

interface Waiting<Item, Result> {
  item: Item
  resolve(result: Result): void
  reject(error: unknown): void
}

/** Adds a call to the next group. */
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
