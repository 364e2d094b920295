/**
 * A stream in another dialect, or a procedure's, as an answer stream: whole events in its caller's format, complete
 * with the format's ending, or throwing.
 * Errors: those that the translator throws for an error event; `upstream_invalid_response` for a stream that breaks
 * off.
 */
import type { Framing, JsonObject, StreamEvent, StreamTranslator } from '@gateway/contract'
import type { StreamFormat } from '@gateway/contract/dialect'
import type { HeldBuffer } from '@gateway/flow'
import { brokenOff } from './pass-stream.ts'
import { parseEvents, splitEvents } from './sse-splitter.ts'

type Bytes = AsyncGenerator<Buffer, void, undefined>

export interface TranslateOptions {
  framing: Framing | undefined
  format: StreamFormat
  /** Inspects each chunk first, and can remove it. */
  see(chunk: JsonObject): JsonObject | null
  /** Counts the bytes of an incomplete event. */
  held: HeldBuffer
}

/** A stream in another dialect, event by event. */
export async function* translateStream(
  source: AsyncIterable<Buffer>,
  translator: StreamTranslator,
  { framing, format, see, held }: TranslateOptions,
): Bytes {
  for await (const events of framing === undefined ? eventsOf(source, held) : single(framing(source))) {
    const out: Buffer[] = []
    for (const event of events) {
      let translated: ReturnType<StreamTranslator['event']>
      try {
        translated = translator.event(event)
      } catch (error) {
        if (out.length > 0) yield Buffer.concat(out)
        throw error
      }
      for (const chunk of translated.chunks) {
        const seen = see(chunk)
        if (seen !== null) out.push(format.write(seen))
      }
      if (!translated.done) continue
      yield Buffer.concat([...out, format.ending])
      return
    }
    if (out.length > 0) yield out.length === 1 && out[0] !== undefined ? out[0] : Buffer.concat(out)
  }
  const last = translator.end()
  if (!last.done) throw brokenOff()
  const rest = last.chunks.map(see).filter((chunk) => chunk !== null)
  yield Buffer.concat([...rest.map(format.write), format.ending])
}

async function* eventsOf(
  source: AsyncIterable<Buffer>,
  held: HeldBuffer,
): AsyncGenerator<StreamEvent[], void, undefined> {
  for await (const bytes of splitEvents(source, held)) yield parseEvents(bytes)
}

async function* single(events: AsyncIterable<StreamEvent>): AsyncGenerator<StreamEvent[], void, undefined> {
  for await (const event of events) yield [event]
}

/** The chunks of a procedure or of a whole answer, framed and with their ending. */
export async function* frameStream(
  chunks: AsyncIterable<JsonObject> | Iterable<JsonObject>,
  format: StreamFormat,
  see: TranslateOptions['see'] = (chunk) => chunk,
): Bytes {
  for await (const chunk of chunks) {
    const seen = see(chunk)
    if (seen !== null) yield format.write(seen)
  }
  if (format.ending.length > 0) yield format.ending
}
