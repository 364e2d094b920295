/**
 * At an inner node: picks targets and runs the node list for them (single, loadbalance, fallback, conditional).
 * It ends the list of its node. A target whose breaker is open is left out while another one can answer.
 */

import { GatewayError, isGatewayError, type JsonObject } from '@gateway/contract'
import { overrideBody } from '../config/override-body.ts'
import { type Answer, faultAnswer, statusOf } from '../flow/answer.ts'
import type { TargetLoad } from '../flow/balancer.ts'
import type { ConfigNode, LoadBalance, Strategy } from '../flow/config-node.ts'
import { type Exchange, required } from '../flow/exchange.ts'
import type { Run, Stage } from '../flow/stage.ts'
import { recordFirstByte } from '../routing/balancer.ts'
import { breakerOf } from '../routing/breaker-key.ts'
import { chooseByCondition } from '../routing/condition.ts'
import { findTarget } from '../routing/find-target.ts'
import { splitModel } from '../routing/model.ts'
import { candidatesOf, pickTarget } from '../routing/pick-target.ts'
import { pickWeighted } from '../routing/weighted.ts'
import { tapStream } from '../streaming/iterator.ts'

/** @param list the list of the node, which runs for the target */
export function strategyOver(list: () => Run): Stage {
  /** Runs the node list for a target; its answer, and what led to it. */
  async function run(exchange: Exchange, target: ConfigNode): Promise<Answer> {
    const child = exchange.fork(target)
    await list()(child)
    return required(child.answer, 'answer')
  }

  async function fallback(
    exchange: Exchange,
    targets: readonly ConfigNode[],
    codes: readonly number[] | null,
  ) {
    let last: Answer | null = null
    for (const target of targets) {
      const answer = await run(exchange, target)
      // A target that was skipped for its open circuit gave no answer: the one before stays the last.
      if (last === null || answer.fault?.code !== 'circuit_open') last = answer
      if (exchange.leaving.aborted || !movesOn(answer, target.onStatusCodes ?? codes)) return answer
    }
    return required(last, 'answer')
  }

  /** A target that is refused for this request is left out; when all are, the last refusal answers. */
  async function loadbalance(exchange: Exchange, node: ConfigNode, strategy: LoadBalance): Promise<Answer> {
    const refused = new Set<ConfigNode>()
    for (;;) {
      const { target, load } = chooseTarget(exchange, node, strategy, refused)
      const answer = await (load === null
        ? run(exchange, target)
        : measured(load, () => run(exchange, target)))
      if (!isRefusal(answer) || exchange.leaving.aborted) return answer
      refused.add(target)
      if (node.targets.every((other) => refused.has(other) || other.weight <= 0)) return answer
    }
  }

  async function pick(exchange: Exchange, node: ConfigNode, strategy: Strategy): Promise<Answer> {
    switch (strategy.mode) {
      case 'single':
        return run(exchange, required(node.targets[0] ?? null, 'target'))
      case 'loadbalance':
        return loadbalance(exchange, node, strategy)
      case 'fallback':
        return fallback(exchange, node.targets, strategy.onStatusCodes)
      case 'conditional':
        return run(exchange, chooseByCondition(exchange, strategy, exchange.body))
    }
  }

  return async function strategy(exchange) {
    const node = required(exchange.node, 'config node')
    if (node.strategy === null) {
      const fault = new GatewayError('no_condition_matched', 'The strategy of this config has no target.', {
        param: `${node.param}/strategy`,
      })
      exchange.answer = faultAnswer(fault, { index: node.path })
      return
    }
    exchange.answer = await pick(exchange, node, node.strategy)
  }
}

interface Chosen {
  target: ConfigNode
  /** Null where nothing asks how busy a target is. */
  load: TargetLoad | null
}

/** A target of the node for this request. One whose breaker is open is left out while another one can answer. */
function chooseTarget(
  exchange: Exchange,
  node: ConfigNode,
  strategy: LoadBalance,
  refused: ReadonlySet<ConfigNode>,
): Chosen {
  const admitted = refused.size === 0 ? node.targets : node.targets.filter((target) => !refused.has(target))
  const closed = admitted.filter((target) => !isOpen(exchange, target, exchange.body))
  const usable = closed.some(({ weight }) => weight > 0) ? closed : admitted
  if (strategy.balance === 'weight' && strategy.sticky === null) {
    return { target: required(pickWeighted(usable, Math.random()) ?? null, 'target'), load: null }
  }
  const all = candidatesOf(exchange, node)
  const available = all.filter((candidate) => usable.includes(candidate.node))
  const chosen = required(pickTarget(exchange, strategy, { all, available }), 'target')
  return { target: chosen.node, load: exchange.runtime.balancer.loadOf(chosen.key) }
}

/** Runs a call and counts it as pending until its answer has ended. */
async function measured(load: TargetLoad, call: () => Promise<Answer>): Promise<Answer> {
  const startedAt = performance.now()
  load.pending += 1
  let isPending = true
  const end = () => {
    if (isPending) load.pending -= 1
    isPending = false
  }
  try {
    const answer = await call()
    if (answer.status < 500 && answer.fault === null) recordFirstByte(load, performance.now() - startedAt)
    if (answer.stream === null) {
      end()
      return answer
    }
    return { ...answer, stream: tapStream(answer.stream, { closed: end }) }
  } catch (error) {
    end()
    throw error
  }
}

/** What the gateway says of a target in its place: it has nothing to do with how the target is. */
const refusals: ReadonlySet<string> = new Set([
  'usage_limit_exceeded',
  'rate_limit_exceeded',
  'model_not_allowed',
  'forbidden',
  'unsupported_endpoint',
  'unknown_virtual_key',
  'host_not_allowed',
])

const isRefusal = ({ fault }: Answer) => fault !== null && refusals.has(fault.code)

/** Whether a fallback goes on after this answer. */
function movesOn(answer: Answer, codes: readonly number[] | null): boolean {
  // The gateway itself has no room: another target would only need more of it.
  if (answer.fault?.code === 'overloaded') return false
  if (answer.isUnanswered) return true
  if (codes !== null) return codes.includes(statusOf(answer))
  return answer.status < 200 || answer.status > 299
}

/** Whether no leaf that this node could choose now can be called, as far as the breakers know. */
function isOpen(exchange: Exchange, node: ConfigNode, inherited: JsonObject): boolean {
  const body = node.overrideParams === null ? inherited : overrideBody(inherited, node.overrideParams)
  if (node.strategy !== null) {
    return choicesOf(exchange, node, node.strategy, body).every((target) => isOpen(exchange, target, body))
  }
  if (node.breaker === null) return false
  try {
    const target = findTarget(exchange, node, splitModel(body.model))
    return breakerOf(exchange, node, target, body.model)?.isOpen() ?? false
  } catch (error) {
    // A target that cannot be found says so itself when it is its turn.
    if (!isGatewayError(error)) throw error
    return false
  }
}

/** The targets that a strategy could choose for this request. */
function choicesOf(
  exchange: Exchange,
  node: ConfigNode,
  strategy: Strategy,
  body: JsonObject,
): readonly ConfigNode[] {
  switch (strategy.mode) {
    case 'single':
      return node.targets.slice(0, 1)
    case 'loadbalance':
      return node.targets.filter(({ weight }) => weight > 0)
    case 'fallback':
      return node.targets
    case 'conditional':
      return [chooseByCondition(exchange, strategy, body)]
  }
}
