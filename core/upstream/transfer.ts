/**
 * One upstream call as undici's handler: it settles with the answer when its headers arrive, and feeds the body.
 * Errors: see faults.ts; a cancellation ends the call with its reason at any point.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { Cancellation, UpstreamAnswer, UpstreamBody } from '@gateway/flow'
import type { Dispatcher } from 'undici'
import { decodeAnswer } from './decode.ts'
import { brokenAnswer, connectionFault } from './faults.ts'

export class Transfer implements Dispatcher.DispatchHandler {
  private readonly resolve: (answer: UpstreamAnswer) => void
  private readonly reject: (error: unknown) => void
  private readonly cancellation: Cancellation
  private readonly onAbort: () => void
  private controller: Dispatcher.DispatchController | null = null
  private body: AnswerBody | null = null
  private isOver = false

  constructor(
    resolve: (answer: UpstreamAnswer) => void,
    reject: (error: unknown) => void,
    cancellation: Cancellation,
  ) {
    this.resolve = resolve
    this.reject = reject
    this.cancellation = cancellation
    this.onAbort = () => this.abort()
    cancellation.listen(this.onAbort)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller
    // The call was cancelled while it waited for a connection.
    if (this.isOver) controller.abort(new Error('The call was cancelled.'))
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (status < 200) return
    this.body = new AnswerBody(controller)
    const answer = { status, headers: plainHeaders(headers), body: this.body }
    if (answer.headers['content-encoding'] === undefined) {
      this.resolve(answer)
      return
    }
    try {
      this.resolve(decodeAnswer(answer))
    } catch (error) {
      this.body.destroy()
      this.reject(error)
    }
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.body?.push(chunk)
  }

  onResponseEnd(): void {
    this.finish()
    this.body?.end()
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.isOver) return
    this.finish()
    if (this.body === null) this.reject(connectionFault(error))
    else this.body.fail(brokenAnswer(error))
  }

  private abort(): void {
    this.finish()
    if (this.body === null) this.reject(this.cancellation.reason)
    else this.body.cancel(this.cancellation.reason)
    this.controller?.abort(new Error('The call was cancelled.'))
  }

  private finish(): void {
    this.isOver = true
    this.cancellation.forget(this.onAbort)
  }
}

/** Headers as one string each. Cookies are between the upstream and the gateway, and are not for callers. */
export function plainHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const plain: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined || name === 'set-cookie') continue
    plain[name] = typeof value === 'string' ? value : value.join(', ')
  }
  return plain
}

type Step = IteratorResult<Buffer, undefined>

/** The number of unread bytes from which on the connection is paused. */
const highWaterBytes = 65_536

/** The most bytes worth reading to keep a connection instead of opening a new one. */
const maxDumpBytes = 131_072
const maxDumpMs = 1000

interface Reader {
  resolve(step: Step): void
  reject(error: unknown): void
}

/**
 * The body of an upstream's answer as it arrives: an iterator for one reader, with backpressure. It replaces a Readable
 * on the per-chunk hot path, and returns chunks that arrived together as one.
 */
class AnswerBody implements UpstreamBody {
  private readonly controller: Dispatcher.DispatchController
  private chunks: Buffer[] = []
  private queuedBytes = 0
  private reader: Reader | null = null
  /** Thrown once, after the data that was queued before it. */
  private fault: { error: unknown } | null = null
  /** Whether no more data will arrive. */
  private isOver = false
  /** Whether reading has stopped. */
  private isDropped = false
  private droppedBytes = 0
  private dumpTimer: NodeJS.Timeout | undefined

  constructor(controller: Dispatcher.DispatchController) {
    this.controller = controller
  }

  next(): Promise<Step> {
    if (this.chunks.length > 0) return Promise.resolve({ done: false, value: this.take() })
    if (this.fault !== null) {
      const { error } = this.fault
      this.fault = null
      return Promise.reject(error)
    }
    if (this.isOver || this.isDropped) return Promise.resolve({ done: true, value: undefined })
    if (this.reader !== null) return Promise.reject(new Error('The body is already being read.'))
    return new Promise((resolve, reject) => {
      this.reader = { resolve, reject }
    })
  }

  return(): Promise<Step> {
    this.destroy()
    return Promise.resolve({ done: true, value: undefined })
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  destroy(): void {
    this.drop()
    if (!this.isOver) this.controller.abort(new Error('The answer is no longer needed.'))
  }

  dump(): void {
    this.drop()
    if (this.isOver) return
    this.dumpTimer = setTimeout(() => this.destroy(), maxDumpMs).unref()
    if (this.controller.paused) this.controller.resume()
  }

  /** Called when a chunk has arrived. */
  push(chunk: Buffer): void {
    if (this.isDropped) {
      this.droppedBytes += chunk.length
      if (this.droppedBytes > maxDumpBytes) this.destroy()
      return
    }
    // Most reads find one chunk. An empty list that grows reserves room for 17.
    if (this.chunks.length === 0) this.chunks = [chunk]
    else this.chunks.push(chunk)
    this.queuedBytes += chunk.length
    if (this.queuedBytes >= highWaterBytes) this.controller.pause()
    // Later data of the same read is pushed before this runs.
    if (this.reader !== null && this.chunks.length === 1) queueMicrotask(this.deliver)
  }

  /** Called when the last chunk has arrived. */
  end(): void {
    this.finish()
    if (this.chunks.length === 0) this.wakeReader()
  }

  /** No more data will arrive; `error` is the reason. */
  fail(error: unknown): void {
    this.finish()
    if (this.isDropped) return
    const { reader } = this
    if (reader === null || this.chunks.length > 0) {
      this.fault = { error }
      return
    }
    this.reader = null
    reader.reject(error)
  }

  /** Called when the call is cancelled: queued data is discarded. */
  cancel(reason: unknown): void {
    this.chunks = []
    this.fail(reason)
  }

  /** All queued data. */
  private take(): Buffer {
    const { chunks, queuedBytes } = this
    this.chunks = []
    this.queuedBytes = 0
    if (this.controller.paused) this.controller.resume()
    const [first] = chunks
    return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, queuedBytes)
  }

  private readonly deliver = (): void => {
    const { reader } = this
    if (reader === null || this.chunks.length === 0) return
    this.reader = null
    reader.resolve({ done: false, value: this.take() })
  }

  private drop(): void {
    this.isDropped = true
    this.chunks = []
    this.fault = null
    this.wakeReader()
  }

  private wakeReader(): void {
    const { reader } = this
    this.reader = null
    reader?.resolve({ done: true, value: undefined })
  }

  private finish(): void {
    this.isOver = true
    clearTimeout(this.dumpTimer)
  }
}
