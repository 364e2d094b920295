/**
 * Selects the target of a `loadbalance` node for a request, and checks which targets can be called at all, according to
 * their circuit breakers and the limits of their providers.
 */

import { overrideBody } from '@gateway/config'
import { isGatewayError, type JsonObject } from '@gateway/contract'
import {
  type ConfigNode,
  type LoadBalance,
  type RoomPorts,
  type Routed,
  type RoutingPorts,
  required,
  type TargetLoad,
} from '@gateway/flow'
import { breakerOf } from './breaker-key.ts'
import { fullUntil } from './capacity/room.ts'
import { choicesOf } from './choices.ts'
import { findTarget, splitModel } from './find-target.ts'
import { candidatesOf, pickTarget, previewShares } from './pick-target.ts'
import { type SessionKey, sessionKeyOf } from './session-key.ts'
import { pickWeighted } from './weighted.ts'

export interface Chosen {
  target: ConfigNode
  /** The sticky key that selected the target; null at other nodes. */
  session: SessionKey | null
  /** The load of the targets; null if it is irrelevant. */
  load: TargetLoad | null
}

interface BalancedNode {
  node: ConfigNode
  strategy: LoadBalance
  refused: ReadonlySet<ConfigNode>
}

/** A target of the node for this request. Targets with an open breaker or without room are skipped while another can answer. */
export function chooseTarget(
  ports: RoutingPorts,
  exchange: Routed,
  { node, strategy, refused }: BalancedNode,
): Chosen {
  const admitted = refused.size === 0 ? node.targets : node.targets.filter((target) => !refused.has(target))
  const closed = closedOf(ports, exchange, admitted)
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
  const chosen = required(pickTarget(ports, strategy, { all, available, session }), 'target')
  return { target: chosen.node, session, load: ports.balancer.loadOf(chosen.key) }
}

const closedOf = (ports: RoomPorts, exchange: Routed, targets: readonly ConfigNode[]): ConfigNode[] =>
  targets.filter((target) => !isBlocked(ports, exchange, { node: target, inherited: exchange.input.body }))

/**
 * The probability of each target of the node; 0 for all when none can be called.
 * @param refused targets that are left out for this request
 */
export function chancesOf(
  ports: RoutingPorts,
  exchange: Routed,
  { node, strategy, refused }: BalancedNode,
): ReadonlyMap<ConfigNode, number> {
  const closed = closedOf(
    ports,
    exchange,
    node.targets.filter((target) => !refused.has(target)),
  )
  const all = candidatesOf(exchange, node)
  const available = all.filter((candidate) => closed.includes(candidate.node))
  const shares = previewShares(ports, exchange, { strategy, all, available })
  const highest = Math.max(0, ...shares.map(({ weight }) => weight))
  if (highest === 0) return new Map()
  // Scaled first: the sum of very large weights may exceed the largest number.
  const sum = shares.reduce((total, { weight }) => total + Math.max(0, weight) / highest, 0)
  return new Map(shares.map(({ candidate, weight }) => [candidate.node, Math.max(0, weight) / highest / sum]))
}

interface OtherTargetOptions {
  node: ConfigNode
  strategy: LoadBalance
  left: ReadonlySet<ConfigNode>
}

/** Another target for a hedge; null when none can be called. */
export function otherTarget(
  ports: RoutingPorts,
  exchange: Routed,
  { node, strategy, left }: OtherTargetOptions,
): ConfigNode | null {
  const isUsable = node.targets.some(
    (target) =>
      !left.has(target) &&
      target.weight > 0 &&
      !isBlocked(ports, exchange, { node: target, inherited: exchange.input.body }),
  )
  return isUsable ? chooseTarget(ports, exchange, { node, strategy, refused: left }).target : null
}

/**
 * The reason why a target is left out for a request, with the time when a full target has room again, in milliseconds
 * since the epoch.
 */
export type Block = { because: 'breaker_open' } | { because: 'full'; until: number }

interface IsBlockedOptions {
  node: ConfigNode
  inherited: JsonObject
}

/** Whether no leaf that this node could choose can be called now. */
export const isBlocked = (
  ports: RoomPorts,
  exchange: Routed,
  { node, inherited }: IsBlockedOptions,
): boolean => blockOf(ports, exchange, { node, inherited }) !== null

/**
 * The reason why no leaf that this node could choose can be called now: its circuit is open, or its provider has no
 * room for the request. Null if a leaf can be called.
 */
export function blockOf(
  ports: RoomPorts,
  exchange: Routed,
  { node, inherited }: { node: ConfigNode; inherited: JsonObject },
): Block | null {
  const { isKnown } = ports.capacity
  if (node.strategy === null && node.breaker === null && !isKnown) return null
  const body = node.overrideParams === null ? inherited : overrideBody(inherited, node.overrideParams)
  if (node.strategy !== null)
    return blockOfAll(ports, exchange, {
      targets: choicesOf(exchange, node, { strategy: node.strategy, body }),
      body,
    })
  try {
    const target = findTarget(exchange, node, splitModel(body.model))
    if (breakerOf(ports, node, { target, model: body.model })?.isOpen() === true)
      return { because: 'breaker_open' }
    const until = isKnown ? fullUntil(ports, exchange, { target, body }) : null
    return until === null ? null : { because: 'full', until }
  } catch (error) {
    // A target that cannot be found reports its error when it is called.
    if (!isGatewayError(error)) throw error
    return null
  }
}

/** Returns the block of the target that will have room first. */
function blockOfAll(
  ports: RoomPorts,
  exchange: Routed,
  { targets, body }: { targets: readonly ConfigNode[]; body: JsonObject },
): Block | null {
  let block: Block | null = { because: 'breaker_open' }
  for (const target of targets) {
    const own = blockOf(ports, exchange, { node: target, inherited: body })
    if (own === null) return null
    if (own.because === 'full' && (block.because !== 'full' || own.until < block.until)) block = own
  }
  return block
}
