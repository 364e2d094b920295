/** Waits, with a bound, for something that a test cannot be told of. The bound is for what never happens: a busy machine is slow. */
import { setTimeout as wait } from 'node:timers/promises'

const lookEveryMs = 10

/** Resolves with the first value that is neither false nor null nor undefined; rejects with `what` after the limit. */
export async function until<Value>(
  what: string,
  look: () => Value | Promise<Value>,
  limitMs = 120_000,
): Promise<NonNullable<Value>> {
  const endsAt = performance.now() + limitMs
  for (;;) {
    const value = await look()
    if (value !== false && value !== null && value !== undefined) return value
    if (performance.now() > endsAt) throw new Error(`In ${limitMs} ms it did not happen: ${what}.`)
    await wait(lookEveryMs)
  }
}

/** Turns of the event loop: time for data on sockets to arrive, independent of the clock. */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}
