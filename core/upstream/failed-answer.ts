/** The answer of a target whose call failed. */
import { isGatewayError, isUpstreamFault } from '@gateway/contract'
import { type Answer, faultAnswer } from '../flow/answer.ts'
import type { ConfigNode, ResolvedTarget } from '../flow/config-node.ts'
import { type Exchange, required } from '../flow/exchange.ts'
import { upstreamErrorAnswer } from './error-answer.ts'
import { passHeaders } from './headers.ts'

/** The answer of a target that failed; rethrows what is a fault of ours. */
export function failedAnswer(exchange: Exchange, error: unknown): Answer {
  const target = required(exchange.target, 'target')
  return {
    ...answerOfFault(error, target, exchange.settings.headerPrefixes),
    ...originOf(exchange, required(exchange.node, 'config node'), target),
  }
}

/** Which target an answer comes from. */
export const originOf = (exchange: Exchange, node: ConfigNode, target: ResolvedTarget) => ({
  provider: target.adapter.name,
  virtualKey: target.slug,
  target,
  index: node.path,
  beforeResults: exchange.beforeResults,
})

function answerOfFault(error: unknown, target: ResolvedTarget, prefixes: readonly string[]): Answer {
  if (isUpstreamFault(error)) {
    const { upstream, headers } = error
    return upstreamErrorAnswer(upstream, target, passHeaders(headers, prefixes))
  }
  if (!isGatewayError(error)) throw error
  return faultAnswer(error, {
    isUnanswered: true,
    isConnectionFault: error.code === 'upstream_unreachable' || error.code === 'upstream_invalid_response',
  })
}
