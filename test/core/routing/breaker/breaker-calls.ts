/** Calls that the test ends, a clock that it advances, and time for messages to arrive. */

import { isGatewayError } from '@gateway/contract'
import { type Clock, install } from '@sinonjs/fake-timers'
import type { BreakerSettings, Outcome, Verdict } from '#flow/breaker'
import type { Breaker } from '#routing/breaker/breaker'

export const cooldownMs = 30_000

export const settings: BreakerSettings = { failure_threshold: 3, cooldown_interval: cooldownMs }

/** A fake clock; messages still travel in real time. */
export function stopClock(): Clock & { uninstall(): void } {
  return install({ toFake: ['Date', 'setTimeout', 'clearTimeout'], shouldClearNativeTimers: true })
}

/** Lets all messages and answers in flight arrive. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}

/** Runs one call and returns its result: `answered`, or the code of the error. */
export async function run(breaker: Breaker, failed: Verdict | Promise<Verdict>): Promise<string> {
  const result = await breaker
    .run(async () => ({ value: 'answered', failed }))
    .catch((error: unknown) => (isGatewayError(error) ? error.code : String(error)))
  await settle()
  return result
}

/** Fails as often as it takes to open the circuit. */
export async function open(breaker: Breaker, failures = settings.failure_threshold): Promise<void> {
  for (let count = 0; count < failures; count += 1) await run(breaker, true)
}

/** A call in flight until the test ends it. */
export function beginCall(breaker: Breaker) {
  let finish: (outcome: Outcome<string>) => void = () => undefined
  const outcome = new Promise<Outcome<string>>((resolve) => {
    finish = resolve
  })
  const result = breaker.run(() => outcome)
  return {
    async end(failed: Verdict): Promise<string> {
      finish({ value: 'answered', failed })
      const value = await result
      await settle()
      return value
    },
  }
}
