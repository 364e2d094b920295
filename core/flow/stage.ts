/** A stage acts before and after the rest of its list. */
import type { Exchange } from './exchange.ts'

/** A composed list. */
export type Run = (exchange: Exchange) => Promise<void>

/** The rest of the stage's list. */
export type Next = Run

export type Stage = (exchange: Exchange, next: Next) => Promise<void>
