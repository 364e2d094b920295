/** A list of stages as one stage: each runs around the rest of its list. */
import type { Stage } from './stage.ts'

const passOn: Stage = (_exchange, next) => next()

export function compose(...stages: readonly Stage[]): Stage {
  return stages.reduceRight<Stage>(
    (rest, stage) => (exchange, next) => stage(exchange, () => rest(exchange, next)),
    passOn,
  )
}
