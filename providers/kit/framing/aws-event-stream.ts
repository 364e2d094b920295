/**
 * AWS event streams (application/vnd.amazon.eventstream) as events: an event has its type as name and its payload as
 * data; an exception is an event named {@link awsException} with the data `{type, message}`.
 * Reference: https://docs.aws.amazon.com/AmazonS3/latest/API/RESTSelectObjectAppendix.html (the encoding),
 * https://smithy.io/2.0/aws/amazon-eventstream.html
 * Errors: `upstream_invalid_response` for a frame that is too long, incomplete, or has a wrong checksum.
 */
import { GatewayError, type StreamEvent, type UpstreamFault } from '@gateway/contract'
import { EventStreamCodec, type Message } from '@smithy/eventstream-codec'
import { awsStreamFault } from '../auth/aws-error.ts'
import { parseObject, textOf } from '../chat/values.ts'

/** The name of an event with an exception. */
const awsException = 'exception'

/** Length of the frame, length of its headers, checksum of both. */
const preludeBytes = 12
const minFrameBytes = preludeBytes + 4
/** The format's own limits: 24 MiB of payload and 128 KiB of headers. */
const maxFrameBytes = 24 * 1_048_576 + 128 * 1024 + minFrameBytes

const codec = new EventStreamCodec(
  (bytes) => (typeof bytes === 'string' ? bytes : decodeText(bytes)),
  (text) => Buffer.from(text, 'utf8'),
)

/** Splits bytes into frames, for any chunks. */
export async function* awsEventStream(
  bytes: AsyncIterable<Buffer>,
): AsyncGenerator<StreamEvent, void, undefined> {
  let pending: Buffer[] = []
  let pendingBytes = 0
  let neededBytes = preludeBytes
  for await (const chunk of bytes) {
    pending.push(chunk)
    pendingBytes += chunk.length
    if (pendingBytes < neededBytes) continue
    let data = pending.length === 1 ? chunk : Buffer.concat(pending, pendingBytes)
    neededBytes = frameBytes(data)
    while (data.length >= neededBytes) {
      yield readFrame(data.subarray(0, neededBytes))
      data = data.subarray(neededBytes)
      neededBytes = frameBytes(data)
    }
    pending = data.length === 0 ? [] : [data]
    pendingBytes = data.length
  }
  if (pendingBytes > 0) throw unreadable()
}

/** The length of the next frame, or the number of bytes that contain it. */
function frameBytes(data: Buffer): number {
  if (data.length < preludeBytes) return preludeBytes
  const length = data.readUInt32BE(0)
  if (length < minFrameBytes || length > maxFrameBytes) throw unreadable()
  return length
}

function readFrame(frame: Buffer): StreamEvent {
  const { headers, body } = decode(frame)
  const text = (name: string): string | null => {
    const header = Object.hasOwn(headers, name) ? headers[name] : undefined
    return header?.type === 'string' ? header.value : null
  }
  const kind = text(':message-type')
  const data = decodeText(body)
  if (kind === 'event') return { event: text(':event-type'), data }
  if (kind === 'exception') return exceptionEvent(text(':exception-type'), messageOf(data))
  if (kind === 'error') return exceptionEvent(text(':error-code'), text(':error-message') ?? '')
  throw unreadable()
}

function decode(frame: Buffer): Message {
  try {
    return codec.decode(frame)
  } catch (error) {
    throw unreadable(error)
  }
}

function exceptionEvent(type: string | null, message: string): StreamEvent {
  return { event: awsException, data: JSON.stringify({ type: type ?? '', message }) }
}

function messageOf(data: string): string {
  const body = parseObject(data)
  if (body === null) return data
  const message = [body.message, body.Message, body.originalMessage].find(
    (value) => typeof value === 'string',
  )
  return typeof message === 'string' ? message : ''
}

/** The fault in an event; null for any other event. */
export function faultOfAwsEvent({ event, data }: StreamEvent): UpstreamFault | null {
  if (event !== awsException) return null
  const { type, message } = parseObject(data) ?? {}
  return awsStreamFault(textOf(type), textOf(message))
}

function decodeText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
}

function unreadable(cause?: unknown): GatewayError {
  return new GatewayError('upstream_invalid_response', 'The provider sent a stream that cannot be parsed.', {
    cause,
  })
}
