/** The answer of a target whose call failed. */
import { isGatewayError, isUpstreamFault } from '@gateway/contract'
import {
  type Answer,
  faultAnswer,
  originOf,
  passHeaders,
  type ResolvedTarget,
  type Targeted,
} from '@gateway/flow'
import { upstreamErrorAnswer } from './error-answer.ts'

/** The answer of a failed target; rethrows internal errors. */
export function failedAnswer(exchange: Targeted, error: unknown): Answer {
  const target = exchange.target
  return {
    ...answerOfFault(error, target, exchange.workspace.file.server.header_prefixes),
    ...originOf(exchange.node, target, exchange.input.beforeResults),
  }
}

/** Nothing of the answer has been sent yet, so such a call is retried for any codes. */
const connectionFaults: ReadonlySet<string> = new Set([
  'upstream_unreachable',
  'upstream_invalid_response',
  'first_token_timeout',
  'stream_idle_timeout',
])

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
