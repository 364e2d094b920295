/** Writes changes of keys in the background, in batches. Errors: those of a write, for `flush`; others are reported. */

export interface WriteBehindOptions {
  /** Writes the current values of these keys in one call. */
  save(keys: readonly string[]): Promise<void>
  /** Called for the first of several failed writes. */
  report(error: unknown): void
  /** From the end of one write to the beginning of the next, at least. */
  intervalMs: number
}

export interface WriteBehind {
  /** Notes that the value of a key has changed. */
  note(key: string): void
  /** Resolves once everything noted before is written. */
  flush(): Promise<void>
}

/** After a write that failed. */
const retryMs = 1000
/** Keys per call; each call is a transaction. */
const batchSize = 1000

export function createWriteBehind({ save, report, intervalMs }: WriteBehindOptions): WriteBehind {
  let changed = new Set<string>()
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> | undefined
  let isFailing = false

  function schedule(ms: number): void {
    if (timer !== undefined || writing !== undefined) return
    timer = setTimeout(() => {
      timer = undefined
      // Already reported; it will be retried.
      write().catch(() => undefined)
    }, ms).unref()
  }

  /** All changes, after the current write. */
  async function write(): Promise<void> {
    while (writing !== undefined) await writing.catch(() => undefined)
    if (changed.size === 0) return
    const keys = [...changed]
    changed = new Set()
    writing = saveAll(keys)
    try {
      await writing
      isFailing = false
    } catch (error) {
      if (!isFailing) report(error)
      isFailing = true
      throw error
    } finally {
      writing = undefined
      if (changed.size > 0) schedule(isFailing ? retryMs : intervalMs)
    }
  }

  /** In batches; failed ones stay marked as changed. */
  async function saveAll(keys: readonly string[]): Promise<void> {
    for (let at = 0; at < keys.length; at += batchSize) {
      try {
        await save(keys.slice(at, at + batchSize))
      } catch (error) {
        changed = new Set([...keys.slice(at), ...changed])
        throw error
      }
    }
  }

  return {
    note(key) {
      changed.add(key)
      schedule(intervalMs)
    },
    async flush() {
      while (writing !== undefined || changed.size > 0) await write()
      clearTimeout(timer)
      timer = undefined
    },
  }
}
