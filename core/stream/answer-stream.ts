/**
 * From an upstream's bytes to an answer stream: whole events in the compatible format that end with `[DONE]`,
 * or throw. What nobody has to look into passes as the bytes that came.
 * Errors: {@link UpstreamFault} for an error event; `upstream_invalid_response` for a stream that breaks off.
 */
import {
  type Framing,
  GatewayError,
  isObject,
  type JsonObject,
  type StreamEvent,
  type StreamTranslator,
  UpstreamFault,
} from '../contract/index.ts'
import { parseJson } from '../gateway-headers.ts'
import { doneEvent, endsEvent, parseEvents, sliceEvents, splitEvents, writeEvent } from './split.ts'

type Bytes = AsyncGenerator<Buffer, void, undefined>

/** A stream in the compatible format already. */
export async function* passStream(source: AsyncIterable<Buffer>): Bytes {
  for await (const bytes of splitEvents(source)) {
    if (!isSuspicious(bytes)) {
      yield bytes
      continue
    }
    const { before, isDone } = readUntilEnd(bytes)
    if (before.length > 0) yield before
    if (isDone) return
  }
  throw brokenOff()
}

/** Only an event with one of these can end a stream, and hardly any other has one. */
const isSuspicious = (bytes: Buffer): boolean =>
  suspicions.some((text) => bytes.includes(text)) || !endsEvent(bytes)

const suspicions = ['[DONE]', '"error"', 'event:']

/** A rest without an event's end is torn, unless there is nothing in it. */
const isTorn = (slice: Buffer): boolean =>
  !endsEvent(slice) && slice.some((byte) => byte !== 10 && byte !== 13)

/** The bytes up to the stream's end, that included; a torn event at the very end is left out. */
function readUntilEnd(bytes: Buffer): { before: Buffer; isDone: boolean } {
  let end = 0
  for (const slice of sliceEvents(bytes)) {
    const [event] = parseEvents(slice)
    if (event?.data.trim() === '[DONE]') {
      return { before: Buffer.concat([bytes.subarray(0, end), doneEvent]), isDone: true }
    }
    const fault = event === undefined ? null : readErrorEvent(event)
    if (fault !== null) throw new StreamFault(bytes.subarray(0, end), fault)
    if (isTorn(slice)) throw new StreamFault(bytes.subarray(0, end), brokenOff())
    end += slice.length
  }
  return { before: bytes, isDone: false }
}

/** An error behind events of the same read: those are delivered first. */
export class StreamFault extends Error {
  readonly before: Buffer
  readonly fault: unknown

  constructor(before: Buffer, fault: unknown) {
    super('the stream ends with an error')
    this.before = before
    this.fault = fault
  }
}

/** Delivers what came before an error, then throws the error itself. */
export async function* unwrapFaults(stream: Bytes): Bytes {
  try {
    yield* stream
  } catch (error) {
    if (!(error instanceof StreamFault)) throw error
    if (error.before.length > 0) yield error.before
    throw error.fault
  }
}

function readErrorEvent(event: StreamEvent): UpstreamFault | null {
  const data = parseJson(event.data)
  if (!isObject(data)) return event.event === 'error' ? fault({ message: event.data }) : null
  const { error } = data
  if (isObject(error)) return fault(error)
  if (typeof error === 'string' && error !== '') return fault({ ...data, message: error })
  return event.event === 'error' || data.object === 'error' ? fault(data) : null
}

function fault(error: JsonObject): UpstreamFault {
  const { message, type, param, code, status } = error
  const named = [status, code].find((value) => typeof value === 'number' && value >= 400 && value <= 599)
  return new UpstreamFault({
    status: typeof named === 'number' ? named : 502,
    message: typeof message === 'string' ? message : 'The provider ended the stream with an error.',
    type: typeof type === 'string' ? type : 'upstream_error',
    param: typeof param === 'string' ? param : null,
    code: typeof code === 'string' ? code : 'upstream_error',
  })
}

function brokenOff(): GatewayError {
  return new GatewayError('upstream_invalid_response', 'The provider broke the stream off before its end.')
}

/** A stream in another dialect, event by event. */
export async function* translateStream(
  source: AsyncIterable<Buffer>,
  translator: StreamTranslator,
  framing: Framing | undefined,
): Bytes {
  for await (const events of framing === undefined ? eventsOf(source) : single(framing(source))) {
    const out: Buffer[] = []
    for (const event of events) {
      let translated: ReturnType<StreamTranslator['event']>
      try {
        translated = translator.event(event)
      } catch (error) {
        if (out.length > 0) yield Buffer.concat(out)
        throw error
      }
      for (const chunk of translated.chunks) out.push(writeEvent(JSON.stringify(chunk)))
      if (!translated.done) continue
      yield Buffer.concat([...out, doneEvent])
      return
    }
    if (out.length > 0) yield out.length === 1 && out[0] !== undefined ? out[0] : Buffer.concat(out)
  }
  const last = translator.end()
  if (!last.done) throw brokenOff()
  yield Buffer.concat([...last.chunks.map((chunk) => writeEvent(JSON.stringify(chunk))), doneEvent])
}

async function* eventsOf(source: AsyncIterable<Buffer>): AsyncGenerator<StreamEvent[], void, undefined> {
  for await (const bytes of splitEvents(source)) yield parseEvents(bytes)
}

async function* single(events: AsyncIterable<StreamEvent>): AsyncGenerator<StreamEvent[], void, undefined> {
  for await (const event of events) yield [event]
}

/** A procedure's chunks, framed and ended. */
export async function* frameStream(chunks: AsyncIterable<JsonObject>): Bytes {
  for await (const chunk of chunks) yield writeEvent(JSON.stringify(chunk))
  yield doneEvent
}
