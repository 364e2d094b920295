/** Makes a service's call over the pooled connections, with a streamed answer as bytes or events. */
import type { StreamEvent, UpstreamRequest, UpstreamStream } from '@gateway/contract'
import { cancellationOf, type UpstreamBody, type UpstreamCalls } from '@gateway/flow'
import { parseEvents, splitEvents } from '@gateway/streaming'
import { decodeAnswer } from '@gateway/upstream'

export async function sendStream(
  upstream: UpstreamCalls,
  request: UpstreamRequest,
  signal: AbortSignal,
): Promise<UpstreamStream> {
  const { status, headers, body } = decodeAnswer(await upstream.send(request, cancellationOf(signal)))
  return { status, headers, body, events: () => eventsOf(body), dump: () => body.dump() }
}

async function* eventsOf(body: UpstreamBody): AsyncGenerator<StreamEvent, void, undefined> {
  for await (const bytes of splitEvents(body)) yield* parseEvents(bytes)
}
