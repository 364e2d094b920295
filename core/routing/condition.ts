/** The target that a config's conditions choose for a request. */

import { overrideBody } from '@gateway/config'
import type { JsonObject } from '@gateway/contract'
import type { ConfigNode, Scrubbed, Strategy } from '@gateway/flow'

type Conditional = Strategy & { mode: 'conditional' }

/** The target of the first matching condition, otherwise the default target. */
export const chooseByCondition = (exchange: Scrubbed, strategy: Conditional, body: JsonObject): ConfigNode =>
  matchCondition(exchange, strategy, body).target

/** The same with the condition's index, because several conditions can have the same target; null for the default. */
export function matchCondition(
  exchange: Scrubbed,
  { conditions, otherwise }: Conditional,
  body: JsonObject,
): { index: number | null; target: ConfigNode } {
  const subject = {
    metadata: exchange.options.metadata,
    params: body,
    headers: exchange.headers,
    url: { pathname: exchange.transport.path },
  }
  const index = conditions.findIndex(({ query }) => query(subject))
  return { index: index === -1 ? null : index, target: conditions[index]?.target ?? otherwise }
}

const none: readonly string[] = []

/**
 * The effect of headers and metadata on the conditions in and below a node: the paths of the selected targets. Below a
 * node whose hooks may change the body these are unknown, so the values that the conditions read are used instead.
 */
export function chosenPaths(
  exchange: Scrubbed,
  node: ConfigNode,
  { body, isSure = true }: { body: JsonObject; isSure?: boolean },
): readonly string[] {
  const { strategy, targets } = node
  if (targets.length === 0) return none
  const isConditional = strategy?.mode === 'conditional'
  const chosen = isConditional && isSure ? chooseByCondition(exchange, strategy, body) : null
  const own = isConditional && !isSure ? strategy.reads.map((name) => givenValue(exchange, name)) : []
  const below = (chosen === null ? targets : [chosen]).flatMap((target) => {
    const overridden = overrideBody(body, target.overrideParams ?? {})
    return chosenPaths(exchange, target, { body: overridden, isSure: isSure && target.before.length === 0 })
  })
  return [...(chosen === null ? own : [chosen.path]), ...below]
}

function givenValue(exchange: Scrubbed, name: string): string {
  const [, root, key = ''] = /^(headers|metadata)\.(.*)$/s.exec(name) ?? []
  const { metadata } = exchange.options
  const source = root === 'headers' ? exchange.headers : metadata
  const member = root === 'headers' ? key.toLowerCase() : key
  return JSON.stringify([name, Object.hasOwn(source, member) ? source[member] : null])
}
