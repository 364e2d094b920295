/**
 * The provider call: the body in the provider's dialect, its answer in ours.
 * Whatever goes wrong with the target becomes its answer, so that retries and fallbacks can act on it.
 */
import { type Answer, createAnswer, faultAnswer } from '../answer.ts'
import type { ConfigNode, ResolvedTarget } from '../config/node.ts'
import {
  type CallContext,
  GatewayError,
  isGatewayError,
  isObject,
  isUpstreamFault,
  type ProviderIo,
} from '../contract/index.ts'
import { type Exchange, required } from '../exchange.ts'
import { createAttemptSignal } from '../upstream/attempt-signal.ts'
import { callHttp } from '../upstream/call-http.ts'
import { callProcedure } from '../upstream/call-procedure.ts'
import { errorBody } from '../upstream/error-answer.ts'

export async function call(exchange: Exchange): Promise<void> {
  const node = required(exchange.node, 'config node')
  const target = required(exchange.target, 'target')
  const limit = createAttemptSignal(exchange.signal, timeoutOf(exchange, node))
  try {
    exchange.answer = { ...(await send(exchange, target, limit.signal)), ...origin(exchange, node, target) }
  } catch (error) {
    exchange.answer = failedAnswer(exchange, limit.reason() ?? error)
  } finally {
    limit.clear()
  }
}

/** The answer of a target that failed; rethrows what is a fault of ours. */
export function failedAnswer(exchange: Exchange, error: unknown): Answer {
  const target = required(exchange.target, 'target')
  return {
    ...answerOfFault(error, target),
    ...origin(exchange, required(exchange.node, 'config node'), target),
  }
}

/** The request's own timeout beats the config's. */
const timeoutOf = (exchange: Exchange, node: ConfigNode): number | null =>
  required(exchange.options, 'options').requestTimeoutMs ?? node.requestTimeoutMs

const origin = (exchange: Exchange, node: ConfigNode, target: ResolvedTarget) => ({
  provider: target.adapter.name,
  target,
  index: node.path,
  beforeResults: exchange.beforeResults,
})

async function send(exchange: Exchange, target: ResolvedTarget, signal: AbortSignal): Promise<Answer> {
  const name = required(exchange.endpoint, 'endpoint')
  const declared = target.adapter.endpoints[name]
  if (declared === undefined) {
    throw new GatewayError(
      'unsupported_endpoint',
      `The provider ${target.adapter.name} does not have ${name}.`,
    )
  }
  const endpoint = declared.kind === 'choice' ? declared.choose(exchange.body, target.settings) : declared
  const context = createContext(exchange, target)
  const io = createProviderIo(exchange, signal)
  return endpoint.kind === 'procedure'
    ? callProcedure(exchange, target, endpoint, context, io)
    : callHttp(exchange, target, endpoint, context, io)
}

function createProviderIo({ settings }: Exchange, signal: AbortSignal): ProviderIo {
  return {
    signal,
    now: Date.now,
    fetch: (request) => settings.outbound.fetch(request, signal),
    isTrusted: settings.guard.isTrusted,
  }
}

function createContext(exchange: Exchange, target: ResolvedTarget): CallContext {
  const { body } = exchange
  const options = required(exchange.options, 'options')
  const streamOptions = body.stream_options
  return {
    endpoint: required(exchange.endpoint, 'endpoint'),
    settings: target.settings,
    request: body,
    strict: options.strict ?? required(exchange.node, 'config node').strict ?? true,
    includeUsage: isObject(streamOptions) && streamOptions.include_usage === true,
    now: Date.now,
    id: (prefix) => prefix + crypto.randomUUID().replaceAll('-', ''),
    files: exchange.files,
  }
}

function answerOfFault(error: unknown, target: ResolvedTarget): Answer {
  if (isUpstreamFault(error)) {
    const { upstream } = error
    return createAnswer({ status: upstream.status, body: errorBody(upstream, target) })
  }
  if (!isGatewayError(error)) throw error
  return faultAnswer(error, {
    isUnanswered: true,
    isConnectionFault: error.code === 'upstream_unreachable' || error.code === 'upstream_invalid_response',
  })
}
