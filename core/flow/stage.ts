/** What a stage is: something that acts before and after the rest of its list; and how a list becomes one function. */
import type { ConfigNode } from './config-node.ts'
import { type Exchange, required } from './exchange.ts'

/** A composed list. */
export type Run = (exchange: Exchange) => Promise<void>

/** The rest of the list that a stage stands in. */
export type Next = Run

export type Stage = (exchange: Exchange, next: Next) => Promise<void>

/** A stage that some config nodes use; the lists of others do not have it. */
interface NodeStage {
  isUsed(node: ConfigNode): boolean
  stage: Stage
}

const nothing: Run = () => Promise.resolve()

/** Makes one function of a list, once and not per request: each stage runs around the rest of the list. */
export function compose(...stages: readonly Stage[]): Run {
  return stages.reduceRight<Run>((rest, stage) => (exchange) => stage(exchange, rest), nothing)
}

/** A stage for some requests; for others the rest of the list runs at once. */
export const forRequests =
  (isNeeded: (exchange: Exchange) => boolean, stage: Stage): Stage =>
  (exchange, next) =>
    isNeeded(exchange) ? stage(exchange, next) : next(exchange)

export const forNodes = (isUsed: NodeStage['isUsed'], stage: Stage): NodeStage => ({ isUsed, stage })

/** Makes one function of a list that runs for config nodes. The stages that a node uses are chosen once a node. */
export function composeForNodes(...list: readonly (Stage | NodeStage)[]): Run {
  const runs = new WeakMap<ConfigNode, Run>()

  function runOf(node: ConfigNode): Run {
    const stages = list.flatMap((entry) => {
      if (typeof entry === 'function') return entry
      return entry.isUsed(node) ? entry.stage : []
    })
    const run = compose(...stages)
    runs.set(node, run)
    return run
  }

  return (exchange) => {
    const node = required(exchange.node, 'config node')
    return (runs.get(node) ?? runOf(node))(exchange)
  }
}
