/**
 * `POST /v1/files`: parses the form while it arrives. The fields before the file determine where the file is stored.
 * Errors: 400 `invalid_body`; 413 `body_too_large`; 415 `unsupported_media_type`; 400 `no_provider`.
 */

import {
  describeJsonFault,
  type EndpointRequest,
  type Fault,
  type FormFile,
  type FormParts,
  isObject,
  type JsonObject,
  parseJson,
  type ServiceAnswer,
  type ServiceContext,
} from '@gateway/contract'
import { uploadPurposes } from '@gateway/contract/wire'
import { mustBeOneOf } from '@gateway/domain'
import type { AuditLog } from '../shared/audit.ts'
import { callerOf } from '../shared/caller.ts'
import type { Owner } from '../shared/entities.ts'
import { check, invalidBody, tooLarge } from '../shared/faults.ts'
import type { FileLibrary } from './library.ts'
import { presentFile } from './present.ts'

export interface UploadParts {
  context: ServiceContext<'files' | 'now'>
  files: FileLibrary
  audit: AuditLog
}

const mebibyte = 1_048_576
const batchBytes = 200 * mebibyte
/** The limit for all other fields of a form. */
const formBytes = 2 * mebibyte

/** Fields that only the gateway uses; they are not forwarded to a provider. */
const ownFields: ReadonlySet<string> = new Set(['gateway_options', 'provider_options'])

type Fields = Map<string, string>

export async function uploadFile(
  parts: UploadParts,
  request: EndpointRequest,
): Promise<ServiceAnswer | null> {
  const fields: Fields = new Map()
  const form = request.form?.[Symbol.asyncIterator]()
  if (form === undefined) throw invalidBody('/', 'must be a form')
  checkLength(request, parts.context.files().maxBytes)
  for (;;) {
    const step = await form.next()
    if (step.done === true) throw missing(fields)
    const part = step.value
    if (part.kind === 'field') {
      addField(request, fields, { name: part.name, value: part.value })
      continue
    }
    if (part.name !== 'file') throw unknownField(part.name)
    if (!request.namesTarget) return keep(parts, request, { owner: 'gateway', fields, part, rest: form })
    const [target, ...others] = await request.targets()
    if (target?.provider === 'echo' && others.length === 0)
      return keep(parts, request, { owner: 'echo', fields, part, rest: form })
    await request.forward(bodyOf(fields), passOn(fields, part, form))
    return null
  }
}

function addField(
  request: EndpointRequest,
  fields: Fields,
  { name, value }: { name: string; value: string },
): void {
  if (fields.has(name)) throw invalidBody(`/${name}`, 'must occur only once')
  if (fields.size >= 100) throw invalidBody('/', 'must not have more than 100 fields')
  fields.set(name, value)
  if (name === 'gateway_options') request.addOptions(readJson('/gateway_options', value))
}

function readJson(param: string, text: string): JsonObject {
  const read = parseJson(text)
  if (isObject(read)) return read
  throw invalidBody(param, read === undefined ? describeJsonFault(text) : 'must be a JSON object')
}

/** Checked by the content-length header, before any of the body is read. */
function checkLength({ headers }: EndpointRequest, maxBytes: number): void {
  const announced = Number(headers['content-length'] ?? 0)
  if (announced > maxBytes + formBytes) throw tooLarge(`The file is larger than ${maxBytes} bytes.`, '/file')
}

function bodyOf(fields: Fields): JsonObject {
  const options = fields.get('provider_options')
  return {
    ...Object.fromEntries([...fields].filter(([name]) => !ownFields.has(name))),
    ...(options === undefined ? {} : { provider_options: readJson('/provider_options', options) }),
  }
}

/** The forwarded form: in its original order, without the gateway's fields. */
async function* passOn(fields: Fields, file: FormFile, rest: AsyncIterator<Part>): FormParts {
  for (const [name, value] of fields) if (!ownFields.has(name)) yield { kind: 'field', name, value }
  yield file
  for (;;) {
    const step = await rest.next()
    if (step.done === true) return
    const part = step.value
    if (part.name === 'gateway_options')
      throw invalidBody(
        '/gateway_options',
        'must come before the file because it determines where the file is stored',
      )
    if (part.kind === 'file' || !ownFields.has(part.name)) yield part
  }
}

type Part = FormParts extends AsyncIterable<infer One> ? One : never

interface KeepOptions {
  owner: Owner
  fields: Fields
  part: FormFile
  rest: AsyncIterator<Part>
}

async function keep(
  { context, files, audit }: UploadParts,
  request: EndpointRequest,
  { owner, fields, part, rest }: KeepOptions,
): Promise<ServiceAnswer> {
  const place = callerOf(request)
  const { maxBytes } = context.files()
  const known = fields.has('purpose') ? readFields(fields) : null
  const most = limitOf(known?.purpose, maxBytes)
  checkLength(request, most)
  const room = await files.room(place.workspaceId)
  checkRoom(request, room)
  const written = await files.write(place, bounded(part.bytes, most, room))
  try {
    await readRest(request, fields, rest)
    const { purpose, expiresAfter } = readFields(fields)
    if (written.bytes > limitOf(purpose, maxBytes))
      throw tooLarge(`The file is larger than ${limitOf(purpose, maxBytes)} bytes.`, '/file')
    const file = {
      owner,
      filename: nameOf(part),
      purpose,
      contentType: part.contentType,
      expiresAt: expiresAfter === null ? null : context.now() + expiresAfter * 1000,
    }
    const [made] = await files.commit(place, [{ written, file }], (documents) =>
      documents.map((document) =>
        audit.write(request, {
          action: 'create',
          type: 'file',
          id: document.id,
          after: presentFile(document),
        }),
      ),
    )
    if (made === undefined) throw new Error('The file was not created.')
    return { status: 200, body: presentFile(made) }
  } catch (error) {
    await files.discard(written)
    throw error
  }
}

const limitOf = (purpose: string | undefined, maxBytes: number): number =>
  purpose === 'batch' ? Math.min(batchBytes, maxBytes) : maxBytes

function checkRoom({ headers }: EndpointRequest, room: number): void {
  const announced = Number(headers['content-length'] ?? 0)
  if (announced - formBytes > room) throw noRoom()
}

const noRoom = () => tooLarge('The workspace has no room for this file (files.max_total_bytes).', '/file')

async function* bounded(source: AsyncIterable<Buffer>, most: number, room: number): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const chunk of source) {
    bytes += chunk.length
    if (bytes > most) throw tooLarge(`The file is larger than ${most} bytes.`, '/file')
    if (bytes > room) throw noRoom()
    yield chunk
  }
}

/** Other fields may follow the file, but not those that determine where it is stored. */
async function readRest(request: EndpointRequest, fields: Fields, rest: AsyncIterator<Part>): Promise<void> {
  for (;;) {
    const step = await rest.next()
    if (step.done === true) return
    const part = step.value
    if (part.kind === 'file') throw invalidBody('/file', 'must be one file')
    if (part.name === 'gateway_options')
      throw invalidBody(
        '/gateway_options',
        'must come before the file because it determines where the file is stored',
      )
    addField(request, fields, { name: part.name, value: part.value })
  }
}

const knownFields: ReadonlySet<string> = new Set([
  'purpose',
  'expires_after',
  'expires_after[anchor]',
  'expires_after[seconds]',
  ...ownFields,
])

const unknownField = (name: string) =>
  invalidBody('', `has the unknown field "${name.slice(0, 100)}"; send the file in the field "file"`)

function readFields(fields: Fields): { purpose: string; expiresAfter: number | null } {
  const faults: Fault[] = []
  const fault = (param: string, message: string) => faults.push({ param, code: 'invalid_body', message })
  const purpose = fields.get('purpose') ?? ''
  if (!uploadPurposes.some((known) => known === purpose))
    fault('/purpose', mustBeOneOf(uploadPurposes, purpose))
  for (const name of fields.keys())
    if (!knownFields.has(name)) fault('', `has the unknown field "${name.slice(0, 100)}"`)
  const expiresAfter = readExpiry(fields, fault)
  check(faults)
  return { purpose, expiresAfter }
}

const leastExpiry = 3600
const greatestExpiry = 2_592_000

function readExpiry(fields: Fields, fault: (param: string, message: string) => void): number | null {
  const whole = fields.get('expires_after')
  const given = whole === undefined ? null : readJson('/expires_after', whole)
  const anchor = given?.anchor ?? fields.get('expires_after[anchor]')
  const seconds = given?.seconds ?? fields.get('expires_after[seconds]')
  if (anchor === undefined && seconds === undefined) return null
  if (anchor !== 'created_at') fault('/expires_after/anchor', 'must be created_at')
  const number = Number(seconds)
  if (!Number.isInteger(number) || number < leastExpiry || number > greatestExpiry)
    fault('/expires_after/seconds', `must be a whole number from ${leastExpiry} to ${greatestExpiry}`)
  return number
}

/** The error of a form without a file. */
function missing(fields: Fields) {
  if (fields.has('purpose')) readFields(fields)
  return invalidBody('/file', 'is required, as a file')
}

/** The file name without a path. Control characters would break the header that contains it. */
const nameOf = ({ filename }: FormFile): string => {
  const name = filename
    .replace(/[\\/\p{Cc}]/gu, '_')
    .trim()
    .slice(0, 255)
  return name === '' ? 'file' : name
}
