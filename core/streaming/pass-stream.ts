/**
 * A stream already in its caller's format: bytes that need no inspection are passed through. It is on the per-chunk hot
 * path, so it is a single iterator instead of a chain. Errors: `UpstreamFault` for an error event;
 * `upstream_invalid_response` for a stream that breaks off; `stream_idle_timeout`.
 */
import {
  GatewayError,
  isObject,
  isUpstreamFault,
  parseJson,
  type StreamEvent,
  type UpstreamFault,
} from '@gateway/contract'
import type { StreamFormat } from '@gateway/contract/dialect'
import type { AnswerStream, HeldBuffer } from '@gateway/flow'
import { createSplitter, endsEvent, eventsWith, hasMark, parseEvents } from './sse-splitter.ts'

type Step = IteratorResult<Buffer, undefined>

export interface PassOptions {
  /** The longest silence of the upstream, in milliseconds. */
  idleMs: number
  format: StreamFormat
  /** The number of answers in the stream. Once all of them are complete, it may end without its last event. */
  choices: number
  /** Inspects whole events that contain a mark, and can change and remove some; null if no events are left. */
  see(events: Buffer): Buffer | null
  /** The error of an event, as the provider's dialect reads it. */
  refine?(fault: UpstreamFault): UpstreamFault
  /** Counts the bytes of an incomplete event. */
  held: HeldBuffer
}

/** The reason why a stream ends: `torn` is an incomplete event, or the end of the bytes. */
type Ending = { fault: unknown } | 'done' | 'torn'

export function passStream(
  source: Source,
  { idleMs, format, choices, see, refine, held }: PassOptions,
): AnswerStream {
  const reader = source[Symbol.asyncIterator]()
  const splitter = createSplitter(held)
  const clock = createIdleClock(source, idleMs)
  /** An error that followed events in the same read, if any. */
  let ending: Ending | null = null
  const finished = new Set<string>()

  const close = () => {
    ending = 'done'
    clock.stop()
    source.destroy()
  }

  const fail = (fault: unknown): never => {
    close()
    throw clock.faultOf(fault)
  }

  /** Returns the bytes to deliver; null if this read has none. */
  const take = (bytes: Buffer): Buffer | null => {
    if (bytes.length <= shortBytes && saysNothing(bytes, format)) return bytes
    const kept: Buffer[] = []
    let isChanged = false
    let from = 0
    // All marks are searched once. Everything else reads only the few events that have one.
    for (const { start, end } of eventsWith(bytes, marksOf(format))) {
      const event = bytes.subarray(start, end)
      const seen = see(event)
      const read = seen === null ? nothing : readUntilEnd(seen, format, finished)
      kept.push(bytes.subarray(from, start), read.before)
      from = end
      isChanged ||= read.before !== event
      ending = read.end
      if (ending !== null) return joined(kept)
    }
    return isChanged ? joined([...kept, bytes.subarray(from)]) : bytes
  }

  /** The bytes to deliver after the upstream's last ones, which may lack the last event. */
  const finish = (value: Buffer | null): Buffer | null => {
    if (ending !== null && ending !== 'torn') return value
    if (finished.size < choices) {
      ending = { fault: brokenOff() }
      return value
    }
    ending = 'done'
    return value === null ? format.ending : Buffer.concat([value, format.ending])
  }

  return {
    async next(): Promise<Step> {
      try {
        while (ending === null) {
          clock.wait()
          const step = await reader.next()
          clock.arrived()
          const events = step.done === true ? splitter.rest() : splitter.push(step.value)
          const taken = events === null ? null : take(events)
          const value = step.done === true || ending === 'torn' ? finish(taken) : taken
          if (value !== null) return { done: false, value }
        }
      } catch (error) {
        return fail(error)
      }
      if (ending !== 'done') {
        const fault = ending === 'torn' ? brokenOff() : ending.fault
        return fail(isUpstreamFault(fault) && refine !== undefined ? refine(fault) : fault)
      }
      close()
      return { done: true, value: undefined }
    },
    async return(): Promise<Step> {
      close()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

/** Larger pieces are searched only once, because a search needs their text. */
const shortBytes = 4096

const nothing = { before: Buffer.alloc(0), end: null }

/** Null if nothing is left. */
function joined(parts: readonly Buffer[]): Buffer | null {
  const bytes = Buffer.concat(parts)
  return bytes.length === 0 ? null : bytes
}

/** Only an event with one of its format's marks matters here, and few events have one. */
const saysNothing = (bytes: Buffer, format: StreamFormat): boolean =>
  endsEvent(bytes) && !hasMark(bytes, marksOf(format))

/** Remaining bytes without the end of an event are incomplete, unless they are empty. */
const isTorn = (slice: Buffer): boolean =>
  !endsEvent(slice) && slice.some((byte) => byte !== 10 && byte !== 13)

/** The bytes up to and including the last event of the stream; an incomplete event at the end is dropped. */
function readUntilEnd(
  bytes: Buffer,
  format: StreamFormat,
  finished: Set<string>,
): { before: Buffer; end: Ending | null } {
  for (const { start, end } of eventsWith(bytes, marksOf(format))) {
    const slice = bytes.subarray(start, end)
    const before = () => bytes.subarray(0, start)
    const [event] = parseEvents(slice)
    if (event !== undefined && format.isLast(event)) {
      return { before: Buffer.concat([before(), format.writeLast(event)]), end: 'done' }
    }
    const fault = event === undefined ? null : format.readError(event)
    if (fault !== null) return { before: before(), end: { fault } }
    if (isTorn(slice)) return { before: before(), end: 'torn' }
    if (event !== undefined) noteFinish(event, slice, format, finished)
  }
  return { before: bytes, end: null }
}

function noteFinish(event: StreamEvent, slice: Buffer, format: StreamFormat, finished: Set<string>): void {
  if (!format.finishMarks.some((mark) => slice.includes(mark))) return
  const body = parseJson(event.data)
  if (isObject(body)) for (const path of format.ended(body)) finished.add(path)
}

/** The error for a stream that ended before its last event. */
export function brokenOff(): GatewayError {
  return new GatewayError('upstream_invalid_response', 'The provider ended the stream prematurely.')
}

const marks = new WeakMap<StreamFormat, readonly Buffer[]>()

/** The marks of an end, an error, usage, or an event to correct. */
function marksOf(format: StreamFormat): readonly Buffer[] {
  const known = marks.get(format)
  if (known !== undefined) return known
  const { marks: own, usageMarks, finishMarks, repair } = format
  const all = [...own, ...usageMarks, ...finishMarks, ...(repair?.marks ?? [])]
  marks.set(format, all)
  return all
}

/** The body of an upstream answer. */
export interface Source extends AsyncIterable<Buffer> {
  destroy(): void
}

export interface IdleClock {
  /** Called when a read begins. */
  wait(): void
  /** Called when a read has returned data. */
  arrived(): void
  stop(): void
  /** The error of a failed read: the idle timeout, if that caused it. */
  faultOf(error: unknown): unknown
}

/** @param idleMs milliseconds of silence after which the source is destroyed */
export function createIdleClock(source: Source, idleMs: number): IdleClock {
  let waitingSince: number | null = null
  let isIdle = false
  const look = () => {
    const restMs = waitingSince === null ? idleMs : waitingSince + idleMs - Date.now()
    if (restMs > 0) {
      timer = setTimeout(look, restMs)
      return
    }
    isIdle = true
    source.destroy()
  }
  let timer = setTimeout(look, idleMs)
  return {
    wait() {
      waitingSince = Date.now()
    },
    arrived() {
      waitingSince = null
    },
    stop: () => clearTimeout(timer),
    faultOf: (error) =>
      isIdle
        ? new GatewayError('stream_idle_timeout', `The provider sent nothing for ${idleMs} ms.`, {
            cause: error,
          })
        : error,
  }
}

/** The source with the limit. It is destroyed when it is silent for too long, and when the consumer stops reading. */
export async function* limitIdleTime(
  source: Source,
  idleMs: number,
): AsyncGenerator<Buffer, void, undefined> {
  const reader = source[Symbol.asyncIterator]()
  const clock = createIdleClock(source, idleMs)
  try {
    for (;;) {
      clock.wait()
      const step = await reader.next()
      clock.arrived()
      if (step.done === true) break
      yield step.value
    }
    // A source destroyed by the idle timeout can end like a complete one.
    const fault = clock.faultOf(null)
    if (fault !== null) throw fault
  } catch (error) {
    throw clock.faultOf(error)
  } finally {
    clock.stop()
    source.destroy()
  }
}
