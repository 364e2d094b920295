/**
 * Answer streams are iterators that must be closed when reading stops, because they hold the upstream call. A generator
 * that was never started does not pass `return` on, so wrappers of streams are built here.
 */

import { isObject, parseJson } from '@gateway/contract'
import type { StreamFormat } from '@gateway/contract/dialect'
import type { AnswerStream } from '@gateway/flow'
import { eachEvent, parseEvents } from './sse-splitter.ts'

export interface Tap {
  chunk?(bytes: Buffer): void
  end?(): void
  error?(error: unknown): void
  /** Called after the end, after an error, or when the consumer stopped reading. */
  closed?(): void
}

/** The same stream, observed. */
export function tapStream(stream: AnswerStream, tap: Tap): AnswerStream {
  let isClosed = false
  const close = () => {
    if (!isClosed) tap.closed?.()
    isClosed = true
  }
  return {
    async next() {
      try {
        const step = await stream.next()
        if (step.done === true) {
          if (!isClosed) tap.end?.()
          close()
        } else {
          tap.chunk?.(step.value)
        }
        return step
      } catch (error) {
        if (!isClosed) tap.error?.(error)
        close()
        throw error
      }
    },
    async return() {
      close()
      await stream.return?.()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

/** The same stream with each of its buffers replaced. */
export function mapStream(stream: AnswerStream, change: (bytes: Buffer) => Buffer): AnswerStream {
  return {
    async next() {
      const step = await stream.next()
      return step.done === true ? step : { done: false, value: change(step.value) }
    },
    async return() {
      await stream.return?.()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

/** Prepends buffers that were already read. */
export function prefixStream(head: readonly Buffer[], stream: AnswerStream): AnswerStream {
  let read = 0
  return {
    next() {
      const value = head[read]
      if (value === undefined) return stream.next()
      read += 1
      return Promise.resolve({ done: false, value })
    },
    async return() {
      read = head.length
      await stream.return?.()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

/**
 * @param began runs at the first event, with or without content
 * @throws the error of the stream before its first content
 */
export async function peekFirstContent(
  stream: AnswerStream,
  format: StreamFormat,
  began: () => void = () => undefined,
): Promise<AnswerStream> {
  const head: Buffer[] = []
  for (;;) {
    const step = await stream.next()
    if (step.done === true) return prefixStream(head, stream)
    head.push(step.value)
    for (const slice of eachEvent(step.value))
      for (const { data } of parseEvents(slice)) {
        began()
        // Whether an event contains more than the announcement of an answer.
        if (isContent(data, format)) return prefixStream(head, stream)
      }
  }
}

function isContent(data: string, format: StreamFormat): boolean {
  const event = parseJson(data)
  return !isObject(event) || !format.isOpening(event)
}
