/**
 * The connection to the caller behind the {@link Transport} that stages know: koa-body reads, node writes.
 * Errors: `invalid_json`, `body_too_large`, `unsupported_media_type`.
 */
import type { Context } from 'koa'
import { koaBody } from 'koa-body'
import type { AnswerStream } from './answer.ts'
import { GatewayError } from './contract/index.ts'
import type { StreamEnding, Transport } from './exchange.ts'

/** Content types, as `type-is` has them. */
const jsonTypes = ['json', '+json'] as const

/** One reader a limit: the limit changes with a reload only. */
const readers = new Map<number, ReturnType<typeof koaBody>>()

function readerFor(maxBytes: number): ReturnType<typeof koaBody> {
  const known = readers.get(maxBytes)
  if (known !== undefined) return known
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

export function createTransport(ctx: Context): Transport {
  const { req, res } = ctx
  return {
    method: ctx.method,
    path: ctx.path,
    query: new URLSearchParams(ctx.querystring),
    headers: req.headers,
    readJson: ({ maxBytes }) => readJson(ctx, maxBytes),
    isClosed: () => res.destroyed && !res.writableFinished,
    write({ status, headers }, body) {
      ctx.respond = false
      if (res.destroyed) return
      headers['content-length'] = String(Buffer.byteLength(body))
      res.writeHead(status, headers)
      // As text, so that node sends head and body in one piece.
      res.end(body)
    },
    async writeStream({ status, headers }, stream, ending) {
      ctx.respond = false
      if (res.destroyed) {
        await stream.return?.()
        return
      }
      res.writeHead(status, headers)
      await pump(res, stream, ending)
    },
  }
}

/** Waits for a slow caller; stops reading when the caller is gone. */
async function pump(res: Context['res'], stream: AnswerStream, ending: StreamEnding): Promise<void> {
  try {
    for (;;) {
      const step = await stream.next()
      if (step.done === true) break
      ending.sent(step.value)
      if (!res.write(step.value)) await writable(res)
      if (res.destroyed) {
        await stream.return?.()
        return
      }
    }
  } catch (error) {
    if (res.destroyed) return
    res.write(ending.failed(error))
  }
  res.end()
}

/** Resolves when the caller has read what was written, or is gone. */
function writable(res: Context['res']): Promise<void> {
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

async function readJson(ctx: Context, maxBytes: number) {
  // `is` is null without a body and false for another type.
  if (ctx.is(...jsonTypes) === false) {
    const message = 'Send JSON, with content-type: application/json.'
    throw new GatewayError('unsupported_media_type', message, { param: 'header/content-type' })
  }
  try {
    await readerFor(maxBytes)(ctx, () => Promise.resolve())
  } catch (error) {
    throw bodyError(error, maxBytes)
  }
  const { body, rawBody: text } = ctx.request as { body?: unknown; rawBody?: unknown }
  if (body === undefined || body === '')
    throw new GatewayError('invalid_json', 'The body is empty.', { param: '/' })
  return {
    body,
    text: typeof text === 'string' ? text : null,
    sizeBytes: typeof text === 'string' ? text.length : 0,
  }
}

function bodyError(error: unknown, maxBytes: number): unknown {
  if (!(error instanceof Error)) return error
  const { status, type } = error as { status?: unknown; type?: unknown }
  if (status === 413 || type === 'entity.too.large') {
    return new GatewayError('body_too_large', `The body is larger than ${maxBytes} bytes.`)
  }
  if (type === 'request.aborted') return new GatewayError('client_closed_request', 'The caller left.')
  if (status === 415)
    return new GatewayError('unsupported_media_type', 'The body has an encoding that is not known.')
  const isZlib = 'code' in error && typeof error.code === 'string' && error.code.startsWith('Z_')
  if (error instanceof SyntaxError || status === 400 || isZlib) {
    const message = isZlib
      ? 'The body cannot be decompressed.'
      : `The body is not valid JSON: ${error.message.slice(0, 200)}`
    return new GatewayError('invalid_json', message, { param: '/', cause: error })
  }
  return error
}
