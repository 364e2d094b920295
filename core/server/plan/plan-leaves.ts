/** The leaves of a config in tree order: how likely each is called, and with which body. */

import { nearestParams, overrideBody } from '@gateway/config'
import { type GatewayError, isGatewayError } from '@gateway/contract'
import {
  type Answer,
  type ConfigNode,
  changeInput,
  type Ports,
  type Resolved,
  type RoomPorts,
  type Routed,
  type RoutingPorts,
  type Strategy,
} from '@gateway/flow'
import { chancesOf, decidingRefusal, isBlocked, isRefusal, matchCondition, movesOn } from '@gateway/routing'
import { runPrompt } from '../../endpoints/index.ts'
import { type InspectedTarget, inspectTarget } from './inspect-target.ts'

export interface PlannedLeaf {
  /** A fork whose node is the leaf and whose body is the leaf's. */
  exchange: Resolved
  node: ConfigNode
  probability: number
  /** Whether the config sends calls here when circuits are closed and providers have capacity. */
  isReachable: boolean
  /** Whether a call may select it now, even if the call would be refused. */
  isTried: boolean
  /** Position within the nearest fallback, from 0; null without an enclosing fallback. */
  order: number | null
  /**
   * Index of the nearest conditional's condition that leads here, null for its default; undefined without an
   * enclosing conditional.
   */
  condition: number | null | undefined
  /** The errors of the leaf's prompt. */
  fault: GatewayError | null
  inspected: InspectedTarget
}

type Place = Pick<PlannedLeaf, 'probability' | 'isReachable' | 'order' | 'condition'>

/** A node of the tree, with everything that determines whether its targets can be called. */
interface Plan {
  exchange: Resolved
  node: ConfigNode
  below: readonly Plan[]
  /** Null for an inner node. */
  leaf: Pick<PlannedLeaf, 'fault' | 'inspected'> | null
  /** Whether circuits, or limits of providers, prevent all calls. */
  isOpen: boolean
  /** The answer of a node that calls no target; null if it would call one. */
  refusal: Answer | null
}

interface PlanLeavesOptions {
  nowMs: number
  visit: (exchange: Resolved, place: Place) => void
}

/** @param visit called for every node, before its leaves */
export async function planLeaves(
  ports: RoutingPorts & Ports<'services'>,
  exchange: Resolved,
  { nowMs, visit }: PlanLeavesOptions,
): Promise<PlannedLeaf[]> {
  const root = await planTree(ports, exchange, nowMs)
  return leavesOf(ports, root, {
    place: { probability: 1, isReachable: true, order: null, condition: undefined },
    visit,
  })
}

async function planTree(
  ports: RoomPorts & Ports<'services'>,
  exchange: Resolved,
  nowMs: number,
): Promise<Plan> {
  const node = exchange.node
  const fault = await prepare(ports, exchange, node)
  const isShut = isBlocked(ports, exchange, { node, inherited: exchange.input.body })
  if (node.targets.length === 0) {
    const inspected = await inspectTarget(ports, exchange, nowMs)
    const leaf = { fault, inspected }
    return { exchange, node, below: [], leaf, isOpen: isShut, refusal: inspected.answer }
  }
  const below: Plan[] = []
  for (const target of node.targets) below.push(await planTree(ports, exchange.fork(target), nowMs))
  return { exchange, node, below, leaf: null, isOpen: isShut, refusal: refusalOf(exchange, node, below) }
}

/** The answer of an inner node if none of its targets would be called; null if one would be. */
function refusalOf(exchange: Routed, { strategy }: ConfigNode, below: readonly Plan[]): Answer | null {
  switch (strategy?.mode) {
    case 'single':
      return below[0]?.refusal ?? null
    case 'conditional': {
      const { target } = matchCondition(exchange, strategy, exchange.input.body)
      return below.find(({ node }) => node === target)?.refusal ?? null
    }
    case 'loadbalance': {
      const weighted = below.filter(({ node }) => node.weight > 0)
      const left = weighted.filter((plan) => !isLeftOut(plan))
      if (left.some(({ refusal }) => refusal === null)) return null
      if (left[0] !== undefined) return left[0].refusal
      return decidingRefusal(weighted.flatMap(({ refusal }) => refusal ?? [])) ?? null
    }
    case 'fallback':
      return reachedIn(below, strategy.onStatusCodes)?.refusal ?? null
    default:
      return null
  }
}

const isLeftOut = ({ refusal }: Plan) => refusal !== null && isRefusal(refusal)

/** The target at which a fallback ends if every called target succeeds; the last target if none is called. */
function reachedIn(below: readonly Plan[], codes: readonly number[] | null): Plan | undefined {
  const closed = below.filter((plan) => !plan.isOpen)
  const ends = ({ refusal, node }: Plan) => refusal === null || !movesOn(refusal, node.onStatusCodes ?? codes)
  return closed.find(ends) ?? closed.at(-1)
}

interface LeavesOptions {
  place: Place
  visit: (exchange: Resolved, place: Place) => void
}

function leavesOf(ports: RoutingPorts, plan: Plan, { place, visit }: LeavesOptions): PlannedLeaf[] {
  const { exchange, node, below, leaf } = plan
  visit(exchange, place)
  if (leaf !== null) {
    // A leaf that is refused, has an open breaker or has no capacity is not called.
    const probability = plan.isOpen || isLeftOut(plan) ? 0 : place.probability
    return [{ ...place, ...leaf, probability, isTried: place.isReachable && !plan.isOpen, exchange, node }]
  }
  const places = placesBelow(ports, plan, place)
  return below.flatMap((child, index) => leavesOf(ports, child, { place: places[index] ?? place, visit }))
}

/** Returns the body as the node receives it. */
async function prepare(
  ports: Ports<'services'>,
  exchange: Resolved,
  { prompt, overrideParams }: ConfigNode,
): Promise<GatewayError | null> {
  let fault: GatewayError | null = null
  if (prompt !== null) {
    try {
      if (prompt.reference !== null)
        await runPrompt(ports, exchange, {
          reference: prompt.reference,
          overridesAbove: prompt.overridesAbove,
        })
      else fault = exchange.input.bodyFault
    } catch (error) {
      if (!isGatewayError(error)) throw error
      fault = error
    }
  }
  if (overrideParams !== null) {
    const { body, overridden } = exchange.input
    changeInput(exchange, {
      body: overrideBody(body, overrideParams),
      overridden: nearestParams(overridden, overrideParams),
    })
  }
  return fault
}

function placesBelow(ports: RoutingPorts, { exchange, node, below }: Plan, place: Place): Place[] {
  const { strategy } = node
  const chances =
    strategy === null ? new Map<ConfigNode, number>() : chancesAt(ports, exchange, { strategy, below })
  const isFallback = strategy?.mode === 'fallback'
  const isReachable = ({ node: target }: Plan) =>
    isFallback || (strategy?.mode === 'loadbalance' ? target.weight > 0 : chances.has(target))
  return below.map((child, index) => ({
    probability: place.probability * (chances.get(child.node) ?? 0),
    isReachable: place.isReachable && isReachable(child),
    order: isFallback ? index : place.order,
    condition:
      strategy?.mode === 'conditional' ? conditionOf(exchange, strategy, child.node) : place.condition,
  }))
}

function chancesAt(
  ports: RoutingPorts,
  exchange: Resolved,
  { strategy, below }: { strategy: Strategy; below: readonly Plan[] },
): ReadonlyMap<ConfigNode, number> {
  switch (strategy.mode) {
    case 'single':
      return certain(below[0]?.node)
    case 'loadbalance': {
      const refused = new Set(below.filter(isLeftOut).map(({ node }) => node))
      return chancesOf(ports, exchange, { node: exchange.node, strategy, refused })
    }
    case 'fallback':
      return certain(reachedIn(below, strategy.onStatusCodes)?.node)
    case 'conditional':
      return certain(matchCondition(exchange, strategy, exchange.input.body).target)
  }
}

const certain = (target: ConfigNode | undefined): ReadonlyMap<ConfigNode, number> =>
  new Map(target === undefined ? [] : [[target, 1]])

/** The condition that selects the target for this request, or the first one that names it; null for the default. */
function conditionOf(
  exchange: Routed,
  strategy: Strategy & { mode: 'conditional' },
  target: ConfigNode,
): number | null {
  const matched = matchCondition(exchange, strategy, exchange.input.body)
  if (matched.target === target) return matched.index
  const index = strategy.conditions.findIndex((condition) => condition.target === target)
  return index === -1 ? null : index
}
