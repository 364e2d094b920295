/** The targets that a strategy could choose for a request. */
import type { JsonObject } from '@gateway/contract'
import type { ConfigNode, Scrubbed, Strategy } from '@gateway/flow'
import { chooseByCondition } from './condition.ts'

export function choicesOf(
  exchange: Scrubbed,
  node: ConfigNode,
  { strategy, body }: { strategy: Strategy; body: JsonObject },
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
