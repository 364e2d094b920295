/**
 * A minimal reader of HTTP/1.1 messages from raw socket bytes, for requests and answers: it splits the headers from the
 * body and decodes chunks. It does only what the bench needs, which keeps the mock and the load generator cheap. A
 * message has a content-length, is chunked, or has no body.
 */
export interface MessageSink {
  /** The head in lower case, without the empty line. */
  head(text: string): void
  /** A piece of the body: `bytes[start..end)`. */
  payload(bytes: Buffer, start: number, end: number): void
  end(): void
}

const HEAD = 0
const FIXED_BODY = 1
const CHUNK_SIZE = 2
const CHUNK_BODY = 3
const CHUNK_END = 4
const TRAILERS = 5

const LINE_FEED = 10
const HEAD_END = Buffer.from('\r\n\r\n')
const MAX_HEAD_BYTES = 64 * 1024

/** Reads messages one after the other; throws an Error on bytes that are not HTTP. */
export class MessageReader {
  #sink: MessageSink
  #state = HEAD
  #remaining = 0
  #leftover: Buffer | null = null

  constructor(sink: MessageSink) {
    this.#sink = sink
  }

  feed(received: Buffer): void {
    const bytes = this.#leftover === null ? received : Buffer.concat([this.#leftover, received])
    this.#leftover = null
    let position = 0
    while (position < bytes.length) {
      const next = this.#step(bytes, position)
      if (next < 0) {
        this.#keep(bytes, position)
        return
      }
      position = next
    }
  }

  /** Reads one element at `position`; returns the position after it, or -1 if more bytes are needed. */
  #step(bytes: Buffer, position: number): number {
    switch (this.#state) {
      case HEAD:
        return this.#readHead(bytes, position)
      case FIXED_BODY:
      case CHUNK_BODY:
        return this.#readBody(bytes, position)
      default:
        return this.#readLine(bytes, position)
    }
  }

  #readHead(bytes: Buffer, position: number): number {
    const end = bytes.indexOf(HEAD_END, position)
    if (end < 0) return -1
    const head = bytes.toString('latin1', position, end).toLowerCase()
    this.#remaining = contentLength(head)
    this.#state = head.includes('\r\ntransfer-encoding: chunked') ? CHUNK_SIZE : FIXED_BODY
    this.#sink.head(head)
    if (this.#state === FIXED_BODY && this.#remaining === 0) this.#finish()
    return end + HEAD_END.length
  }

  #readBody(bytes: Buffer, position: number): number {
    const end = Math.min(bytes.length, position + this.#remaining)
    this.#remaining -= end - position
    this.#sink.payload(bytes, position, end)
    if (this.#remaining > 0) return end
    if (this.#state === FIXED_BODY) this.#finish()
    else this.#state = CHUNK_END
    return end
  }

  #readLine(bytes: Buffer, position: number): number {
    const end = bytes.indexOf(LINE_FEED, position)
    if (end < 0) return -1
    if (this.#state === CHUNK_SIZE) {
      this.#remaining = Number.parseInt(bytes.toString('latin1', position, end), 16)
      if (Number.isNaN(this.#remaining)) throw new Error('unreadable chunk size')
      this.#state = this.#remaining === 0 ? TRAILERS : CHUNK_BODY
    } else if (this.#state === CHUNK_END) {
      this.#state = CHUNK_SIZE
    } else if (end - position <= 1) {
      this.#finish()
    }
    return end + 1
  }

  #finish(): void {
    this.#state = HEAD
    this.#sink.end()
  }

  #keep(bytes: Buffer, position: number): void {
    if (bytes.length - position > MAX_HEAD_BYTES) throw new Error('message head too large')
    this.#leftover = bytes.subarray(position)
  }
}

function contentLength(head: string): number {
  const start = head.indexOf('\r\ncontent-length:')
  return start < 0 ? 0 : Number.parseInt(head.slice(start + '\r\ncontent-length:'.length), 10)
}
