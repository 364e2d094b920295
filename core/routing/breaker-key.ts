/**
 * The key of a target and its model, by provider, credential and host, including those of inline configs: of its circuit
 * breaker, and of its provider's limits.
 */

import type { Json } from '@gateway/contract'
import type { CircuitBreaker, ConfigNode, Ports, ResolvedTarget } from '@gateway/flow'
import { splitModel } from './find-target.ts'

/** The breaker of a leaf; null for a leaf without `cb_config`. */
export function breakerOf(
  ports: Ports<'breakers'>,
  node: ConfigNode,
  { target, model }: { target: ResolvedTarget; model: Json | undefined },
): CircuitBreaker | null {
  if (node.breaker === null) return null
  return ports.breakers.get(targetKey(target, model), node.breaker)
}

/** Identifies a target and its model in every process; its credential is a hash. */
export const targetKey = (target: ResolvedTarget, model: Json | undefined): string =>
  `${target.identity}|${splitModel(model)?.name ?? String(model ?? '')}`
