/**
 * The connection to the caller behind the {@link Transport} that stages know: koa-body reads, node writes.
 * Errors: `invalid_json`, `body_too_large`, `unsupported_media_type`, `client_closed_request`.
 */

import type { ServerResponse } from 'node:http'
import { GatewayError, isGatewayError } from '@gateway/contract'
import type { Context } from 'koa'
import type { koaBody as KoaBody } from 'koa-body'
import type { AnswerStream } from '../flow/answer.ts'
import type { AnswerHead, StreamEnding, Transport } from '../flow/exchange.ts'
import type { RequestBuffers } from '../shared/buffer-budget.ts'
import { batchWrite } from './batch-writes.ts'
import { discardRest } from './node/discard-rest.ts'
import { flushWrites } from './node/flush-writes.ts'
import { isCut, watchBody } from './watch-body.ts'
import { writeStream } from './write-stream.ts'

/** Content types, as `type-is` has them. */
const jsonTypes = ['json', '+json'] as const

/** One reader a limit: the limit changes with a reload only. */
const readers = new Map<number, ReturnType<typeof KoaBody>>()

let loading: Promise<typeof KoaBody> | null = null

/** koa-body takes a while to load: it is asked for when the gateway listens, and waited for by the first body. */
export function loadBodyReader(): Promise<typeof KoaBody> {
  loading ??= import('koa-body').then(({ koaBody }) => koaBody)
  return loading
}

function createReader(koaBody: typeof KoaBody, maxBytes: number): ReturnType<typeof KoaBody> {
  const made = koaBody({
    jsonLimit: maxBytes,
    json: true,
    jsonTypes: [...jsonTypes],
    jsonStrict: false,
    text: false,
    urlencoded: false,
    multipart: false,
    includeUnparsed: true,
  })
  readers.set(maxBytes, made)
  return made
}

const nonAscii = /[\x80-\xff]/

/** Whether a value stands for bytes that are not ASCII: node reads and writes headers as Latin-1. */
function hasByteHeader(headers: Readonly<Record<string, string>>): boolean {
  for (const name in headers) if (nonAscii.test(headers[name] ?? '')) return true
  return false
}

/** What an answer varies by for the gateway (`server.cors`) holds beside what it varies by for the provider. */
function keepVary(res: ServerResponse, headers: Record<string, string>): void {
  if (headers.vary === undefined) return
  const own = res.getHeader('vary')
  if (typeof own === 'string') headers.vary = `${own}, ${headers.vary}`
}

type AddressOf = (remote: string, forwarded: string | string[] | undefined) => string

export interface TransportOptions {
  buffers: RequestBuffers
  /** The caller's address, of the connection's other end and `x-forwarded-for`. */
  addressOf: AddressOf
}

/** A class, as every request makes one: its members are made once. */
class KoaTransport implements Transport {
  readonly method: string
  readonly path: string
  readonly headers: Transport['headers']
  readonly caller = null
  readonly origin = null
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
    discardRest(ctx.req)
    headers['content-length'] = String(Buffer.byteLength(body))
    keepVary(res, headers)
    res.writeHead(status, headers)
    // As text, so that node sends head and body in one piece; it then writes both as UTF-8, and the bytes of such headers
    // would be encoded twice.
    const sent = hasByteHeader(headers) ? Buffer.from(body) : body
    batchWrite(() => res.destroyed || res.end(sent))
  }

  /** Chunks of this turn leave with those of others. */
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
    discardRest(ctx.req)
    keepVary(res, headers)
    res.writeHead(status, headers)
    await writeStream(
      res,
      stream,
      {
        ...ending,
        sent: (bytes) => {
          ending.sent(bytes)
          this.hold()
        },
      },
      () => {
        this.isCut = true
        // What came before the break is the caller's.
        flushWrites(res)
        res.destroy()
      },
    )
  }
}

export const createTransport = (ctx: Context, options: TransportOptions): Transport =>
  new KoaTransport(ctx, options)

async function readJson(ctx: Context, maxBytes: number, buffers: RequestBuffers) {
  // `is` is null without a body and false for another type.
  if (ctx.req.headers['content-type'] !== 'application/json' && ctx.is(...jsonTypes) === false) {
    const message = 'Send JSON, with content-type: application/json.'
    throw new GatewayError('unsupported_media_type', message, { param: 'header/content-type' })
  }
  try {
    const read = readers.get(maxBytes) ?? createReader(await loadBodyReader(), maxBytes)
    await watchBody(ctx.req, buffers, () => read(ctx, () => Promise.resolve()))
  } catch (error) {
    if (isGatewayError(error)) throw error
    if (isCut(ctx.req)) throw callerLeft(error)
    throw bodyError(error, maxBytes, ctx.req.headers['content-encoding'])
  }
  const { body, rawBody: text } = ctx.request as { body?: unknown; rawBody?: unknown }
  if (body === undefined || body === '')
    throw new GatewayError('invalid_json', 'The body is empty.', { param: '/' })
  const sizeBytes = typeof text === 'string' ? text.length : 0
  // What came packed was counted as it came.
  if (ctx.req.headers['content-encoding'] !== undefined) buffers.hold(sizeBytes)
  return { body, text: typeof text === 'string' ? text : null, sizeBytes }
}

function bodyError(error: unknown, maxBytes: number, coding = 'identity'): unknown {
  if (!(error instanceof Error)) return error
  const { status, type } = error as { status?: unknown; type?: unknown }
  if (status === 413 || type === 'entity.too.large') {
    return tooLarge(maxBytes)
  }
  if (type === 'request.aborted') return callerLeft(error)
  if (status === 415)
    return new GatewayError('unsupported_media_type', 'The body has an encoding that is not known.')
  // Decoders have names of their own for what is wrong (`Z_DATA_ERROR`, `ERR__ERROR_FORMAT_PADDING_1`), and a number.
  const isUndecodable = coding !== 'identity' && 'errno' in error && status === undefined
  if (error instanceof SyntaxError || status === 400 || isUndecodable) {
    const message = isUndecodable
      ? 'The body cannot be decompressed.'
      : `The body is not valid JSON: ${error.message.slice(0, 200)}`
    return new GatewayError('invalid_json', message, { param: '/', cause: error })
  }
  return error
}

/** The body as bytes, compressed or not: koa-body has no reader for it. */
async function readBytes(ctx: Context, maxBytes: number, buffers: RequestBuffers): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of readChunks(ctx, maxBytes, (bytes) => buffers.hold(bytes))) chunks.push(chunk)
  const [first] = chunks
  return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks)
}

async function* readChunks(
  { req }: Context,
  maxBytes: number,
  hold: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  let sizeBytes = 0
  try {
    if (Number(req.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes)
    // Leaving the loop must not end the connection: the caller is still to be told why.
    for await (const chunk of req.iterator({ destroyOnReturn: false })) {
      sizeBytes += chunk.length
      if (sizeBytes > maxBytes) throw tooLarge(maxBytes)
      hold(chunk.length)
      yield chunk
    }
  } catch (error) {
    if (isGatewayError(error)) throw error
    throw callerLeft(error)
  }
}

const callerLeft = (cause: unknown) =>
  new GatewayError('client_closed_request', 'The caller left.', { cause })

const tooLarge = (maxBytes: number) =>
  new GatewayError('body_too_large', `The body is larger than ${maxBytes} bytes.`)
