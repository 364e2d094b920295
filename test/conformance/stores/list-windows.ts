/** All pages of the windows that counters list. */
import type { Counters, KeptWindow, WindowPage } from '@gateway/contract'

interface ListWindowsOptions {
  prefix: string
  nowMs: number
  pageSize?: number
}

/** All windows whose keys begin so, in the order of their keys. */
export async function listWindows(
  counters: Counters,
  { prefix, nowMs, pageSize = 100 }: ListWindowsOptions,
): Promise<KeptWindow[]> {
  const found = new Map<string, KeptWindow>()
  let cursor: string | null = null
  do {
    const page: WindowPage = await counters.listWindows(cursor, pageSize, nowMs)
    for (const each of page.windows) if (each.key.startsWith(prefix)) found.set(each.key, each)
    cursor = page.next
  } while (cursor !== null)
  return [...found.values()].toSorted((left, right) =>
    Buffer.compare(Buffer.from(left.key), Buffer.from(right.key)),
  )
}
