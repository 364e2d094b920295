/**
 * Work in turns: a generator yields after a bounded amount of work, so that its caller can let the event loop continue.
 * Work is counted, not timed.
 */

/** Returns its result at the end; each yield is a possible pause. */
export type Turns<Result> = Generator<undefined, Result, undefined>

/**
 * Characters that one turn scans, or the same amount of other work: a fraction of a millisecond in compiled code, and
 * some milliseconds before V8 has compiled it.
 */
const workOfTurn = 32_768

/** The work that the current turn may still do. */
export class Turn {
  left = workOfTurn

  renew(): void {
    this.left = workOfTurn
  }
}

/** Runs to the end without pausing. */
export function runAtOnce<Result>(turns: Turns<Result>): Result {
  for (;;) {
    const step = turns.next()
    if (step.done === true) return step.value
  }
}

/**
 * Runs the first turn synchronously and each further one in a new iteration of the event loop.
 * Rejects with the signal's reason when it aborts; the signal is read only when there is a second turn.
 */
export function runInTurns<Result>(
  turns: Turns<Result>,
  io: { readonly signal: AbortSignal },
): Result | Promise<Result> {
  const first = turns.next()
  return first.done === true ? first.value : goOn(turns, io.signal)
}

async function goOn<Result>(turns: Turns<Result>, signal: AbortSignal): Promise<Result> {
  for (;;) {
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
    signal.throwIfAborted()
    const step = turns.next()
    if (step.done === true) return step.value
  }
}
