/**
 * The body of an upstream's answer while it arrives: an iterator for one reader, with backpressure.
 * It stands in for a Readable on the path that pays per chunk, and gives as one what came at once.
 */
import type { Dispatcher } from 'undici'
import type { UpstreamBody } from '../flow/upstream.ts'

type Step = IteratorResult<Buffer, undefined>

/** The reader's lag, in bytes, from which on the connection is not read. */
const highWaterBytes = 65_536

/** What a dump is worth at most, against a new connection. */
const maxDumpBytes = 131_072
const maxDumpMs = 1000

interface Reader {
  resolve(step: Step): void
  reject(error: unknown): void
}

export class AnswerBody implements UpstreamBody {
  private readonly controller: Dispatcher.DispatchController
  private chunks: Buffer[] = []
  private queuedBytes = 0
  private reader: Reader | null = null
  /** Thrown at the reader once, behind what was queued before it. */
  private fault: { error: unknown } | null = null
  /** Nothing more will come. */
  private isOver = false
  /** Nobody reads any more. */
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
    if (this.reader !== null) return Promise.reject(new Error('The body is being read already.'))
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
    if (!this.isOver) this.controller.abort(new Error('The answer is not wanted any more.'))
  }

  dump(): void {
    this.drop()
    if (this.isOver) return
    this.dumpTimer = setTimeout(() => this.destroy(), maxDumpMs).unref()
    if (this.controller.paused) this.controller.resume()
  }

  /** A chunk came. */
  push(chunk: Buffer): void {
    if (this.isDropped) {
      this.droppedBytes += chunk.length
      if (this.droppedBytes > maxDumpBytes) this.destroy()
      return
    }
    this.chunks.push(chunk)
    this.queuedBytes += chunk.length
    if (this.queuedBytes >= highWaterBytes) this.controller.pause()
    // What stands behind it in the same read is pushed before this runs.
    if (this.reader !== null && this.chunks.length === 1) queueMicrotask(this.deliver)
  }

  /** The last chunk came. */
  end(): void {
    this.finish()
    if (this.chunks.length === 0) this.wakeReader()
  }

  /** No more will come; `error` says why. */
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

  /** The call was called off: what is queued is not worth reading. */
  cancel(reason: unknown): void {
    this.chunks = []
    this.fail(reason)
  }

  /** All that is queued. */
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
