/** What a stage is: something that acts before and after the rest of its list. */
import type { Exchange } from './exchange.ts'

export type Next = () => Promise<void>

export type Stage = (exchange: Exchange, next: Next) => Promise<void>

/** A composed list. */
export type Run = (exchange: Exchange) => Promise<void>
