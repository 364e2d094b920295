/** A list of stages as one: each runs around the rest of its list, which is composed once and not for each request. */
import type { Run, Stage } from './stage.ts'

const nothing: Run = () => Promise.resolve()

export function compose(...stages: readonly Stage[]): Run {
  return stages.reduceRight<Run>((rest, stage) => (exchange) => stage(exchange, rest), nothing)
}
