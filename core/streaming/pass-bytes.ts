/**
 * Passes through an answer that is not an event stream (audio, proxied routes), as bytes. Errors: what the source
 * throws; `stream_idle_timeout`.
 */
import type { AnswerStream } from '../flow/answer.ts'
import { prefixStream } from './iterator.ts'
import { createIdleClock, type Source } from './pass-stream.ts'

type Step = IteratorResult<Buffer, undefined>

/**
 * Waits for the first bytes, so that a failure before them can still be an answer, and left to the next target.
 * @param idleMs the longest silence of the upstream, in milliseconds
 */
export const passBytes = (source: Source, idleMs: number): Promise<AnswerStream> =>
  prime(limited(source, idleMs))

/** As above, for bytes created by the provider package. */
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
        // A source that was destroyed for its silence may end like one that is complete.
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

/** No bytes at all. */
export const emptyStream = (): AnswerStream => ({
  next: () => Promise.resolve({ done: true, value: undefined }),
  return: () => Promise.resolve({ done: true, value: undefined }),
  [Symbol.asyncIterator]() {
    return this
  },
})
