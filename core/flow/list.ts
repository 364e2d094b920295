/**
 * A list of stages. Each `use` adds a stage, and accepts only a stage that takes the phase which the list has reached:
 * a stage in the wrong place does not compile. A list is composed once over a runtime, from which its stages get their
 * ports, and not per request.
 */

import type { Answer } from './answer.ts'
import type { ConfigNode } from './config-node.ts'
import type { Runtime } from './runtime.ts'
import type { Last, Run, SettingStage, Stage, Strategist } from './stage.ts'

/** A complete list. */
export class List<First, Result = Answer> {
  readonly #compose: (ports: Runtime) => Run<First, Result>
  readonly #composed = new WeakMap<Runtime, Run<First, Result>>()

  constructor(compose: (ports: Runtime) => Run<First, Result>) {
    this.#compose = compose
  }

  /** The list as one function. */
  over(ports: Runtime): Run<First, Result> {
    const known = this.#composed.get(ports)
    if (known !== undefined) return known
    const run = this.#compose(ports)
    this.#composed.set(ports, run)
    return run
  }
}

/** Prepends the stages added so far to the rest of the list. */
type Before<First, Phase, Result> = (ports: Runtime, rest: Run<Phase, Result>) => Run<First, Result>

/** A list of stages that leads from the phase `First` to `Phase`. */
export class StageList<First, Phase, Result> {
  readonly #before: Before<First, Phase, Result>

  constructor(before: Before<First, Phase, Result>) {
    this.#before = before
  }

  use<Makes>(stage: Stage<Phase, Makes, Result>): StageList<First, Makes, Result> {
    return new StageList((ports, rest) => this.#before(ports, (exchange) => stage(exchange, rest, ports)))
  }

  /** A stage for some requests; for others the rest of the list runs immediately. */
  when(
    isNeeded: (exchange: Phase, ports: Runtime) => boolean,
    stage: Stage<Phase, Phase, Result>,
  ): StageList<First, Phase, Result> {
    return this.use((exchange, next, ports) =>
      isNeeded(exchange, ports) ? stage(exchange, next, ports) : next(exchange),
    )
  }

  /** The handler that runs at the end. */
  end(last: Last<Phase, Result>): List<First, Result> {
    return new List((ports) => this.#before(ports, (exchange) => last(exchange, ports)))
  }

  /** Another list at the end. */
  then(list: List<Phase, Result>): List<First, Result> {
    return new List((ports) => this.#before(ports, list.over(ports)))
  }
}

/** An empty list for exchanges of a phase. */
export const stages = <First, Result = Answer>(): StageList<First, First, Result> =>
  new StageList((_ports, rest) => rest)

/** The inputs for composing a list for a config node. `list` is the whole list, also for other nodes. */
interface AtNode<First> {
  node: ConfigNode
  list: Run<First>
  ports: Runtime
}

type BeforeAtNode<First, Phase> = (at: AtNode<First>, rest: Run<Phase>) => Run<First>

/**
 * A list that runs for config nodes. The stages that a node uses are chosen once per node; others do not run for it.
 */
export class NodeStageList<First extends { readonly node: ConfigNode }, Phase> {
  readonly #before: BeforeAtNode<First, Phase>

  constructor(before: BeforeAtNode<First, Phase>) {
    this.#before = before
  }

  use<Makes>(stage: Stage<Phase, Makes>): NodeStageList<First, Makes> {
    return new NodeStageList((at, rest) => this.#before(at, (exchange) => stage(exchange, rest, at.ports)))
  }

  /**
   * A stage for the config nodes with a setting, which is passed to it. @param settingOf null for a node without the
   * setting
   */
  forNodes<Setting>(
    settingOf: (node: ConfigNode) => Setting | null,
    stage: SettingStage<Phase, Setting>,
  ): NodeStageList<First, Phase> {
    return new NodeStageList((at, rest) => {
      const setting = settingOf(at.node)
      if (setting === null) return this.#before(at, rest)
      const given = { setting, ports: at.ports }
      return this.#before(at, (exchange) => stage(exchange, rest, given))
    })
  }

  /** The end of the list for some config nodes, which run the whole list for their targets. */
  endFor(
    isInner: (node: ConfigNode) => boolean,
    strategist: Strategist<Phase, First>,
  ): NodeStageList<First, Phase> {
    return new NodeStageList((at, rest) =>
      this.#before(at, isInner(at.node) ? strategist(at.ports, at.list) : rest),
    )
  }

  /** A stage for some requests. */
  when(
    isNeeded: (exchange: Phase, ports: Runtime) => boolean,
    stage: Stage<Phase>,
  ): NodeStageList<First, Phase> {
    return this.use((exchange, next, ports) =>
      isNeeded(exchange, ports) ? stage(exchange, next, ports) : next(exchange),
    )
  }

  end(last: Last<Phase>): List<First> {
    return this.#list((ports) => (exchange) => last(exchange, ports))
  }

  then(list: List<Phase>): List<First> {
    return this.#list((ports) => list.over(ports))
  }

  #list(endOver: (ports: Runtime) => Run<Phase>): List<First> {
    return new List((ports) => {
      const rest = endOver(ports)
      const runs = new WeakMap<ConfigNode, Run<First>>()
      const list: Run<First> = (exchange) => (runs.get(exchange.node) ?? runOf(exchange.node))(exchange)
      const runOf = (node: ConfigNode): Run<First> => {
        const run = this.#before({ node, list, ports }, rest)
        runs.set(node, run)
        return run
      }
      return list
    })
  }
}

export const nodeStages = <First extends { readonly node: ConfigNode }>(): NodeStageList<First, First> =>
  new NodeStageList((_at, rest) => rest)
