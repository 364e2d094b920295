/** A list of stages as one function: each runs around the rest of its list. */
import type { Run, Stage } from './stage.ts'

const nothing: Run = () => Promise.resolve()

export function compose(stages: readonly Stage[]): Run {
  return stages.reduceRight<Run>(
    (rest, stage) => (exchange) => stage(exchange, () => rest(exchange)),
    nothing,
  )
}
