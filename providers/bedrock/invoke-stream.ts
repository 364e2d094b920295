/**
 * Streams of InvokeModelWithResponseStream: `chunk` events that contain a model's own events in base64.
 * Reference: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModelWithResponseStream.html
 * Errors: those of the kit's awsEventStream; `UpstreamFault` for an exception; `upstream_invalid_response`.
 */
import { GatewayError, type StreamEvent, type StreamTranslator } from '@gateway/contract'
import { awsEventStream, faultOfAwsEvent, parseEvent } from '@gateway/provider-kit'

/** The model's own events, without a name; exceptions as returned by awsEventStream. */
export async function* invokeFraming(
  bytes: AsyncIterable<Buffer>,
): AsyncGenerator<StreamEvent, void, undefined> {
  for await (const event of awsEventStream(bytes)) {
    if (event.event !== 'chunk') {
      yield event
      continue
    }
    const { bytes: encoded } = parseEvent(event.data)
    if (typeof encoded !== 'string') {
      throw new GatewayError('upstream_invalid_response', 'The provider sent an event that cannot be parsed.')
    }
    yield { event: null, data: Buffer.from(encoded, 'base64').toString('utf8') }
  }
}

/** A translator of the model's own events; exceptions and the service's own events are handled before it. */
export function withExceptions(translator: StreamTranslator): StreamTranslator {
  return {
    event(event) {
      const fault = faultOfAwsEvent(event)
      if (fault !== null) throw fault
      return event.event === null ? translator.event(event) : { chunks: [], done: false }
    },
    end: () => translator.end(),
  }
}
