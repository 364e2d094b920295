/** Runs a check within a time of patience, so that one that hangs fails its test with words. */
import type { Check } from '@gateway/contract'
import { type CheckOutcome, type CheckRun, runCheck } from './run-check.ts'

/** Milliseconds: long for a check that was given all its answers, even on a machine with other work to do. */
const patienceMs = 3000

/** A check that did not settle in time. */
export class HangError extends Error {}

/**
 * Runs a check as {@link runCheck} does.
 * @throws HangError when it does not settle
 */
export const runWithin = (check: Check, run: CheckRun): Promise<CheckOutcome> =>
  within(() => runCheck(check, run))

/**
 * Waits for what a check does.
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
