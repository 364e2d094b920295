/** Which target the conditions of a config choose for a request. */
import type { ConfigNode, Strategy } from '../config/node.ts'
import type { JsonObject } from '../contract/index.ts'
import { type Exchange, required } from '../exchange.ts'
import { overrideBody } from '../stages/override.ts'

type Conditional = Strategy & { mode: 'conditional' }

/** The target of the first condition that holds, else the default one. */
export function chooseByCondition(exchange: Exchange, strategy: Conditional, body: JsonObject): ConfigNode {
  const subject = {
    metadata: required(exchange.options, 'options').metadata,
    params: body,
    headers: exchange.headers,
    url: { pathname: exchange.transport.path },
  }
  return strategy.conditions.find(({ query }) => query(subject))?.target ?? strategy.otherwise
}

/** The paths of all targets that conditions in and below a node choose: headers and metadata decide answers by them. */
export function chosenPaths(exchange: Exchange, node: ConfigNode, body: JsonObject): string[] {
  const { strategy, targets } = node
  const chosen = strategy?.mode === 'conditional' ? [chooseByCondition(exchange, strategy, body)] : null
  const below = (chosen ?? targets).flatMap((target) =>
    chosenPaths(exchange, target, overrideBody(body, target.overrideParams ?? {})),
  )
  return [...(chosen ?? []).map(({ path }) => path), ...below]
}
