/**
 * Reads the body of a request: as JSON, as bytes, or in chunks. Errors: `invalid_json`, `body_too_large`,
 * `unsupported_media_type`, `client_closed_request`, `overloaded`.
 */
import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { brotliDecompress, unzip } from 'node:zlib'
import { describeJsonFault, GatewayError, isGatewayError, ownMember } from '@gateway/contract'
import type { MaybePromise, RequestBuffers } from '@gateway/flow'
import type { Context } from 'koa'
import { parse as parseJson } from 'secure-json-parse'

/** Content types in the syntax of `type-is`. */
const jsonTypes = ['json', '+json'] as const

interface ReadJson {
  body: unknown
  /** Without a byte order mark. */
  text: string
  sizeBytes: number
}

export function readJson(ctx: Context, maxBytes: number, buffers: RequestBuffers): Promise<ReadJson> {
  const { req } = ctx
  // `is` is null without a body and false for another type.
  if (req.headers['content-type'] !== 'application/json' && ctx.is(...jsonTypes) === false) {
    const message = 'Send JSON, with content-type: application/json.'
    throw new GatewayError('unsupported_media_type', message, { param: 'header/content-type' })
  }
  const coding = req.headers['content-encoding']
  if (coding === undefined) return readWhole(req, { maxBytes, buffers }, jsonOf)
  const decode = decoderOf(coding)
  return readWhole(req, { maxBytes, buffers }, async (encoded) => {
    const bytes = await decode(encoded, maxBytes)
    // The encoded bytes were already counted.
    if (bytes !== encoded) buffers.hold(bytes.length)
    return jsonOf(bytes)
  })
}

const byteOrderMark = '\uFEFF'

function jsonOf(bytes: Buffer): ReadJson {
  const decoded = bytes.toString('utf8')
  const text = decoded.startsWith(byteOrderMark) ? decoded.slice(byteOrderMark.length) : decoded
  if (text === '') throw new GatewayError('invalid_json', 'The body is empty.', { param: '/' })
  return { body: parse(text), text, sizeBytes: bytes.length }
}

const refusedKeys = { protoAction: 'error', constructorAction: 'ignore' } as const

function parse(text: string): unknown {
  try {
    return parseJson(text, null, refusedKeys)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    // The error is not the cause, because its message quotes the body.
    if (/prototype/.test(error.message))
      throw new GatewayError('invalid_json', 'The body has the key "__proto__".', { param: '/' })
    throw notJson(text)
  }
}

/** The error for a body that is not valid JSON, with the position of the syntax error. */
export const notJson = (text: string): GatewayError =>
  new GatewayError('invalid_json', `The body ${describeJsonFault(text)}.`, { param: '/' })

type Decode = (encoded: Buffer, maxBytes: number) => Promise<Buffer> | Buffer

const decoders: Readonly<Record<string, Decode>> = {
  identity: (bytes) => bytes,
  gzip: decoder(promisify(unzip)),
  deflate: decoder(promisify(unzip)),
  br: decoder(promisify(brotliDecompress)),
}

function decoderOf(coding: string): Decode {
  const decode = ownMember(decoders, coding.trim().toLowerCase())
  if (decode === undefined)
    throw new GatewayError('unsupported_media_type', 'The body has an unknown content encoding.')
  return decode
}

function decoder(
  decompress: (encoded: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>,
): Decode {
  return async (encoded, maxBytes) => {
    try {
      return await decompress(encoded, { maxOutputLength: maxBytes })
    } catch (error) {
      if (error instanceof RangeError) throw tooLarge(maxBytes)
      throw new GatewayError('invalid_json', 'The body cannot be decompressed.', { param: '/', cause: error })
    }
  }
}

/** Reads the body as bytes, compressed or not. */
export const readBytes = ({ req }: Context, maxBytes: number, buffers: RequestBuffers): Promise<Buffer> =>
  readWhole(req, { maxBytes, buffers }, (bytes) => bytes)

/**
 * Collects the body and continues with it. Without the body's iterator, which allocates several kilobytes.
 * @param next may throw
 */
function readWhole<T>(
  req: IncomingMessage,
  { maxBytes, buffers }: { maxBytes: number; buffers: RequestBuffers },
  next: (bytes: Buffer) => MaybePromise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    if (Number(req.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes)
    if (req.destroyed) throw callerLeft()
    let chunks: Buffer[] | null = null
    let sizeBytes = 0
    const onData = (chunk: Buffer) => {
      sizeBytes += chunk.length
      try {
        if (sizeBytes > maxBytes) throw tooLarge(maxBytes)
        buffers.hold(chunk.length)
        // Most bodies arrive in one chunk. An empty list that grows reserves room for 17.
        if (chunks === null) chunks = [chunk]
        else chunks.push(chunk)
      } catch (error) {
        // The connection stays open, because the error answer still has to be sent.
        req.off('data', onData).off('end', onEnd).pause()
        reject(error)
      }
    }
    const onEnd = () => {
      try {
        const [first] = chunks ?? []
        resolve(next(chunks?.length === 1 && first !== undefined ? first : Buffer.concat(chunks ?? [])))
      } catch (error) {
        reject(error)
      }
    }
    req.on('data', onData)
    req.on('end', onEnd)
    req.on('close', () => {
      if (!req.readableEnded) reject(callerLeft())
    })
  })
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

const callerLeft = (cause?: unknown) =>
  new GatewayError('client_closed_request', 'The client disconnected.', { cause })

const tooLarge = (maxBytes: number) =>
  new GatewayError('body_too_large', `The body is larger than ${maxBytes} bytes.`)
