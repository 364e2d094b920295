/**
 * Streams `multipart/form-data` part by part, for files too large for memory (RFC 7578). Errors: `invalid_body` for a
 * malformed form; 413 `body_too_large`; those of the source.
 */
import { once } from 'node:events'
import { Readable } from 'node:stream'
import type { Dicer } from '@fastify/busboy'
import {
  type FormField,
  type FormFile,
  type FormParts,
  type GatewayError,
  isGatewayError,
} from '@gateway/contract'
import { addHeaders, type PartHead, readHead, tooLarge, tooMany, unreadable } from './part-head.ts'

/** The limit for all text fields together. */
const maxFieldBytes = 1_048_576
const maxParts = 100

interface OpenPart {
  stream: Dicer.PartStream
  headers: Map<string, string>
  /** Resolves when the headers have arrived, or the part has ended without headers. */
  begun: Promise<void>
}

/** Reads a form with this boundary. Each part must be read or cancelled before the next is requested. */
export async function* streamForm(source: AsyncIterable<Buffer>, boundary: string): FormParts {
  const { Dicer } = await import('@fastify/busboy')
  const splitter = new Dicer({ boundary })
  const chunks = Readable.from(source)
  const parts = createQueue<OpenPart>()
  let current: OpenPart | null = null
  const fail = (error: unknown) => {
    // The splitter throws only when the form, or a part of it, ended too early.
    const fault = isGatewayError(error) ? error : unreadable('it ends before its last boundary', error)
    current?.stream.destroy(fault)
    parts.fail(fault)
  }
  splitter.on('part', (stream) => {
    const headers = new Map<string, string>()
    stream.on('error', () => undefined)
    stream.once('header', (found) => addHeaders(headers, found))
    const begun = Promise.race(['header', 'readable', 'close'].map((event) => once(stream, event))).then(
      () => undefined,
    )
    begun.catch(() => undefined)
    parts.push({ stream, headers, begun })
  })
  splitter.on('finish', () => parts.end()).on('error', fail)
  chunks.on('error', fail).pipe(splitter)
  const limits = { parts: 0, fieldBytes: 0 }
  try {
    for (;;) {
      current = await parts.next()
      if (current === null) return
      limits.parts += 1
      if (limits.parts > maxParts) throw tooMany('parts', maxParts)
      yield await openPart(current, limits)
      // Discards the rest of a part that was not read to its end.
      current.stream.resume()
    }
  } finally {
    chunks.destroy()
    splitter.destroy()
  }
}

async function openPart(
  { stream, headers, begun }: OpenPart,
  limits: { fieldBytes: number },
): Promise<FormField | FormFile> {
  await begun
  const head = readHead(headers)
  if (head.isBase64) throw unreadable('a file has the transfer encoding base64')
  if (head.filename === null) return readField(stream, head, limits)
  const { name, filename, contentType } = head
  return { kind: 'file', name, filename, contentType, bytes: bytesOf(stream) }
}

async function readField(
  stream: Dicer.PartStream,
  { name }: PartHead,
  limits: { fieldBytes: number },
): Promise<FormField> {
  const chunks: Buffer[] = []
  for await (const chunk of bytesOf(stream)) {
    limits.fieldBytes += chunk.length
    if (limits.fieldBytes > maxFieldBytes)
      throw tooLarge('/', `The fields are larger than ${maxFieldBytes} bytes.`)
    chunks.push(chunk)
  }
  return { kind: 'field', name, value: Buffer.concat(chunks).toString('utf8') }
}

async function* bytesOf(stream: Dicer.PartStream): AsyncGenerator<Buffer> {
  try {
    for await (const chunk of stream.iterator({ destroyOnReturn: false })) yield chunk as Buffer
  } catch (error) {
    if (isGatewayError(error)) throw error
    throw unreadable('it ends before its last boundary', error)
  }
}

/** Parts found before they are requested are queued. */
function createQueue<T>() {
  const waiting: T[] = []
  let isOver = false
  let fault: GatewayError | null = null
  let wake: () => void = () => undefined
  return {
    push(item: T) {
      waiting.push(item)
      wake()
    },
    end() {
      isOver = true
      wake()
    },
    fail(error: GatewayError) {
      fault ??= error
      wake()
    },
    /** Null at the end. */
    async next(): Promise<T | null> {
      for (;;) {
        if (fault !== null) throw fault
        const item = waiting.shift()
        if (item !== undefined) return item
        if (isOver) return null
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
  }
}
