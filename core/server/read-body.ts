/**
 * Reads the body of a request: JSON by koa-body, anything else as bytes. Adds two things to koa-body: it detects a
 * connection that was cut behind a decoder, and counts bytes. Errors: `invalid_json`, `body_too_large`,
 * `unsupported_media_type`, `client_closed_request`, `overloaded`.
 */
import type { IncomingMessage } from 'node:http'
import { describeJsonFault, GatewayError, isGatewayError } from '@gateway/contract'
import type { RequestBuffers } from '@gateway/flow'
import type { Context } from 'koa'
import type { koaBody as KoaBody } from 'koa-body'

/** Content types in the syntax of `type-is`. */
const jsonTypes = ['json', '+json'] as const

/** One reader per limit, which changes only with a reload. */
const readers = new Map<number, ReturnType<typeof KoaBody>>()

let loading: Promise<typeof KoaBody> | null = null

/** Loads koa-body. It is slow to load, so this starts when the gateway listens, and the first body waits for it. */
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

/** The `next` of koa-body: no middleware follows. */
const ended = Promise.resolve()
const atOnce = () => ended

interface ReadJson {
  body: unknown
  /** Null if the body was not sent as text. */
  text: string | null
  sizeBytes: number
}

export function readJson(ctx: Context, maxBytes: number, buffers: RequestBuffers): Promise<ReadJson> {
  // `is` is null without a body and false for another type.
  if (ctx.req.headers['content-type'] !== 'application/json' && ctx.is(...jsonTypes) === false) {
    const message = 'Send JSON, with content-type: application/json.'
    throw new GatewayError('unsupported_media_type', message, { param: 'header/content-type' })
  }
  const read = (reader: ReturnType<typeof KoaBody>) => watchBody(ctx.req, buffers, () => reader(ctx, atOnce))
  const known = readers.get(maxBytes)
  const reading =
    known === undefined
      ? loadBodyReader().then((koaBody) => read(createReader(koaBody, maxBytes)))
      : read(known)
  return reading.then(
    () => readResult(ctx, buffers),
    (error: unknown) => {
      if (isGatewayError(error)) throw error
      if (isCut(ctx.req)) throw callerLeft(error)
      throw bodyError(error, maxBytes, ctx.req.headers['content-encoding'])
    },
  )
}

function readResult(ctx: Context, buffers: RequestBuffers): ReadJson {
  const { body, rawBody: text } = ctx.request as { body?: unknown; rawBody?: unknown }
  if (body === undefined || body === '')
    throw new GatewayError('invalid_json', 'The body is empty.', { param: '/' })
  const sizeBytes = typeof text === 'string' ? text.length : 0
  // Compressed bytes were already counted.
  if (ctx.req.headers['content-encoding'] !== undefined) buffers.hold(sizeBytes)
  return { body, text: typeof text === 'string' ? text : null, sizeBytes }
}

function bodyError(error: unknown, maxBytes: number, coding = 'identity'): unknown {
  if (!(error instanceof Error)) return error
  const { status, type, body } = error as { status?: unknown; type?: unknown; body?: unknown }
  if (status === 413 || type === 'entity.too.large') {
    return tooLarge(maxBytes)
  }
  if (type === 'request.aborted') return callerLeft(error)
  if (status === 415)
    return new GatewayError('unsupported_media_type', 'The body has an unknown content encoding.')
  // Decoders report specific error codes (`Z_DATA_ERROR`, `ERR__ERROR_FORMAT_PADDING_1`) and an error number.
  const isUndecodable = coding !== 'identity' && 'errno' in error && status === undefined
  if (isUndecodable)
    return new GatewayError('invalid_json', 'The body cannot be decompressed.', { param: '/', cause: error })
  // The error is not the cause, because its message quotes the body.
  if (error instanceof SyntaxError && /prototype/.test(error.message))
    return new GatewayError('invalid_json', 'The body has the key "__proto__".', { param: '/' })
  if (error instanceof SyntaxError || status === 400) return notJson(typeof body === 'string' ? body : '')
  return error
}

/** The error for a body that is not valid JSON, with the position of the syntax error. */
export const notJson = (text: string): GatewayError =>
  new GatewayError('invalid_json', `The body ${describeJsonFault(text)}.`, { param: '/' })

/** Reads the body as bytes, compressed or not. koa-body has no reader for that. */
export async function readBytes(ctx: Context, maxBytes: number, buffers: RequestBuffers): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of readChunks(ctx, maxBytes, (bytes) => buffers.hold(bytes))) chunks.push(chunk)
  const [first] = chunks
  return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks)
}

export async function* readChunks(
  { req }: Context,
  maxBytes: number,
  hold: (bytes: number) => void,
): AsyncGenerator<Buffer> {
  let sizeBytes = 0
  try {
    if (Number(req.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes)
    // Leaving the loop must not close the connection, because the error answer still has to be sent.
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
  new GatewayError('client_closed_request', 'The client disconnected.', { cause })

const tooLarge = (maxBytes: number) =>
  new GatewayError('body_too_large', `The body is larger than ${maxBytes} bytes.`)

/** Shorter bodies arrive in one or two reads, so their length is taken from the header. */
const shortBytes = 65_536

/** Whether the connection ended before the body was read, even if all of the body had arrived. */
const isCut = (req: IncomingMessage): boolean => req.destroyed && !req.readableEnded

/** Starts reading, and counts the bytes read in the request's buffers. */
function watchBody(
  req: IncomingMessage,
  buffers: RequestBuffers,
  read: () => Promise<unknown>,
): Promise<unknown> {
  const { 'content-length': length, 'content-encoding': coding } = req.headers
  if (coding === undefined && length !== undefined && Number(length) <= shortBytes) {
    buffers.hold(Number(length))
    return read()
  }
  return watchLong(req, buffers, read())
}

async function watchLong(
  req: IncomingMessage,
  buffers: RequestBuffers,
  reading: Promise<unknown>,
): Promise<void> {
  let stop: (error: unknown) => void = () => undefined
  const stopped = new Promise<never>((_, reject) => {
    stop = reject
  })
  const onClose = () => {
    if (isCut(req)) stop(new Error('The connection was closed within the body.'))
  }
  const onData = (chunk: Buffer) => {
    try {
      buffers.hold(chunk.length)
    } catch (error) {
      stop(error)
    }
  }
  req.once('close', onClose)
  // This listener is added after koa-body's own, which starts the reading.
  req.on('data', onData)
  onClose()
  try {
    await Promise.race([reading, stopped])
  } finally {
    req.off('close', onClose)
    req.off('data', onData)
    // If `stopped` has won the race, a later rejection of `reading` has no effect.
    reading.catch(() => undefined)
  }
}
