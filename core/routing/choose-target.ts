/**
 * Selects the target of a `loadbalance` node for a request, and checks which targets can be called at all, according to
 * their circuit breakers.
 */
import { isGatewayError, type JsonObject } from '@gateway/contract'
import { overrideBody } from '../config/override-body.ts'
import type { TargetLoad } from '../flow/balancer.ts'
import type { ConfigNode, LoadBalance, Strategy } from '../flow/config-node.ts'
import { type Exchange, required } from '../flow/exchange.ts'
import { breakerOf } from './breaker-key.ts'
import { chooseByCondition } from './condition.ts'
import { findTarget, splitModel } from './find-target.ts'
import { candidatesOf, pickTarget, previewShares } from './pick-target.ts'
import { type SessionKey, sessionKeyOf } from './session-key.ts'
import { pickWeighted } from './weighted.ts'

export interface Chosen {
  target: ConfigNode
  /** What it was chosen by, at a sticky node; otherwise null. */
  session: SessionKey | null
  /** Null when the load of the targets is irrelevant. */
  load: TargetLoad | null
}

/** A target of the node for this request. Targets with an open breaker are skipped while another can answer. */
export function chooseTarget(
  exchange: Exchange,
  node: ConfigNode,
  strategy: LoadBalance,
  refused: ReadonlySet<ConfigNode>,
): Chosen {
  const admitted = refused.size === 0 ? node.targets : node.targets.filter((target) => !refused.has(target))
  const closed = closedOf(exchange, admitted)
  const usable = closed.some(({ weight }) => weight > 0) ? closed : admitted
  if (strategy.balance === 'weight' && strategy.sticky === null) {
    return {
      target: required(pickWeighted(usable, Math.random()) ?? null, 'target'),
      session: null,
      load: null,
    }
  }
  const all = candidatesOf(exchange, node)
  const available = all.filter((candidate) => usable.includes(candidate.node))
  const session = strategy.sticky === null ? null : sessionKeyOf(exchange, strategy.sticky.by)
  const chosen = required(pickTarget(exchange, strategy, { all, available, session }), 'target')
  return { target: chosen.node, session, load: exchange.runtime.balancer.loadOf(chosen.key) }
}

const closedOf = (exchange: Exchange, targets: readonly ConfigNode[]): ConfigNode[] =>
  targets.filter((target) => !isOpen(exchange, target, exchange.body))

/**
 * The probability of each target of the node; 0 for all when every breaker is open.
 * @param refused targets that are left out for this request
 */
export function chancesOf(
  exchange: Exchange,
  node: ConfigNode,
  strategy: LoadBalance,
  refused: ReadonlySet<ConfigNode>,
): ReadonlyMap<ConfigNode, number> {
  const closed = closedOf(
    exchange,
    node.targets.filter((target) => !refused.has(target)),
  )
  const all = candidatesOf(exchange, node)
  const available = all.filter((candidate) => closed.includes(candidate.node))
  const shares = previewShares(exchange, strategy, { all, available })
  const highest = Math.max(0, ...shares.map(({ weight }) => weight))
  if (highest === 0) return new Map()
  // Scaled first: the sum of very large weights may exceed the largest number.
  const sum = shares.reduce((total, { weight }) => total + Math.max(0, weight) / highest, 0)
  return new Map(shares.map(({ candidate, weight }) => [candidate.node, Math.max(0, weight) / highest / sum]))
}

/** Another target for a hedge; null when none can be called. */
export function otherTarget(
  exchange: Exchange,
  node: ConfigNode,
  strategy: LoadBalance,
  left: ReadonlySet<ConfigNode>,
): ConfigNode | null {
  const isUsable = node.targets.some(
    (target) => !left.has(target) && target.weight > 0 && !isOpen(exchange, target, exchange.body),
  )
  return isUsable ? chooseTarget(exchange, node, strategy, left).target : null
}

/** Whether the breakers prevent calls to every leaf that this node could choose now. */
export function isOpen(exchange: Exchange, node: ConfigNode, inherited: JsonObject): boolean {
  if (node.strategy === null && node.breaker === null) return false
  const body = node.overrideParams === null ? inherited : overrideBody(inherited, node.overrideParams)
  if (node.strategy !== null) {
    return choicesOf(exchange, node, node.strategy, body).every((target) => isOpen(exchange, target, body))
  }
  try {
    const target = findTarget(exchange, node, splitModel(body.model))
    return breakerOf(exchange, node, target, body.model)?.isOpen() ?? false
  } catch (error) {
    // A target that cannot be found reports its error when it is called.
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
