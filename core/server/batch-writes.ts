/**
 * Batches the writes of one turn of the event loop. A write to a peer that waits wakes it, which costs the writer more
 * than the bytes do; when many answers are ready in one turn, the first wakes the peer for all of them.
 */

let waiting: (() => void)[] = []
let inThisTurn = 0
let inLastTurn = 0

/** Runs it when the events of this turn are handled, or at once where it is likely to be alone. It must not throw. */
export function batchWrite(write: () => void): void {
  inThisTurn += 1
  if (inThisTurn === 1) setImmediate(endTurn)
  if (inThisTurn > 1 || inLastTurn > 1) waiting.push(write)
  else write()
}

function endTurn(): void {
  const writes = waiting
  waiting = []
  inLastTurn = inThisTurn
  inThisTurn = 0
  for (const write of writes) write()
}
