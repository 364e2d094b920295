/** Waits for a condition that becomes true by itself. */
import { setTimeout as wait } from 'node:timers/promises'

const limitMs = 120_000
const pauseMs = 5

/** Resolves once the condition is true; rejects after two minutes, the limit for conditions that never become true. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  const endsAt = performance.now() + limitMs
  while (!(await condition())) {
    if (performance.now() > endsAt) throw new Error(`It never came to hold: ${condition}`)
    await wait(pauseMs)
  }
}
