/**
 * A list of stages. Each `use` adds one, and accepts only a stage that takes the phase which the list has reached: one in
 * the wrong place does not compile. A list is composed once, and not per request.
 */

import type { Answer } from './answer.ts'
import type { ConfigNode } from './config-node.ts'
import type { NodeStage, Run, Stage } from './stage.ts'

/** Puts the stages so far in front of the rest of the list. */
type Before<First, Phase, Result> = (rest: Run<Phase, Result>) => Run<First, Result>

/** From the phase `First` to `Phase`. */
export class StageList<First, Phase, Result> {
  readonly #before: Before<First, Phase, Result>

  constructor(before: Before<First, Phase, Result>) {
    this.#before = before
  }

  use<Makes>(stage: Stage<Phase, Makes, Result>): StageList<First, Makes, Result> {
    return new StageList((rest) => this.#before((exchange) => stage(exchange, rest)))
  }

  /** A stage for some requests; for others the rest of the list runs at once. */
  when(
    isNeeded: (exchange: Phase) => boolean,
    stage: Stage<Phase, Phase, Result>,
  ): StageList<First, Phase, Result> {
    return this.use((exchange, next) => (isNeeded(exchange) ? stage(exchange, next) : next(exchange)))
  }

  /** What runs at the end. */
  end(last: Run<Phase, Result>): Run<First, Result> {
    return this.#before(last)
  }
}

/** An empty list for exchanges of a phase. */
export const stages = <First, Result = Answer>(): StageList<First, First, Result> =>
  new StageList((rest) => rest)

/** Puts the stages that a config node uses in front of the rest of the list. */
type BeforeAtNode<First, Phase> = (node: ConfigNode, rest: Run<Phase>) => Run<First>

/** A list that runs for config nodes. The stages that a node uses are chosen once a node: others do not run for it. */
export class NodeStageList<First extends { readonly node: ConfigNode }, Phase> {
  readonly #before: BeforeAtNode<First, Phase>

  constructor(before: BeforeAtNode<First, Phase>) {
    this.#before = before
  }

  use<Makes>(stage: Stage<Phase, Makes>): NodeStageList<First, Makes> {
    return new NodeStageList((node, rest) => this.#before(node, (exchange) => stage(exchange, rest)))
  }

  /** A stage that the config nodes with a setting use, which it gets. @param settingOf null for a node without it */
  forNodes<Setting>(
    settingOf: (node: ConfigNode) => Setting | null,
    stage: NodeStage<Phase, Setting>,
  ): NodeStageList<First, Phase> {
    return new NodeStageList((node, rest) => {
      const setting = settingOf(node)
      return this.#before(node, setting === null ? rest : (exchange) => stage(exchange, rest, setting))
    })
  }

  /** A stage for some requests. */
  when(isNeeded: (exchange: Phase) => boolean, stage: Stage<Phase>): NodeStageList<First, Phase> {
    return this.use((exchange, next) => (isNeeded(exchange) ? stage(exchange, next) : next(exchange)))
  }

  end(last: Run<Phase>): Run<First> {
    const runs = new WeakMap<ConfigNode, Run<First>>()

    const runOf = (node: ConfigNode): Run<First> => {
      const run = this.#before(node, last)
      runs.set(node, run)
      return run
    }

    return (exchange) => (runs.get(exchange.node) ?? runOf(exchange.node))(exchange)
  }
}

export const nodeStages = <First extends { readonly node: ConfigNode }>(): NodeStageList<First, First> =>
  new NodeStageList((_node, rest) => rest)
