/**
 * A streamed answer for an in-process reader, with backpressure. A reader that stops early counts as a client
 * disconnect.
 */
import { GatewayError } from '@gateway/contract'
import type { AnswerStream, Canceller, StreamEnding } from '@gateway/flow'

export interface AnswerReaderOptions {
  ending: StreamEnding
  /** Ends the request, whether or not its answer is being read. */
  leaving: Canceller
  /** Called when the stream fails and can report that only by breaking off. */
  brokeOff(): void
  /** Called once, at the end of the stream. */
  finished(): void
}

export function createAnswerReader(stream: AnswerStream, options: AnswerReaderOptions): AnswerStream {
  const { ending, leaving, brokeOff, finished } = options
  let isOver = false
  let isReading = false

  function finish(): void {
    if (isOver) return
    isOver = true
    leaving.forget(leave)
    finished()
  }

  /**
   * Ends the request when the reader stops. A pending read then fails without further action, because the request is
   * cancelled.
   */
  function leave(): void {
    if (isReading) return
    void Promise.resolve(stream.return?.()).finally(finish)
  }

  async function read(): Promise<IteratorResult<Buffer>> {
    let step: IteratorResult<Buffer>
    try {
      step = await stream.next()
    } catch (error) {
      if (leaving.aborted) {
        finish()
        throw error
      }
      const last = ending.failed(error)
      if (last === null) brokeOff()
      finish()
      if (last === null) throw error
      return { done: false, value: last }
    }
    if (step.done !== true) {
      ending.sent(step.value)
      return step
    }
    finish()
    return ending.trailer === null ? over : { done: false, value: ending.trailer }
  }

  leaving.listen(leave)
  if (leaving.aborted) leave()

  return {
    async next() {
      if (isOver) return over
      isReading = true
      try {
        return await read()
      } finally {
        isReading = false
        if (leaving.aborted && !isOver) leave()
      }
    },
    async return() {
      if (!isOver) {
        leaving.abort(new GatewayError('client_closed_request', 'The client disconnected.'))
        if (!isReading) {
          await stream.return?.()
          finish()
        }
      }
      return over
    },
    [Symbol.asyncIterator]() {
      return this
    },
  }
}

const over: IteratorResult<Buffer> = { done: true, value: undefined }
