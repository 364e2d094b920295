/**
 * A stream in the compatible format already: what nobody has to look into passes as the bytes that came.
 * It is on the path that pays per chunk, so it is one iterator and not a chain of them.
 * Errors: {@link UpstreamFault} for an error event; `upstream_invalid_response` for a stream that breaks off;
 * `stream_idle_timeout`.
 */
import type { AnswerStream } from '../answer.ts'
import {
  GatewayError,
  isObject,
  type JsonObject,
  type StreamEvent,
  UpstreamFault,
} from '../contract/index.ts'
import { parseJson } from '../gateway-headers.ts'
import { createIdleClock, type Source } from './idle.ts'
import { createSplitter, doneEvent, endsEvent, parseEvents, sliceEvents } from './split.ts'

type Step = IteratorResult<Buffer, undefined>

/** @param idleMs the longest silence of the upstream, in milliseconds */
export function passStream(source: Source, idleMs: number): AnswerStream {
  const reader = source[Symbol.asyncIterator]()
  const splitter = createSplitter()
  const clock = createIdleClock(source, idleMs)
  /** What is left to say: an error that stood behind events of the same read, or nothing. */
  let ending: { fault: unknown } | 'done' | null = null

  const close = () => {
    ending = 'done'
    clock.stop()
    source.destroy()
  }

  const fail = (fault: unknown): never => {
    close()
    throw clock.faultOf(fault)
  }

  /** Gives the bytes to deliver; null when there are none in this read. */
  const take = (bytes: Buffer): Buffer | null => {
    if (!isSuspicious(bytes)) return bytes
    const { before, end } = readUntilEnd(bytes)
    ending = end
    return before.length === 0 ? null : before
  }

  return {
    async next(): Promise<Step> {
      try {
        while (ending === null) {
          clock.wait()
          const step = await reader.next()
          clock.arrived()
          const events = step.done === true ? splitter.rest() : splitter.push(step.value)
          const value = events === null ? null : take(events)
          if (step.done === true) ending ??= { fault: brokenOff() }
          if (value !== null) return { done: false, value }
        }
      } catch (error) {
        return fail(error)
      }
      if (ending !== 'done') return fail(ending.fault)
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

/** Only an event with one of these can end a stream, and hardly any other has one. */
const suspicions = ['[DONE]', '"error"', 'event:'].map((text) => Buffer.from(text))

const isSuspicious = (bytes: Buffer): boolean =>
  suspicions.some((text) => bytes.includes(text)) || !endsEvent(bytes)

/** A rest without an event's end is torn, unless there is nothing in it. */
const isTorn = (slice: Buffer): boolean =>
  !endsEvent(slice) && slice.some((byte) => byte !== 10 && byte !== 13)

/** The bytes up to the stream's end, that included; a torn event at the very end is left out. */
function readUntilEnd(bytes: Buffer): { before: Buffer; end: { fault: unknown } | 'done' | null } {
  let length = 0
  const before = () => bytes.subarray(0, length)
  for (const slice of sliceEvents(bytes)) {
    const [event] = parseEvents(slice)
    if (event?.data.trim() === '[DONE]') return { before: Buffer.concat([before(), doneEvent]), end: 'done' }
    const fault = event === undefined ? null : readErrorEvent(event)
    if (fault !== null) return { before: before(), end: { fault } }
    if (isTorn(slice)) return { before: before(), end: { fault: brokenOff() } }
    length += slice.length
  }
  return { before: bytes, end: null }
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

export function brokenOff(): GatewayError {
  return new GatewayError('upstream_invalid_response', 'The provider broke the stream off before its end.')
}
