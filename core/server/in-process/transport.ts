/**
 * The {@link Transport} of an in-process request: its body is an object, and its answer is returned to the requester.
 * Errors: 413 `body_too_large`, `invalid_json` when a required body is missing.
 */
import { GatewayError, type InferenceAnswer, type JsonObject } from '@gateway/contract'
import type {
  AnswerHead,
  AnswerStream,
  Canceller,
  RequestBuffers,
  RequestOrigin,
  StreamEnding,
  Transport,
} from '@gateway/flow'
import { createAnswerReader } from './answer-reader.ts'

export interface InProcessTransportOptions {
  method: string
  /** The path with its query. */
  url: string
  headers: Transport['headers']
  body: JsonObject | null
  /** The body as JSON text, if it has already been serialized. */
  text?: string | undefined
  /** The body if it is not JSON. */
  raw: AsyncIterable<Uint8Array> | null
  clientIp: string
  caller: Transport['caller']
  origin: RequestOrigin
  buffers: RequestBuffers
  leaving: Canceller
  /** Receives the answer, once. */
  answered(answer: InferenceAnswer): void
}

export class InProcessTransport implements Transport {
  readonly method: string
  readonly path: string
  readonly search: string
  readonly headers: Transport['headers']
  readonly caller: Transport['caller']
  readonly origin: RequestOrigin
  readonly prompt: Transport['prompt']
  readonly clientIp: string
  readonly session = null
  readonly buffers: RequestBuffers
  private readonly given: InProcessTransportOptions
  private isBrokenOff = false

  constructor(given: InProcessTransportOptions) {
    const at = given.url.indexOf('?')
    this.given = given
    this.method = given.method
    this.path = at === -1 ? given.url : given.url.slice(0, at)
    this.search = at === -1 ? '' : given.url.slice(at)
    this.headers = given.headers
    this.caller = given.caller
    this.origin = given.origin
    this.prompt = given.origin.prompt ?? null
    this.clientIp = given.clientIp
    this.buffers = given.buffers
  }

  get query(): URLSearchParams {
    return new URLSearchParams(this.search)
  }

  async readJson({ maxBytes }: { maxBytes: number }) {
    const { body } = this.given
    if (body === null) throw new GatewayError('invalid_json', 'The body is empty.', { param: '/' })
    const text = this.textOf(body, maxBytes)
    return { body, text, sizeBytes: text.length }
  }

  async readBytes({ maxBytes }: { maxBytes: number }): Promise<Buffer> {
    const { body } = this.given
    return body === null ? Buffer.alloc(0) : Buffer.from(this.textOf(body, maxBytes))
  }

  async *readChunks(limits: { maxBytes: number }): AsyncGenerator<Buffer> {
    const { raw } = this.given
    if (raw !== null) {
      for await (const bytes of raw) yield Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      return
    }
    const bytes = await this.readBytes(limits)
    if (bytes.length > 0) yield bytes
  }

  streamBody(): AsyncIterable<Buffer> {
    return this.readChunks({ maxBytes: Number.POSITIVE_INFINITY })
  }

  private textOf(body: JsonObject, maxBytes: number): string {
    const text = this.given.text ?? JSON.stringify(body)
    const sizeBytes = Buffer.byteLength(text)
    if (sizeBytes > maxBytes)
      throw new GatewayError('body_too_large', `The body is larger than ${maxBytes} bytes.`)
    this.buffers.hold(sizeBytes)
    return text
  }

  isClosed(): boolean {
    return this.given.leaving.aborted && !this.isBrokenOff
  }

  write({ status, headers }: AnswerHead, body: string): void {
    this.given.answered({ status, headers, text: body, stream: null })
  }

  writeStream({ status, headers }: AnswerHead, stream: AnswerStream, ending: StreamEnding): Promise<void> {
    const { answered, leaving } = this.given
    return new Promise((finished) => {
      const reader = createAnswerReader(stream, {
        ending,
        leaving,
        brokeOff: () => {
          this.isBrokenOff = true
        },
        finished,
      })
      answered({ status, headers, text: null, stream: reader })
    })
  }
}
