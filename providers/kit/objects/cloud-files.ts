/**
 * The file endpoints for clouds that store files in buckets. A file is an object, and its id is the percent-encoded
 * URI. Uploads and downloads are split into parts: no file is ever completely in memory.
 * Errors: 400 `invalid_body` without a form or a bucket, 404 for ids that are not objects of the cloud; those of the
 * store.
 */
import {
  type EndpointId,
  type FormFile,
  GatewayError,
  isObject,
  type JsonObject,
  type ProcedureContext,
  type ProcedureEndpoint,
} from '@gateway/contract'
import { halfOfPair } from '../path-segment.ts'
import { objectAnswer, objectId, objectUri } from './call.ts'

export interface CloudPlace {
  bucket: string
  key: string
}

interface CloudObject {
  bytes: number
  /** Unix seconds. */
  createdAt: number
  metadata: Readonly<Record<string, string>>
  contentType: string
}

export interface NewObject {
  place: CloudPlace
  contentType: string
  metadata: Readonly<Record<string, string>>
}

/** The calls of a cloud's storage. Errors: `UpstreamFault` with its status. */
export interface CloudStore {
  /** The scheme of its URIs: `s3`, `gs`. */
  scheme: string
  /** `bucketName` of the integration's `configurations`. */
  bucketName: string
  /** Returns the size. */
  put(file: NewObject, parts: AsyncIterable<Buffer>, context: ProcedureContext): Promise<number>
  head(place: CloudPlace, context: ProcedureContext): Promise<CloudObject>
  /** `from` and `to` are the positions of the first and the last byte. */
  read(place: CloudPlace, range: { from: number; to: number }, context: ProcedureContext): Promise<Buffer>
  remove(place: CloudPlace, context: ProcedureContext): Promise<void>
}

/** The part size of uploads and downloads; a multiple of 256 KiB. */
const partBytes = 8 * 1_048_576

export function cloudFiles(store: CloudStore): Partial<Record<EndpointId, ProcedureEndpoint>> {
  return {
    createFile: {
      kind: 'procedure',
      async run(body, context) {
        const { file, fields } = await readForm(body, context)
        const { place, purpose } = placeOf(store, fields, { file, context })
        const { filename, contentType } = file
        const metadata = { purpose, filename: encodeURIComponent(filename) }
        const bytes = await store.put({ place, contentType, metadata }, partsOf(file.bytes), context)
        const createdAt = Math.floor(context.now() / 1000)
        return objectAnswer(present(store, place, { bytes, createdAt, metadata }))
      },
    },
    retrieveFile: {
      kind: 'procedure',
      async run(body, context) {
        const place = readPlace(store, body)
        return objectAnswer(present(store, place, await store.head(place, context)))
      },
    },
    retrieveFileContent: {
      kind: 'procedure',
      async run(body, context) {
        const place = readPlace(store, body)
        const { bytes, contentType } = await store.head(place, context)
        return {
          status: 200,
          headers: {},
          body: null,
          stream: null,
          contentType,
          bytes: inParts(store, place, { bytes, context }),
        }
      },
    },
    deleteFile: {
      kind: 'procedure',
      async run(body, context) {
        const place = readPlace(store, body)
        await store.remove(place, context)
        return objectAnswer({ id: idOf(store, place), object: 'file', deleted: true })
      },
    },
  }
}

interface ReadForm {
  file: FormFile
  /** The form fields before the file. */
  fields: JsonObject
}

async function readForm(body: JsonObject, { form }: ProcedureContext): Promise<ReadForm> {
  const fields: JsonObject = { ...body }
  for await (const part of form ?? []) {
    if (part.kind === 'file') return { file: part, fields }
    fields[part.name] ??= part.value
  }
  throw new GatewayError('invalid_body', '/file: is required, in a multipart form', { param: '/file' })
}

interface PlaceOptions {
  file: FormFile
  context: ProcedureContext
}

function placeOf(
  { bucketName }: CloudStore,
  { provider_options: given, purpose }: JsonObject,
  { file: { filename }, context: { settings, id } }: PlaceOptions,
): { place: CloudPlace; purpose: string } {
  const options = isObject(given) ? given : {}
  // The bucket for a batch's output can also contain its input.
  const candidates = [options.bucket, settings.configurations?.[bucketName], bucketIn(options.output_uri)]
  const bucket = candidates.find((one) => typeof one === 'string' && /^[a-z0-9][a-z0-9._-]{1,220}$/.test(one))
  if (typeof bucket !== 'string')
    throw new GatewayError(
      'invalid_body',
      `/provider_options/bucket: is required, as the credential has no ${bucketName}`,
      { param: '/provider_options/bucket' },
    )
  const name = filename.replace(/[^\w.-]+/g, '_').slice(-100) || 'file'
  const key = typeof options.key === 'string' && options.key !== '' ? options.key : `${id('file-')}/${name}`
  if (halfOfPair.test(key))
    throw new GatewayError('invalid_body', '/provider_options/key: must be text', {
      param: '/provider_options/key',
    })
  return { place: { bucket, key }, purpose: typeof purpose === 'string' ? purpose : 'batch' }
}

const bucketIn = (uri: unknown): string | undefined =>
  typeof uri === 'string' ? /^[a-z0-9]+:\/\/([^/]+)/.exec(uri)?.[1] : undefined

function readPlace({ scheme }: CloudStore, { file_id: id }: JsonObject): CloudPlace {
  const [, bucket, key] =
    new RegExp(`^${scheme}://([^/]+)/(.+)$`, 's').exec(objectUri(typeof id === 'string' ? id : '')) ?? []
  if (bucket !== undefined && key !== undefined) return { bucket, key }
  throw new GatewayError(
    'not_found',
    `There is no file "${String(id)}": its id must be a ${scheme}:// URI.`,
    {
      param: 'path/file_id',
    },
  )
}

const idOf = ({ scheme }: CloudStore, { bucket, key }: CloudPlace) => objectId(`${scheme}://${bucket}/${key}`)

function present(
  store: CloudStore,
  place: CloudPlace,
  { bytes, createdAt, metadata }: Omit<CloudObject, 'contentType'>,
): JsonObject {
  const named = metadata.filename === undefined ? '' : objectUri(metadata.filename)
  return {
    id: idOf(store, place),
    object: 'file',
    bytes,
    created_at: createdAt,
    filename: named === '' ? (place.key.split('/').at(-1) ?? place.key) : named,
    purpose: metadata.purpose ?? 'batch',
    status: 'processed',
  }
}

/** All parts except the last have the same size. */
async function* partsOf(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = []
  let size = 0
  for await (const chunk of source) {
    waiting.push(chunk)
    size += chunk.length
    if (size < partBytes) continue
    let whole = Buffer.concat(waiting)
    for (; whole.length >= partBytes; whole = whole.subarray(partBytes)) yield whole.subarray(0, partBytes)
    waiting = [whole]
    size = whole.length
  }
  yield Buffer.concat(waiting)
}

async function* inParts(
  store: CloudStore,
  place: CloudPlace,
  { bytes, context }: { bytes: number; context: ProcedureContext },
): AsyncGenerator<Buffer> {
  for (let from = 0; from < bytes; from += partBytes)
    yield await store.read(place, { from, to: Math.min(from + partBytes, bytes) - 1 }, context)
}
