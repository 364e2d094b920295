/** Waits for what comes about by itself, without knowing when. */
import { setTimeout as wait } from 'node:timers/promises'

const limitMs = 60_000
const pauseMs = 5

/** Resolves once the condition holds; rejects when it does not come to hold within a minute: a bound for what never happens. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  const endsAt = performance.now() + limitMs
  while (!(await condition())) {
    if (performance.now() > endsAt) throw new Error(`It never came to hold: ${condition}`)
    await wait(pauseMs)
  }
}
