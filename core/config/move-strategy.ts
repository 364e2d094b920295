/** Moves a strategy to replaced targets. */
import type { ConfigNode, Strategy } from '@gateway/flow'

/** Conditions refer to targets by identity. */
export function moveStrategy(
  strategy: Strategy,
  old: readonly ConfigNode[],
  moved: readonly ConfigNode[],
): Strategy {
  if (strategy.mode !== 'conditional') return strategy
  const find = (target: ConfigNode) => moved[old.indexOf(target)] ?? target
  return {
    ...strategy,
    conditions: strategy.conditions.map((condition) => ({ ...condition, target: find(condition.target) })),
    otherwise: find(strategy.otherwise),
  }
}
