/**
 * Reads `multipart/form-data` (RFC 7578, RFC 2046 section 5.1) while it arrives, as fields and files. @fastify/busboy
 * splits the parts and their headers; its own form parser is not used, because it silently skips parts without a name
 * and drops parameters of content types. A part with a file name is a file, whatever its type, and a part without one
 * is a field. Clients send unquoted names and `filename*` (RFC 5987), so both are accepted. Errors: `invalid_body` for
 * a malformed form; `body_too_large` when a limit is exceeded. Errors of the source pass through.
 */
import { Readable } from 'node:stream'
import type { Dicer } from '@fastify/busboy'
import { isGatewayError, type UploadedFile } from '@gateway/contract'
import { addHeaders, type PartHead, readHead, tooLarge, tooMany, unreadable } from './part-head.ts'

export interface FormField {
  name: string
  value: string
}

export interface ParsedForm {
  fields: FormField[]
  files: UploadedFile[]
}

export interface FormLimits {
  maxFields: number
  maxFiles: number
  /** The limit for the values of all fields together. */
  maxFieldBytes: number
  /** The limit for each file. */
  maxFileBytes: number
}

/** RFC 2046 allows 70 characters; some clients write more. The splitter takes at most 252 bytes. */
const boundaryParameter = /;\s*boundary=(?:"([ !#-~]{1,200})"|([!#-:<-~]{1,200}))/i

/** The boundary parameter of a content type; null when it has none. */
export function boundaryOf(contentType: string): string | null {
  const [, quoted, bare] = boundaryParameter.exec(contentType) ?? []
  return quoted ?? bare ?? null
}

/** Reads a form to its end or its first error. */
export async function parseMultipart(
  source: AsyncIterable<Buffer>,
  boundary: string,
  limits: FormLimits,
): Promise<ParsedForm> {
  const { Dicer } = await import('@fastify/busboy')
  const splitter = new Dicer({ boundary })
  const chunks = Readable.from(source)
  const openPart = partsWithin(limits)
  const parts: Promise<Part | null>[] = []
  await new Promise<void>((resolve, reject) => {
    // The splitter throws only when the form, or a part of it, ended too early.
    const fail = (error: unknown) =>
      reject(isGatewayError(error) ? error : unreadable('it ends before its last boundary', error))
    splitter.on('part', (stream) => {
      const part = readPart(stream, openPart)
      part.catch(fail)
      parts.push(part)
    })
    splitter.on('finish', resolve).on('error', fail)
    chunks.on('error', fail).pipe(splitter)
  }).finally(() => chunks.destroy())
  const found = await Promise.all(parts)
  return {
    fields: found.filter((part): part is FormField => part !== null && 'value' in part),
    files: found.filter((part): part is UploadedFile => part !== null && 'bytes' in part),
  }
}

type Part = FormField | UploadedFile

interface OpenPart {
  add(chunk: Buffer): void
  /** Returns the part; null for an empty file input. */
  end(): Part | null
}

type OpensParts = (headers: ReadonlyMap<string, string>) => OpenPart

/** Reads a part in flowing mode, so nothing waits in the stream's buffer. */
function readPart(stream: Dicer.PartStream, openPart: OpensParts): Promise<Part | null> {
  return new Promise((resolve, reject) => {
    const headers = new Map<string, string>()
    let part: OpenPart | null = null
    const orReject =
      <Value>(step: (value: Value) => void) =>
      (value: Value) => {
        try {
          step(value)
        } catch (error) {
          reject(error)
        }
      }
    const opened = () => {
      part ??= openPart(headers)
      return part
    }
    stream.once('header', (found) => addHeaders(headers, found))
    stream.on('error', reject)
    stream.on(
      'end',
      orReject(() => resolve(opened().end())),
    )
    stream.on(
      'data',
      orReject((chunk: Buffer) => opened().add(chunk)),
    )
    // The first read only starts the flow; from here on `push` passes chunks on synchronously.
    stream.read(0)
  })
}

/** Opens the parts of one form, which share the limits. */
function partsWithin(limits: FormLimits): OpensParts {
  let fields = 0
  let files = 0
  let fieldBytes = 0

  const count = ({ filename }: PartHead) => {
    if (filename === null) fields += 1
    else files += 1
    if (fields > limits.maxFields) throw tooMany('fields', limits.maxFields)
    if (files > limits.maxFiles) throw tooMany('files', limits.maxFiles)
  }
  const check = ({ name, filename }: PartHead, sizeBytes: number) => {
    if (filename !== null && sizeBytes > limits.maxFileBytes) throw fileTooLarge(name, limits.maxFileBytes)
    if (filename === null && fieldBytes + sizeBytes > limits.maxFieldBytes)
      throw tooLarge('/', `The fields are larger than ${limits.maxFieldBytes} bytes.`)
  }

  return (headers) => {
    const head = readHead(headers)
    const { name, filename, contentType } = head
    const chunks: Buffer[] = []
    let sizeBytes = 0
    count(head)
    return {
      add(chunk) {
        chunks.push(chunk)
        sizeBytes += chunk.length
        // Base64 is measured when it is decoded.
        if (!head.isBase64) check(head, sizeBytes)
      },
      end() {
        const bytes = contentOf(chunks, head)
        check(head, bytes.length)
        if (filename === null) {
          fieldBytes += bytes.length
          return { name, value: bytes.toString('utf8') }
        }
        // Browsers send this for an empty file input.
        if (filename === '' && bytes.length === 0) return null
        return { field: name, filename, contentType, bytes }
      },
    }
  }
}

function contentOf(chunks: readonly Buffer[], { isBase64 }: PartHead): Buffer {
  const [first] = chunks
  const bytes = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks)
  return isBase64 ? Buffer.from(bytes.toString('latin1'), 'base64') : bytes
}

/** The field name of a file in a list: `image` for `image[]` and `image[0]`. */
export const withoutIndex = (field: string): string => field.replace(/\[\d*\]$/, '')

const fileTooLarge = (field: string, limit: number) =>
  tooLarge(`/${withoutIndex(field)}`, `The file is larger than ${limit} bytes.`)
