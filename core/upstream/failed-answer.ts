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

/** Nothing of the answer has left the gateway yet: such a call is retried whatever the codes say. */
const connectionFaults: ReadonlySet<string> = new Set([
  'upstream_unreachable',
  'upstream_invalid_response',
  'first_token_timeout',
  'stream_idle_timeout',
])

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
    isConnectionFault: connectionFaults.has(error.code),
  })
}
