/**
 * Forwards an answer that is not an event stream (audio, proxied routes), as bytes. Errors: those of the source;
 * `stream_idle_timeout`.
 */
import type { AnswerStream } from '@gateway/flow'
import { prefixStream } from './iterator.ts'
import { createIdleClock, type Source } from './pass-stream.ts'

type Step = IteratorResult<Buffer, undefined>

/**
 * Waits for the first bytes, so that a failure before them can still become an error answer or trigger a fallback.
 * @param idleMs the longest silence of the upstream, in milliseconds
 */
export const passBytes = (source: Source, idleMs: number): Promise<AnswerStream> =>
  prime(limited(source, idleMs))

/** The same as {@link passBytes}, for bytes created by the provider package. */
export function primeBytes(bytes: AsyncIterable<Buffer>): Promise<AnswerStream> {
  const reader = bytes[Symbol.asyncIterator]()
  return prime({
    next: () => reader.next(),
    async return() {
      await reader.return?.()
      return { done: true, value: undefined }
    },
    [Symbol.asyncIterator]() {
      return this
    },
  })
}

async function prime(stream: AnswerStream): Promise<AnswerStream> {
  const first = await stream.next()
  return prefixStream(first.done === true ? [] : [first.value], stream)
}

function limited(source: Source, idleMs: number): AnswerStream {
  const reader = source[Symbol.asyncIterator]()
  const clock = createIdleClock(source, idleMs)
  let isOver = false
  const close = () => {
    isOver = true
    clock.stop()
    source.destroy()
  }
  return {
    async next(): Promise<Step> {
      if (isOver) return { done: true, value: undefined }
      try {
        clock.wait()
        const step = await reader.next()
        clock.arrived()
        if (step.done !== true) return step
        // A source destroyed by the idle timeout can end like a complete one.
        const fault = clock.faultOf(null)
        if (fault !== null) throw fault
      } catch (error) {
        close()
        throw clock.faultOf(error)
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

/** An empty source. */
export const emptyStream = (): AnswerStream => ({
  next: () => Promise.resolve({ done: true, value: undefined }),
  return: () => Promise.resolve({ done: true, value: undefined }),
  [Symbol.asyncIterator]() {
    return this
  },
})
