/**
 * An endpoint that the provider package implements: its chunks are framed, and its errors are treated as upstream
 * errors.
 */

import { type CallContext, GatewayError, isGatewayError, type ProcedureEndpoint } from '@gateway/contract'
import {
  type Answer,
  type AnswerStream,
  createAnswer,
  passHeaders,
  type ResolvedTarget,
  type Targeted,
} from '@gateway/flow'
import { createStreamUsage, frameStream, hidesUsage, peekFirstContent, primeBytes } from '@gateway/streaming'
import { forwarded } from './call-http.ts'
import { authorize, type CallIo } from './call-io.ts'

/** A procedure's calls belong to the provider call: a service that does not answer is a connection error. */
function asCallFault(error: unknown): never {
  if (!isGatewayError(error) || error.code !== 'dependency_unavailable') throw error
  throw new GatewayError('upstream_unreachable', 'The provider could not be reached.', { cause: error })
}

interface ProcedureIo {
  io: CallIo
  /** Limits the silence of its stream. */
  watch(stream: AnswerStream): AnswerStream
}

interface CallProcedureOptions extends ProcedureIo {
  endpoint: ProcedureEndpoint
  context: CallContext
}

export async function callProcedure(
  exchange: Targeted,
  target: ResolvedTarget,
  { endpoint, context, io, watch }: CallProcedureOptions,
): Promise<Answer> {
  const { baseUrl } = target
  // A procedure would call the provider, which receives the request as a line of a batch instead.
  if (exchange.transport.origin?.provider !== undefined)
    throw new GatewayError(
      'unsupported_endpoint',
      `The provider ${target.adapter.name} does not support batches of such requests.`,
    )
  const {
    status,
    headers: given,
    body,
    stream,
    contentType = null,
    bytes,
  } = await endpoint.run(exchange.input.body, {
    ...context,
    ...io,
    signal: io.signal,
    baseUrl,
    fetch: (request) => io.fetch(request).catch(asCallFault),
    authorize: async (request) => {
      const headers = { ...forwarded(exchange, {}), ...request.headers }
      return authorize(target, { ...request, headers }, io)
    },
  })
  const headers = passHeaders(given, exchange.workspace.file.server.header_prefixes)
  if (bytes !== undefined) {
    const type = contentType ?? 'application/octet-stream'
    return createAnswer({ status, headers, contentType: type, stream: await primeBytes(bytes) })
  }
  if (stream === null) return createAnswer({ status, headers, body, contentType })
  const format = exchange.endpoint.format
  const usage = createStreamUsage(exchange.attempt.last, format, hidesUsage(exchange))
  const framed = watch(frameStream(stream, format, usage.event))
  return createAnswer({ status, headers, stream: await peekFirstContent(framed, format, io.streamBegan) })
}
