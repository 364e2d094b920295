/**
 * `multipart/form-data` (RFC 7578, RFC 2046 section 5.1) as fields and files: slices of the body, nothing copied.
 * A part with a file name is a file, whatever its type says, and a part without one is a field. Names may stand
 * without quotes, file names as `filename*` (RFC 5987): clients write both.
 * Errors: `invalid_body` for a form that breaks the format; `body_too_large` for more parts than are allowed.
 */
import { GatewayError, type UploadedFile } from '@gateway/contract'

export interface FormField {
  name: string
  value: string
}

export interface ParsedForm {
  fields: FormField[]
  files: UploadedFile[]
}

export interface PartLimits {
  maxFields: number
  maxFiles: number
}

/** More than any client writes above a part. */
const maxHeaderBytes = 16_384

const blankLine = Buffer.from('\r\n\r\n')
const carriageReturn = 13
const lineFeed = 10
const hyphen = 45

/** The boundary that a content type names; null when it names none. */
export function boundaryOf(contentType: string): string | null {
  const found = /;\s*boundary=(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i.exec(contentType)
  return found?.[1] ?? found?.[2] ?? null
}

/** Reads a whole body. */
export function parseMultipart(body: Buffer, boundary: string, limits: PartLimits): ParsedForm {
  const form: ParsedForm = { fields: [], files: [] }
  // A line break before the first delimiter, which stands at the very beginning, makes all delimiters alike.
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  let part = firstPart(body, delimiter)
  while (part !== null) {
    const end = nextDelimiter(body, delimiter, part)
    addPart(form, body.subarray(part, end.at))
    if (form.fields.length > limits.maxFields) throw tooMany('fields', limits.maxFields)
    if (form.files.length > limits.maxFiles) throw tooMany('files', limits.maxFiles)
    part = end.next
  }
  return form
}

/** Where the first part begins; null for a form without any. What stands before it is passed over. */
function firstPart(body: Buffer, delimiter: Buffer): number | null {
  const bare = delimiter.subarray(2)
  if (body.subarray(0, bare.length).equals(bare)) {
    const next = behind(body, bare.length)
    if (next !== undefined) return next
  }
  return nextDelimiter(body, delimiter, 0).next
}

/** The next delimiter from here on: where it stands, and where the part behind it begins (null: it was the last). */
function nextDelimiter(body: Buffer, delimiter: Buffer, from: number): { at: number; next: number | null } {
  for (let at = body.indexOf(delimiter, from); at !== -1; at = body.indexOf(delimiter, at + 2)) {
    const next = behind(body, at + delimiter.length)
    if (next !== undefined) return { at, next }
  }
  throw unreadable('it ends before its last boundary')
}

/** Where a part begins behind a delimiter; null behind the last one; undefined when it was none after all. */
function behind(body: Buffer, from: number): number | null | undefined {
  if (body[from] === hyphen && body[from + 1] === hyphen) return null
  let at = from
  while (body[at] === 32 || body[at] === 9) at += 1
  return body[at] === carriageReturn && body[at + 1] === lineFeed ? at + 2 : undefined
}

function addPart(form: ParsedForm, part: Buffer): void {
  const { headers, bytes } = splitPart(part)
  const { name, filename } = readDisposition(headers.get('content-disposition') ?? '')
  if (name === null || name === '') throw unreadable('a part has no name')
  const content = decode(bytes, headers.get('content-transfer-encoding'))
  if (filename === null) {
    form.fields.push({ name, value: content.toString('utf8') })
    return
  }
  // What a browser sends for a file that was not chosen.
  if (filename === '' && content.length === 0) return
  const contentType = headers.get('content-type') ?? 'application/octet-stream'
  form.files.push({ field: name, filename, contentType, bytes: content })
}

function splitPart(part: Buffer): { headers: Map<string, string>; bytes: Buffer } {
  const headers = new Map<string, string>()
  if (part[0] === carriageReturn && part[1] === lineFeed) return { headers, bytes: part.subarray(2) }
  const end = part.subarray(0, maxHeaderBytes).indexOf(blankLine)
  if (end === -1) throw unreadable('the headers of a part do not end')
  for (const line of part.toString('utf8', 0, end).split('\r\n')) {
    const colon = line.indexOf(':')
    if (colon < 1) throw unreadable('a part has a line that is no header')
    headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim())
  }
  return { headers, bytes: part.subarray(end + blankLine.length) }
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

function decode(bytes: Buffer, encoding: string | undefined): Buffer {
  switch (encoding?.toLowerCase()) {
    case undefined:
    case '7bit':
    case '8bit':
    case 'binary':
      return bytes
    case 'base64':
      return Buffer.from(bytes.toString('latin1'), 'base64')
    default:
      throw unreadable('a part has a transfer encoding that is not known')
  }
}

const unreadable = (reason: string) =>
  new GatewayError('invalid_body', `The form cannot be read: ${reason}.`, { param: '/' })

const tooMany = (what: string, limit: number) =>
  new GatewayError('body_too_large', `The form has more than ${limit} ${what}.`, { param: '/' })
