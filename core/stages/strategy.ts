/**
 * At an inner node: picks targets and runs the node list for them (single, loadbalance, fallback, conditional).
 * A leaf falls through. A target whose breaker is open is left out while another one can answer.
 */
import { type Answer, faultAnswer, statusOf } from '../answer.ts'
import type { ConfigNode, Strategy } from '../config/node.ts'
import { GatewayError, isGatewayError, type Json } from '../contract/index.ts'
import { type Exchange, required } from '../exchange.ts'
import { breakerOf } from '../routing/breaker-key.ts'
import { splitModel } from '../routing/model.ts'
import { pickWeighted } from '../routing/weighted.ts'
import type { Run, Stage } from '../stage.ts'
import { findTarget } from './target.ts'

export function createStrategy(runNode: Run): Stage {
  /** Runs the node list for a target; its answer, and what led to it. */
  async function run(exchange: Exchange, target: ConfigNode): Promise<Answer> {
    const child = exchange.fork(target)
    await runNode(child)
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
      if (exchange.signal.aborted || !movesOn(answer, target.onStatusCodes ?? codes)) return answer
    }
    return required(last, 'answer')
  }

  async function pick(exchange: Exchange, node: ConfigNode, strategy: Strategy): Promise<Answer> {
    switch (strategy.mode) {
      case 'single':
        return run(exchange, required(node.targets[0] ?? null, 'target'))
      case 'loadbalance': {
        const closed = node.targets.filter((target) => !isOpen(exchange, target, exchange.body.model))
        const candidates = closed.some(({ weight }) => weight > 0) ? closed : node.targets
        return run(exchange, required(pickWeighted(candidates, Math.random()) ?? null, 'target'))
      }
      case 'fallback':
        return fallback(exchange, node.targets, strategy.onStatusCodes)
      case 'conditional':
        return run(exchange, chooseByCondition(exchange, strategy))
    }
  }

  async function choose(exchange: Exchange, node: ConfigNode): Promise<void> {
    if (node.strategy === null) {
      const fault = new GatewayError('no_condition_matched', 'The strategy of this config has no target.', {
        param: `${node.param}/strategy`,
      })
      exchange.answer = faultAnswer(fault, { index: node.path })
      return
    }
    exchange.answer = await pick(exchange, node, node.strategy)
  }

  return function strategy(exchange, next) {
    const node = required(exchange.node, 'config node')
    return node.targets.length === 0 ? next() : choose(exchange, node)
  }
}

/** Whether a fallback goes on after this answer. */
function movesOn(answer: Answer, codes: readonly number[] | null): boolean {
  if (answer.isUnanswered) return true
  if (codes !== null) return codes.includes(statusOf(answer))
  return answer.status < 200 || answer.status > 299
}

function chooseByCondition(exchange: Exchange, strategy: Strategy & { mode: 'conditional' }): ConfigNode {
  const subject = {
    metadata: required(exchange.options, 'options').metadata,
    params: exchange.body,
    headers: exchange.headers,
    url: { pathname: exchange.transport.path },
  }
  return strategy.conditions.find(({ query }) => query(subject))?.target ?? strategy.otherwise
}

/** Whether no leaf below can be called now, as far as the breakers know. */
function isOpen(exchange: Exchange, node: ConfigNode, model: Json | undefined): boolean {
  const own = node.overrideParams?.model ?? model
  if (node.targets.length > 0) return node.targets.every((target) => isOpen(exchange, target, own))
  if (node.breaker === null) return false
  try {
    return breakerOf(exchange, node, findTarget(exchange, node, splitModel(own)), own)?.isOpen() ?? false
  } catch (error) {
    // A target that cannot be found says so itself when it is its turn.
    if (!isGatewayError(error)) throw error
    return false
  }
}
