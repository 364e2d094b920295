/**
 * Reads `multipart/form-data` (RFC 7578, RFC 2046 section 5.1) while it arrives, as fields and files. @fastify/busboy
 * splits the parts and their headers; its own reader of form fields is not used, because it skips parts without a name
 * in silence and drops the parameters of content types.
 * A part with a file name is a file, whatever its type says, and a part without one is a field. Names may stand
 * without quotes, file names as `filename*` (RFC 5987): clients write both.
 * Errors: `invalid_body` for a form that breaks the format; `body_too_large` for what exceeds a limit. Errors of the
 * source pass through.
 */
import { Readable } from 'node:stream'
import type { Dicer } from '@fastify/busboy'
import { GatewayError, isGatewayError, type UploadedFile } from '@gateway/contract'

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
  /** For the values of all fields together. */
  maxFieldBytes: number
  /** For each file. */
  maxFileBytes: number
}

/** RFC 2046 allows 70 characters; some clients write more. The splitter takes at most 252 bytes. */
const boundaryParameter = /;\s*boundary=(?:"([ !#-~]{1,200})"|([!#-:<-~]{1,200}))/i

/** The boundary that a content type names; null when it names none. */
export function boundaryOf(contentType: string): string | null {
  const [, quoted, bare] = boundaryParameter.exec(contentType) ?? []
  return quoted ?? bare ?? null
}

/** Reads a form to its end, or to the first thing that is wrong with it. */
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
    // Whatever the splitter throws is about the form: it, or a part of it, ended too early.
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
  /** Null for a file input in which nothing was chosen. */
  end(): Part | null
}

type OpensParts = (headers: ReadonlyMap<string, string>) => OpenPart

/** Reads a part as its bytes are found: in flowing mode nothing waits in the stream's own buffer. */
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
    // Its first read asks for nothing; from here on a chunk is passed on within `push`.
    stream.read(0)
  })
}

interface PartHead {
  name: string
  /** Null for a field. */
  filename: string | null
  contentType: string
  isBase64: boolean
}

/** Opens the parts of one form, which share its limits. */
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
        // What a browser sends for a file that was not chosen.
        if (filename === '' && bytes.length === 0) return null
        return { field: name, filename, contentType, bytes }
      },
    }
  }
}

/** The splitter reads headers as Latin-1; clients write UTF-8. */
function addHeaders(headers: Map<string, string>, found: object): void {
  for (const [name, values] of Object.entries(found as Record<string, string[]>))
    headers.set(
      name,
      Buffer.from(values.at(-1) ?? '', 'latin1')
        .toString('utf8')
        .trim(),
    )
}

function contentOf(chunks: readonly Buffer[], { isBase64 }: PartHead): Buffer {
  const [first] = chunks
  const bytes = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks)
  return isBase64 ? Buffer.from(bytes.toString('latin1'), 'base64') : bytes
}

function readHead(headers: ReadonlyMap<string, string>): PartHead {
  const { name, filename } = readDisposition(headers.get('content-disposition') ?? '')
  if (name === null || name === '') throw unreadable('a part has no name')
  const encoding = headers.get('content-transfer-encoding')?.toLowerCase() ?? 'binary'
  if (!['7bit', '8bit', 'binary', 'base64'].includes(encoding))
    throw unreadable('a part has a transfer encoding that is not known')
  const contentType = headers.get('content-type') ?? 'application/octet-stream'
  return { name, filename, contentType, isBase64: encoding === 'base64' }
}

/** One parameter of a header: a name, and a value in quotes or without. */
const parameter = /;\s*([^\s=;]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;]*))/g

function readDisposition(header: string): { name: string | null; filename: string | null } {
  if (!/^form-data\s*(;|$)/i.test(header)) return { name: null, filename: null }
  const parameters = new Map<string, string>()
  for (const [, key = '', quoted, bare = ''] of header.matchAll(parameter)) {
    parameters.set(key.toLowerCase(), quoted === undefined ? bare : unescapeName(quoted))
  }
  const extended = readExtended(parameters.get('filename*'))
  return { name: parameters.get('name') ?? null, filename: extended ?? parameters.get('filename') ?? null }
}

/** As browsers write names, and as mail does. */
const unescapeName = (text: string): string =>
  text.replaceAll('\\"', '"').replace(/%22|%0D|%0A/gi, (code) => decodeURIComponent(code))

/** `utf-8''na%C3%AFve.wav`; null for another charset, for which `filename` stands beside it. */
function readExtended(value: string | undefined): string | null {
  const encoded = /^utf-8'[^']*'(.*)$/i.exec(value ?? '')?.[1]
  if (encoded === undefined) return null
  try {
    return decodeURIComponent(encoded)
  } catch {
    return null
  }
}

/** The field of a file that is one of a list: `image` for `image[]` and `image[0]`. */
export const withoutIndex = (field: string): string => field.replace(/\[\d*\]$/, '')

const unreadable = (reason: string, cause?: unknown) =>
  new GatewayError('invalid_body', `The form cannot be read: ${reason}.`, { param: '/', cause })

const tooLarge = (param: string, message: string) => new GatewayError('body_too_large', message, { param })

const tooMany = (what: string, limit: number) => tooLarge('/', `The form has more than ${limit} ${what}.`)

const fileTooLarge = (field: string, limit: number) =>
  tooLarge(`/${withoutIndex(field)}`, `The file is larger than ${limit} bytes.`)
