/**
 * At an inner node: picks targets and runs the node list for them (single, loadbalance, fallback, conditional).
 * It ends the list of its node. A target whose breaker is open is left out while another one can answer.
 */

import { GatewayError, isGatewayError, type JsonObject } from '@gateway/contract'
import { overrideBody } from '../config/override-body.ts'
import { type Answer, faultAnswer, statusOf } from '../flow/answer.ts'
import type { ConfigNode, Strategy } from '../flow/config-node.ts'
import { type Exchange, required } from '../flow/exchange.ts'
import type { Run, Stage } from '../flow/stage.ts'
import { breakerOf } from '../routing/breaker-key.ts'
import { chooseByCondition } from '../routing/condition.ts'
import { findTarget } from '../routing/find-target.ts'
import { splitModel } from '../routing/model.ts'
import { pickWeighted } from '../routing/weighted.ts'

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

  async function pick(exchange: Exchange, node: ConfigNode, strategy: Strategy): Promise<Answer> {
    switch (strategy.mode) {
      case 'single':
        return run(exchange, required(node.targets[0] ?? null, 'target'))
      case 'loadbalance': {
        const closed = node.targets.filter((target) => !isOpen(exchange, target, exchange.body))
        const candidates = closed.some(({ weight }) => weight > 0) ? closed : node.targets
        return run(exchange, required(pickWeighted(candidates, Math.random()) ?? null, 'target'))
      }
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
    return candidatesOf(exchange, node, node.strategy, body).every((target) => isOpen(exchange, target, body))
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
function candidatesOf(
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
