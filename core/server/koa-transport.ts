/**
 * Implements {@link Transport} for client connections. Errors: those of read-body.ts.
 */

import type { ServerResponse } from 'node:http'
import type { AnswerHead, AnswerStream, RequestBuffers, StreamEnding, Transport } from '@gateway/flow'
import type { Context } from 'koa'
import { createChunkWriter } from './node/chunk-writer.ts'
import { discardRest } from './node/discard-rest.ts'
import { flushWrites } from './node/flush-writes.ts'
import { readBytes, readChunks, readJson } from './read-body.ts'

/** Adds the gateway's `vary` (`server.cors`) to the provider's. */
function keepVary(res: ServerResponse, headers: Record<string, string>): void {
  if (headers.vary === undefined) return
  const own = res.getHeader('vary')
  if (typeof own === 'string') headers.vary = `${own}, ${headers.vary}`
}

type AddressOf = (remote: string, forwarded: string | string[] | undefined) => string

export interface TransportOptions {
  buffers: RequestBuffers
  /** The caller's address, from the connection's peer and `x-forwarded-for`. */
  addressOf: AddressOf
}

/** A class, because every request creates one. */
class KoaTransport implements Transport {
  readonly method: string
  readonly path: string
  readonly headers: Transport['headers']
  readonly caller = null
  readonly origin = null
  readonly prompt = null
  readonly session = null
  readonly buffers: RequestBuffers
  private readonly addressOf: AddressOf
  private readonly ctx: Context
  private isCut = false

  constructor(ctx: Context, { buffers, addressOf }: TransportOptions) {
    this.ctx = ctx
    this.addressOf = addressOf
    this.buffers = buffers
    this.method = ctx.method
    this.path = ctx.path
    this.headers = ctx.req.headers
  }

  get query(): URLSearchParams {
    return new URLSearchParams(this.ctx.querystring)
  }

  get search(): string {
    return this.ctx.search
  }

  get clientIp(): string {
    const { socket, headers } = this.ctx.req
    return this.addressOf(socket.remoteAddress ?? '', headers['x-forwarded-for'])
  }

  readJson({ maxBytes }: { maxBytes: number }) {
    return readJson(this.ctx, maxBytes, this.buffers)
  }

  readBytes({ maxBytes }: { maxBytes: number }): Promise<Buffer> {
    return readBytes(this.ctx, maxBytes, this.buffers)
  }

  readChunks({ maxBytes }: { maxBytes: number }): AsyncIterable<Buffer> {
    return readChunks(this.ctx, maxBytes, (bytes) => this.buffers.hold(bytes))
  }

  streamBody(): AsyncIterable<Buffer> {
    return readChunks(this.ctx, Number.POSITIVE_INFINITY, () => undefined)
  }

  isClosed(): boolean {
    const { res } = this.ctx
    return res.destroyed && !res.writableFinished && !this.isCut
  }

  write({ status, headers }: AnswerHead, body: string): void {
    const { ctx } = this
    const { res } = ctx
    ctx.respond = false
    if (res.destroyed) return
    if (!ctx.req.readableEnded) discardRest(ctx.req)
    // Not text: Node would encode it together with the head, as UTF-8, which V8 copies once more for that, and which
    // would encode the bytes of non-ASCII headers twice.
    const bytes = Buffer.from(body)
    headers['content-length'] = String(bytes.length)
    keepVary(res, headers)
    res.writeHead(status, headers)
    batchWrite(() => res.destroyed || res.end(bytes))
  }

  /** Chunks of one turn of the event loop are written together with those of other answers. */
  private hold(): void {
    const { socket } = this.ctx.res
    if (socket === null) return
    socket.cork()
    batchWrite(() => socket.uncork())
  }

  async writeStream(
    { status, headers }: AnswerHead,
    stream: AnswerStream,
    ending: StreamEnding,
  ): Promise<void> {
    const { ctx } = this
    const { res } = ctx
    ctx.respond = false
    if (res.destroyed) {
      await stream.return?.()
      return
    }
    if (!ctx.req.readableEnded) discardRest(ctx.req)
    keepVary(res, headers)
    res.writeHead(status, headers)
    await writeStream(
      res,
      {
        stream,
        ending: {
          ...ending,
          sent: (bytes) => {
            ending.sent(bytes)
            this.hold()
          },
        },
      },
      () => {
        this.isCut = true
        // Data received before the failure is still sent to the caller.
        flushWrites(res)
        res.destroy()
      },
    )
  }
}

export const createTransport = (ctx: Context, options: TransportOptions): Transport =>
  new KoaTransport(ctx, options)

/**
 * Writes a stream to the client with backpressure, to its last byte, and stops reading when the client disconnects.
 * The head has already been written.
 */
async function writeStream(
  res: ServerResponse,
  { stream, ending }: { stream: AnswerStream; ending: StreamEnding },
  cut: () => void,
): Promise<void> {
  const { write, end } = createChunkWriter(res)
  try {
    for (;;) {
      const step = await stream.next()
      if (step.done === true) break
      ending.sent(step.value)
      if (!write(step.value)) await writable(res)
      if (res.destroyed) {
        await stream.return?.()
        return
      }
    }
    if (ending.trailer !== null) write(ending.trailer)
  } catch (error) {
    if (res.destroyed) return
    const last = ending.failed(error)
    if (last === null) return cut()
    write(last)
  }
  end()
}

/** Resolves when the client has read everything written, or has disconnected. */
function writable(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      res.off('drain', done)
      res.off('close', done)
      resolve()
    }
    res.once('drain', done)
    res.once('close', done)
    if (res.destroyed) done()
  })
}

let waiting: (() => void)[] = []
let inThisTurn = 0
let inLastTurn = 0

/**
 * Batches the writes of one turn of the event loop. Waking a waiting peer costs the writer more than copying the bytes.
 * When many answers are ready in one turn, the first write wakes the peer for all of them.
 * @param write must not throw. It runs after the events of this turn are handled, or immediately if it is probably the
 * only one.
 */
export function batchWrite(write: () => void): void {
  inThisTurn += 1
  if (inThisTurn === 1) setImmediate(endTurn)
  if (inThisTurn > 1 || inLastTurn > 1) waiting.push(write)
  else write()
}

function endTurn(): void {
  const writes = waiting
  waiting = []
  inLastTurn = inThisTurn
  inThisTurn = 0
  for (const write of writes) write()
}
