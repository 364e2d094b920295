/** The leaves of a config in tree order: how likely each is called, and with which body. */
import { type GatewayError, isGatewayError } from '@gateway/contract'
import { overrideBody } from '../../config/override-body.ts'
import { runPrompt } from '../../endpoints/body/run-prompt.ts'
import type { ConfigNode, Strategy } from '../../flow/config-node.ts'
import { type Exchange, required } from '../../flow/exchange.ts'
import { chancesOf, isOpen } from '../../routing/choose-target.ts'
import { chooseByCondition } from '../../routing/condition.ts'

export interface PlannedLeaf {
  /** A fork with the leaf as its node and the body as the leaf gets it. */
  exchange: Exchange
  node: ConfigNode
  probability: number
  /** Position within the nearest fallback, from 0; null without an enclosing fallback. */
  order: number | null
  /**
   * Index of the nearest conditional's condition that leads here, null for its default; undefined without an
   * enclosing conditional.
   */
  condition: number | null | undefined
  /** The faults of the leaf's prompt. */
  fault: GatewayError | null
}

type Place = Pick<PlannedLeaf, 'probability' | 'order' | 'condition'>

/** @param visit called for every node, before its leaves */
export async function planLeaves(
  exchange: Exchange,
  visit: (exchange: Exchange, place: Place) => void,
  place: Place = { probability: 1, order: null, condition: undefined },
): Promise<PlannedLeaf[]> {
  const node = required(exchange.node, 'config node')
  const fault = await prepare(exchange, node)
  visit(exchange, place)
  if (node.targets.length === 0) {
    // A leaf with an open breaker is not called.
    const probability = isOpen(exchange, node, exchange.body) ? 0 : place.probability
    return [{ ...place, probability, exchange, node, fault }]
  }
  const leaves: PlannedLeaf[] = []
  for (const branch of branchesOf(exchange, node, place)) {
    const child = exchange.fork(branch.target)
    leaves.push(...(await planLeaves(child, visit, branch.place)))
  }
  return leaves
}

/** The body as the node gets it. */
async function prepare(
  exchange: Exchange,
  { prompt, overrideParams }: ConfigNode,
): Promise<GatewayError | null> {
  let fault: GatewayError | null = null
  if (prompt !== null) {
    try {
      if (prompt.reference !== null) await runPrompt(exchange, prompt.reference, prompt.overridesAbove)
      else fault = exchange.bodyFault
    } catch (error) {
      if (!isGatewayError(error)) throw error
      fault = error
    }
  }
  if (overrideParams !== null) exchange.body = overrideBody(exchange.body, overrideParams)
  return fault
}

interface Branch {
  target: ConfigNode
  place: Place
}

function branchesOf(exchange: Exchange, { strategy, targets }: ConfigNode, place: Place): Branch[] {
  const chances = strategy === null ? new Map<ConfigNode, number>() : chancesAt(exchange, strategy)
  const isFallback = strategy?.mode === 'fallback'
  return targets.map((target, index) => ({
    target,
    place: {
      probability: place.probability * (chances.get(target) ?? 0),
      order: isFallback ? index : place.order,
      condition: strategy?.mode === 'conditional' ? conditionOf(strategy, target) : place.condition,
    },
  }))
}

function chancesAt(exchange: Exchange, strategy: Strategy): ReadonlyMap<ConfigNode, number> {
  const node = required(exchange.node, 'config node')
  switch (strategy.mode) {
    case 'single':
      return certain(node.targets[0])
    case 'loadbalance':
      return chancesOf(exchange, node, strategy)
    case 'fallback':
      return certain(node.targets.find((target) => !isOpen(exchange, target, exchange.body)))
    case 'conditional':
      return certain(chooseByCondition(exchange, strategy, exchange.body))
  }
}

const certain = (target: ConfigNode | undefined): ReadonlyMap<ConfigNode, number> =>
  new Map(target === undefined ? [] : [[target, 1]])

/** The first condition that names the target; null for the default. */
function conditionOf({ conditions }: Strategy & { mode: 'conditional' }, target: ConfigNode): number | null {
  const index = conditions.findIndex((condition) => condition.target === target)
  return index === -1 ? null : index
}
