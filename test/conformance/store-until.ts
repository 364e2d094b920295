/** Waits for what comes about by itself, without knowing when. */
import { setTimeout as wait } from 'node:timers/promises'

const limitMs = 10_000
const pauseMs = 5

/** Resolves once the condition holds; rejects when it has not come to hold within ten seconds. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  const endsAt = performance.now() + limitMs
  while (!(await condition())) {
    if (performance.now() > endsAt) throw new Error(`It never came to hold: ${condition}`)
    await wait(pauseMs)
  }
}
