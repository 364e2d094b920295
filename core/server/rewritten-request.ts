/**
 * A request that a service rewrites to one of an inference endpoint. It runs on the same exchange, so its caller is
 * authenticated once and one log entry describes it.
 */
import type { RewrittenRequest } from '@gateway/contract'
import {
  type Admitted,
  type Answer,
  type AnswerHead,
  type AnswerStream,
  type FoundRoute,
  required,
  type StreamEnding,
  type Transport,
} from '@gateway/flow'

/** @param find the route of a path for the method POST */
export async function serveRewritten(
  exchange: Admitted,
  rewritten: RewrittenRequest,
  find: (path: string) => FoundRoute | null,
): Promise<Answer> {
  const { target, params } = required(find(rewritten.path), `route ${rewritten.path}`)
  exchange.transport = new RewrittenTransport(exchange.transport, rewritten)
  exchange.headers = withJsonBody(exchange.headers)
  return target.serve(exchange, params)
}

const jsonType = 'application/json'

/** Headers that describe the replaced body. */
const ofBody: ReadonlySet<string> = new Set([
  'content-length',
  'content-encoding',
  'transfer-encoding',
  'expect',
])

function withJsonBody(headers: Admitted['headers']): Admitted['headers'] {
  const isSame = headers['content-type'] === jsonType && headers['content-encoding'] === undefined
  if (isSame) return headers
  const kept = Object.entries(headers).filter(([name]) => !ofBody.has(name))
  return { ...Object.fromEntries(kept), 'content-type': jsonType }
}

/** Another path and body on the same connection. */
class RewrittenTransport implements Transport {
  readonly method = 'POST'
  readonly path: string
  readonly search = ''
  readonly caller: Transport['caller']
  readonly origin: Transport['origin']
  readonly prompt: Transport['prompt']
  readonly session: Transport['session']
  readonly headers: Transport['headers']
  readonly buffers: Transport['buffers']
  private readonly received: Transport
  private readonly rewritten: RewrittenRequest

  constructor(received: Transport, rewritten: RewrittenRequest) {
    this.path = rewritten.path
    this.caller = received.caller
    this.origin = received.origin
    this.prompt = rewritten.prompt ?? null
    this.session = received.session
    this.headers = received.headers
    this.buffers = received.buffers
    this.received = received
    this.rewritten = rewritten
  }

  get query(): URLSearchParams {
    return new URLSearchParams()
  }

  get clientIp(): string {
    return this.received.clientIp
  }

  async readJson() {
    const { body, text } = this.rewritten
    const sizeBytes = Buffer.byteLength(text)
    this.buffers.hold(sizeBytes)
    return { body, text, sizeBytes }
  }

  async readBytes(): Promise<Buffer> {
    return Buffer.from(this.rewritten.text)
  }

  async *readChunks(): AsyncGenerator<Buffer> {
    yield await this.readBytes()
  }

  streamBody(): AsyncIterable<Buffer> {
    return this.readChunks()
  }

  isClosed(): boolean {
    return this.received.isClosed()
  }

  write(head: AnswerHead, text: string): void {
    head.headers['cache-control'] ??= 'no-store'
    this.received.write(head, this.rewritten.rewriteText?.(head, text) ?? text)
  }

  writeStream(head: AnswerHead, stream: AnswerStream, ending: StreamEnding): Promise<void> {
    return this.received.writeStream(head, stream, ending)
  }
}
