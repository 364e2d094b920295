/**
 * Work in turns: what may take long yields after a bounded amount of work, so that whoever runs it may let the event
 * loop go on in between, or not. Work is counted, not timed.
 */

/** Gives its result in the end; every yield is a place for a pause. */
export type Turns<Result> = Generator<undefined, Result, undefined>

/**
 * Characters that are looked at in a turn, or as much work of another kind: a fraction of a millisecond, and
 * many times that in code that has not run before.
 */
export const workOfTurn = 32_768

/** The work that is left in the turn. */
export class Turn {
  left = workOfTurn

  renew(): void {
    this.left = workOfTurn
  }
}

/** Runs to the end without a pause. */
export function runAtOnce<Result>(turns: Turns<Result>): Result {
  for (;;) {
    const step = turns.next()
    if (step.done === true) return step.value
  }
}

/**
 * Runs the first turn at once, and the others, if there are any, each after a turn of the event loop.
 * Rejects with the signal's reason when that fires; it is asked for only when there is a second turn.
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
