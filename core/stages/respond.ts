/** The answer to the caller, to its last byte. A stream that fails ends with one error event and without `[DONE]`. */

import { StreamDenial } from '../checks/stream.ts'
import {
  GatewayError,
  isGatewayError,
  isObject,
  isUpstreamFault,
  type JsonObject,
  renderError,
} from '../contract/index.ts'
import { describeFault } from '../describe-fault.ts'
import { type Exchange, required } from '../exchange.ts'
import { parseJson } from '../gateway-headers.ts'
import type { Next } from '../stage.ts'
import { parseEvents, writeEvent } from '../stream/split.ts'
import { errorBody } from '../upstream/error-answer.ts'
import { render, usageOf } from './report.ts'

export async function respond(exchange: Exchange, next: Next): Promise<void> {
  await next()
  const answer = required(exchange.answer, 'answer')
  const { status, stream } = answer
  const headers: Record<string, string> = {
    ...answer.headers,
    [`${exchange.own.prefix}trace-id`]: exchange.traceId,
  }
  if (exchange.runtime.isDraining) headers.connection = 'close'
  exchange.sentStatus = status
  exchange.firstByteMs = performance.now() - exchange.startedAt
  if (stream === null) {
    headers['content-type'] = 'application/json'
    exchange.transport.write({ status, headers }, answer.text ?? JSON.stringify(answer.body))
    return
  }
  headers['content-type'] = 'text/event-stream'
  headers['cache-control'] = 'no-cache'
  await exchange.transport.writeStream({ status, headers }, stream, {
    sent: (bytes) => watchUsage(exchange, bytes),
    failed: (error) => writeEvent(JSON.stringify(errorEvent(exchange, error))),
  })
}

/** The usage of a stream stands in one of its last chunks. */
function watchUsage(exchange: Exchange, bytes: Buffer): void {
  if (!bytes.includes(usageMark)) return
  for (const { data } of parseEvents(bytes)) {
    const chunk = data.includes('"usage":{') ? parseJson(data) : null
    if (isObject(chunk)) exchange.usage = usageOf(chunk) ?? exchange.usage
  }
}

const usageMark = Buffer.from('"usage":{')

const streamFault = new GatewayError('upstream_error', 'The provider ended the stream with an error.')

/** Of a provider's error code in the log. */
const longestCode = 100

function errorEvent(exchange: Exchange, error: unknown): JsonObject {
  if (isUpstreamFault(error)) {
    const target = exchange.answer?.target ?? null
    if (target === null) {
      exchange.streamError = streamFault.code
      return renderError(streamFault)
    }
    const body = errorBody(error.upstream, target)
    exchange.streamError = body.error.code.slice(0, longestCode)
    return body
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
    exchange.runtime.log.error(
      { trace_id: exchange.traceId, err: describeFault(exchange, error) },
      'a stream failed',
    )
  return renderError(fault)
}
