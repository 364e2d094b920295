/**
 * One keep-alive connection of the load generator: sends a request, checks its answer, sends the next one, at once or
 * when its owner says so. After an answer with `connection: close` it opens a new one; a connection that breaks within an answer
 * fails that request.
 */
import { connect, type Socket } from 'node:net'
import { AnswerCheck } from './answer-check.ts'
import type { BatchedCounter } from './batched-counter.ts'
import { COUNTER, type LoadJob } from './job.ts'
import { MessageReader } from './message-reader.ts'

let counter = 0

export interface Owner {
  /** The connection is closed, and no more requests will be sent. */
  finished(): void
  /** The answer is complete or has failed. */
  free(connection: Connection): void
}

/** Runs requests until the counter has enough. */
export class Connection {
  readonly #job: LoadJob
  readonly #counter: BatchedCounter
  readonly #check: AnswerCheck
  readonly #request: Buffer
  readonly #counterAt: number
  readonly #owner: Owner
  #reader: MessageReader
  #socket: Socket | null = null
  #startedAt = 0
  #firstEventAt = 0
  #waiting = false
  #closing = false

  constructor(job: LoadJob, counter: BatchedCounter, owner: Owner) {
    this.#job = job
    this.#counter = counter
    this.#owner = owner
    this.#check = new AnswerCheck(job.expect, counter.times)
    this.#request = requestBytes(job)
    this.#counterAt = this.#request.indexOf(COUNTER)
    this.#reader = this.#newReader()
  }

  /** Sends the next request, or closes when there is none left. `dueAt`: when it should have been sent. */
  next(dueAt = performance.now()): void {
    if (!this.#counter.take()) {
      this.stop()
      return
    }
    this.#check.begin(this.#counter.isFirst())
    this.#waiting = true
    this.#firstEventAt = 0
    const socket = this.#socket ?? this.#open()
    this.#startedAt = dueAt
    socket.write(this.#nextBytes())
  }

  /** Closes the connection; an answer that is still awaited counts as failed. */
  stop(): void {
    this.#close()
    if (this.#waiting) this.#fail('the time limit ended it')
    this.#owner.finished()
  }

  #close(): void {
    const socket = this.#socket
    this.#socket = null
    socket?.destroy()
  }

  #open(): Socket {
    const socket = connect({ host: '127.0.0.1', port: this.#job.port, noDelay: true })
    this.#reader = this.#newReader()
    socket.on('data', (bytes) => this.#receive(bytes))
    socket.on('error', (error) => this.#broken(socket, error.message))
    socket.on('close', () => this.#broken(socket, 'the server closed the connection'))
    this.#socket = socket
    return socket
  }

  #newReader(): MessageReader {
    return new MessageReader({
      head: (text) => this.#head(text),
      payload: (bytes, start, end) => this.#payload(bytes, start, end),
      end: () => this.#answered(),
    })
  }

  #receive(bytes: Buffer): void {
    try {
      this.#reader.feed(bytes)
    } catch (error) {
      if (this.#socket !== null) this.#broken(this.#socket, String(error))
    }
  }

  #head(text: string): void {
    this.#check.head(text)
    this.#closing = text.includes('\r\nconnection: close')
  }

  #payload(bytes: Buffer, start: number, end: number): void {
    this.#check.payload(bytes, start, end)
    if (this.#firstEventAt === 0 && this.#check.events > 0) this.#firstEventAt = performance.now()
  }

  #answered(): void {
    const now = performance.now()
    this.#waiting = false
    const fault = this.#check.end()
    if (fault === '') this.#counter.completed(now - this.#startedAt, this.#firstEventAt - this.#startedAt)
    else this.#counter.failed(fault)
    if (this.#closing) this.#close()
    this.#owner.free(this)
  }

  #broken(socket: Socket, reason: string): void {
    if (this.#socket !== socket) return
    this.#socket = null
    socket.destroy()
    if (!this.#waiting) return
    this.#fail(reason)
    this.#owner.free(this)
  }

  #fail(reason: string): void {
    this.#waiting = false
    this.#check.abandon()
    this.#counter.failed(reason)
  }

  #nextBytes(): Buffer {
    if (this.#counterAt < 0) return this.#request
    const bytes = Buffer.from(this.#request)
    counter += 1
    const number = counter % (this.#job.counterBelow ?? Number.POSITIVE_INFINITY)
    bytes.write(String(number).padStart(COUNTER.length, '0'), this.#counterAt, 'latin1')
    return bytes
  }
}

function requestBytes(job: LoadJob): Buffer {
  const lines = [
    `POST ${job.path} HTTP/1.1`,
    `host: 127.0.0.1:${job.port}`,
    'content-type: application/json',
    `content-length: ${Buffer.byteLength(job.body)}`,
    ...Object.entries(job.headers).map(([name, value]) => `${name}: ${value}`),
  ]
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${job.body}`)
}
