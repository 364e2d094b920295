/** The answer to the caller, to its last byte. A stream that fails ends with one error event and without `[DONE]`. */

import type { AnswerStream } from '../answer.ts'
import { StreamDenial } from '../checks/stream.ts'
import {
  GatewayError,
  isGatewayError,
  isUpstreamFault,
  type JsonObject,
  renderError,
} from '../contract/index.ts'
import { type Exchange, required } from '../exchange.ts'
import type { Next } from '../stage.ts'
import { tapStream } from '../stream/iterator.ts'
import { writeEvent } from '../stream/split.ts'
import { errorBody } from '../upstream/error-answer.ts'
import { render } from './report.ts'

export async function respond(exchange: Exchange, next: Next): Promise<void> {
  await next()
  const answer = required(exchange.answer, 'answer')
  const prefix = exchange.options?.prefix ?? 'x-gateway-'
  const headers = { ...answer.headers, [`${prefix}trace-id`]: exchange.traceId }
  exchange.sentStatus = answer.status
  exchange.firstByteMs = performance.now() - exchange.startedAt
  if (answer.stream === null) {
    const body = answer.bytes ?? JSON.stringify(answer.body)
    headers['content-type'] = 'application/json'
    return exchange.transport.write({ status: answer.status, headers }, body)
  }
  headers['content-type'] = 'text/event-stream'
  headers['cache-control'] = 'no-cache'
  return exchange.transport.write({ status: answer.status, headers }, endTruthfully(exchange, answer.stream))
}

async function* endTruthfully(
  exchange: Exchange,
  stream: AnswerStream,
): AsyncGenerator<Buffer, void, undefined> {
  try {
    yield* tapStream(stream, {})
  } catch (error) {
    if (exchange.signal.aborted) return
    yield writeEvent(JSON.stringify(errorEvent(exchange, error)))
  }
}

function errorEvent(exchange: Exchange, error: unknown): JsonObject {
  if (isUpstreamFault(error)) {
    exchange.streamError = error.upstream.code
    const target = exchange.answer?.provider ?? null
    const known = exchange.target
    return known === null
      ? {
          error: {
            message: 'The provider ended the stream with an error.',
            type: 'upstream_error',
            param: null,
            code: error.upstream.code,
          },
          provider: target,
        }
      : errorBody(error.upstream, known)
  }
  if (error instanceof StreamDenial) {
    exchange.streamError = error.code
    exchange.runtime.metrics.denials.inc({ phase: 'after' })
    return {
      ...renderError(error),
      hook_results: render(exchange.answer?.beforeResults ?? [], error.results),
    }
  }
  const fault = isGatewayError(error)
    ? error
    : new GatewayError('internal_error', 'The gateway failed; the trace id leads to the cause.')
  exchange.streamError = fault.code
  if (!isGatewayError(error))
    exchange.runtime.log.error({ trace_id: exchange.traceId, err: error }, 'a stream failed')
  return renderError(fault)
}
