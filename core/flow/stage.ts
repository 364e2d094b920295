/** What a stage is: something that acts before and after the rest of its list; and how a list becomes one function. */
import type { Exchange } from './exchange.ts'

/** A composed list. */
export type Run = (exchange: Exchange) => Promise<void>

/** The rest of the list that a stage stands in. */
export type Next = Run

export type Stage = (exchange: Exchange, next: Next) => Promise<void>

const nothing: Run = () => Promise.resolve()

/** Makes one function of a list, once and not per request: each stage runs around the rest of the list. */
export function compose(...stages: readonly Stage[]): Run {
  return stages.reduceRight<Run>((rest, stage) => (exchange) => stage(exchange, rest), nothing)
}
