/** Runs a check with a time limit. A check that hangs fails its test with a message. */
import type { Check } from '@gateway/contract'
import { type CheckOutcome, type CheckRun, runCheck } from './run-check.ts'

/** The time limit in milliseconds: long for a check with all its answers available, even on a busy machine. */
const patienceMs = 3000

/** A check that did not settle in time. */
export class HangError extends Error {}

/**
 * Runs a check like {@link runCheck}.
 * @throws HangError when it does not settle
 */
export const runWithin = (check: Check, run: CheckRun): Promise<CheckOutcome> =>
  within(() => runCheck(check, run))

/**
 * Waits for a check.
 * @throws HangError when it does not settle
 */
export async function within<Value>(act: () => Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined
  const hanging = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new HangError(`The check hangs: no end in ${patienceMs} ms.`)),
      patienceMs,
    )
  })
  try {
    return await Promise.race([act(), hanging])
  } finally {
    clearTimeout(timer)
  }
}
