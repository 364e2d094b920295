/**
 * Reads the inference body once: JSON, a form with files, or bytes to forward; validated against the endpoint's schema.
 * Members that a prompt can supply may be missing. Also notes the session and the user that a coding agent sends.
 * Limits: `server.body_limit` for JSON and for the text of a form; `server.upload_limit` for each file of a form, and
 * four times that for a whole form and for proxied bodies. Errors: 400 `invalid_json`, and `invalid_body` and
 * `invalid_file` with all errors; 413 `body_too_large`; 415 `unsupported_media_type`; 499 `client_closed_request`; 503
 * `overloaded`.
 */
import {
  type Fault,
  GatewayError,
  isDeeperThan,
  isJsonType,
  isObject,
  type JsonObject,
  parseJson,
  type UploadedFile,
} from '@gateway/contract'
import type { FileRule, FormRules } from '@gateway/contract/wire'
import {
  changeInput,
  type Endpoint,
  idHeaders,
  idMembers,
  type Next,
  type Ports,
  type RawBody,
  type Routed,
  type SourceText,
} from '@gateway/flow'
import { maxBodyDepth } from '@gateway/validation'
import {
  boundaryOf,
  checkBodyOrPrompt,
  type FormField,
  formBody,
  parseMultipart,
  withoutIndex,
} from '../endpoints/index.ts'
import { noteAgent } from '../observability/index.ts'

export function parse<Result>(
  exchange: Routed,
  next: Next<Routed, Result>,
  ports: Ports<'observer'>,
): Promise<Result> {
  return readRequest(exchange, exchange.endpoint).then((read) => {
    accept(ports, exchange, read)
    return next(exchange)
  })
}

function accept(ports: Ports<'observer'>, exchange: Routed, read: ReadRequest): void {
  const { body, files = none, faults = none, raw = null } = read
  const bodyFault = checkBodyOrPrompt(exchange.endpoint, body, read.sizeBytes, faults)
  // It is an object: it was validated, alone or with the members of a prompt.
  const asked = body as JsonObject
  changeInput(exchange, { body: asked, source: sourceOf(read), files, raw, bodyFault })
  exchange.request.record.asked = asked
  if (mayNameSession(exchange)) noteAgent(ports, exchange, asked)
}

const mayNameSession = ({ headers, input: { body } }: Routed): boolean =>
  idHeaders.some((name) => headers[name] !== undefined) || idMembers.some((name) => body[name] !== undefined)

const none: readonly never[] = []

interface ReadRequest {
  /** The body is not checked yet. */
  body: unknown
  sizeBytes: number
  /** The JSON text of the body as received; null for other bodies, and if the body was completed. */
  text: string | null
  files?: readonly UploadedFile[]
  /** The errors of the files. */
  faults?: readonly Fault[]
  raw?: RawBody
}

const partLimits = { maxFields: 500, maxFiles: 32 }

/** Reads the body in the endpoint's format. */
function readRequest(exchange: Routed, endpoint: Endpoint): Promise<ReadRequest> {
  if (endpoint.isProxied) return readRaw(exchange)
  const rules = endpoint.form
  if (rules === null) return readJson(exchange, endpoint)
  if (/^multipart\/form-data\s*(;|$)/i.test(headerOf(exchange, 'content-type'))) {
    return readForm(exchange, endpoint, rules)
  }
  if (!rules.orJson) throw wrongType('Send a form, with content-type: multipart/form-data.')
  return readJson(exchange, endpoint).then((request) => ({
    ...request,
    faults: fileFaults(rules.files, [], request.body),
  }))
}

function readJson({ transport, workspace }: Routed, { completeBody }: Endpoint): Promise<ReadRequest> {
  const reading = transport.readJson({ maxBytes: workspace.file.server.body_limit })
  if (completeBody === null) return reading
  return reading.then((read) =>
    isObject(read.body)
      ? { body: completeBody(read.body, transport.path), sizeBytes: read.sizeBytes, text: null }
      : read,
  )
}

const headerOf = ({ transport }: Routed, name: string): string => {
  const value = transport.headers[name]
  return typeof value === 'string' ? value : ''
}

async function readForm(exchange: Routed, endpoint: Endpoint, rules: FormRules): Promise<ReadRequest> {
  const boundary = boundaryOf(headerOf(exchange, 'content-type'))
  if (boundary === null) throw wrongType('The content type has no boundary.')
  if (isEncoded(exchange)) throw wrongType('A form cannot be compressed.', 'header/content-encoding')
  const { body_limit, upload_limit } = exchange.workspace.file.server
  const source = exchange.transport.readChunks({ maxBytes: wholeLimit(exchange) })
  const form = await parseMultipart(source, boundary, {
    ...partLimits,
    maxFieldBytes: body_limit,
    maxFileBytes: upload_limit,
  })
  const files = form.files.map((file) => ({ ...file, field: withoutIndex(file.field) }))
  const body = formBody(form.fields, endpoint.request ?? undefined)
  return {
    body,
    text: null,
    sizeBytes: sizeOf(form.fields),
    files,
    faults: fileFaults(rules.files, files, body),
  }
}

const sizeOf = (fields: readonly FormField[]): number =>
  fields.reduce((sum, { value }) => sum + value.length, 0)

/** A proxied body: parsed as JSON if it is JSON, for routing and guardrails. */
async function readRaw(exchange: Routed): Promise<ReadRequest> {
  const bytes = await exchange.transport.readBytes({ maxBytes: wholeLimit(exchange) })
  const isJson = isJsonType(headerOf(exchange, 'content-type')) && !isEncoded(exchange)
  const text = isJson ? bytes.toString('utf8') : null
  const body = text === null ? null : parseJson(text)
  const isRead = isObject(body) && !isDeeperThan(body, maxBodyDepth)
  const sizeBytes = bytes.length
  if (!isRead) return { body: {}, text: null, sizeBytes, raw: { bytes, isRead } }
  return { body, text, sizeBytes, raw: { bytes, isRead } }
}

/** The limit leaves room for several files. */
const wholeLimit = ({ workspace }: Routed): number => workspace.file.server.upload_limit * 4

const isEncoded = (exchange: Routed): boolean => {
  const encoding = headerOf(exchange, 'content-encoding').trim().toLowerCase()
  return encoding !== '' && encoding !== 'identity'
}

function fileFaults(rules: readonly FileRule[], files: readonly UploadedFile[], body: unknown): Fault[] {
  const faults: Fault[] = []
  const fault = (param: string, message: string) => faults.push({ param, code: 'invalid_file', message })
  for (const { field, least, most, unless = [] } of rules) {
    const count = files.filter((file) => file.field === field).length
    const isGiven = isObject(body) && unless.some((member) => body[member] !== undefined)
    if (count < least && !isGiven) fault(`/${field}`, 'is required, as a file')
    if (count > most) fault(`/${field}`, most === 1 ? 'must be one file' : `must be at most ${most} files`)
  }
  for (const { field, bytes } of files) if (bytes.length === 0) fault(`/${field}`, 'is an empty file')
  return faults
}

/** The text, if it can be forwarded unchanged. */
function sourceOf({ body, text }: ReadRequest): SourceText | null {
  return text === null || !isObject(body) ? null : { body, text }
}

const wrongType = (message: string, param = 'header/content-type') =>
  new GatewayError('unsupported_media_type', message, { param })
