/**
 * A stage acts before and after the rest of its list. One that does not wait returns what the rest returns:
 * `return next(exchange)`, or `return after(next(exchange), () => …)` to act on the answer.
 */
import type { Exchange } from './exchange.ts'
import type { Ending } from './waiting.ts'

/** A composed list. */
export type Run = (exchange: Exchange) => Ending

/** The rest of the stage's list. */
export type Next = Run

export type Stage = (exchange: Exchange, next: Next) => Ending
