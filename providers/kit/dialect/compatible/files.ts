/**
 * Files and batches of the compatible format, forwarded unchanged. Uploads are forwarded as they arrive.
 * References: https://platform.openai.com/docs/api-reference/files,
 * https://platform.openai.com/docs/api-reference/batch
 */
import type { CallContext, Dialect, EndpointId, HttpEndpoint, JsonObject } from '@gateway/contract'
import { isObject } from '@gateway/contract'
import { multipartStream } from '../../multipart-stream.ts'
import { pathSegment } from '../../path-segment.ts'
import { compatibleError } from './errors.ts'
import { type PlacePath, queryOf, withQuery } from './responses.ts'

const same: Dialect = {
  name: 'compatible-objects',
  request: (body) => body,
  answer: (body) => body,
  error: compatibleError,
}

/** The bytes of a file are never parsed, with any content type. */
const content: Dialect = { ...same, name: 'compatible-content', otherwise: 'raw' }

const upload: Dialect = {
  ...same,
  name: 'compatible-upload',
  encode: (_body, { form }: CallContext) => multipartStream(form ?? null),
}

/** Members of the body that belong in the path, and the gateway's own members. */
const withOptions = ({ provider_options: options, batch_id: _batch, ...body }: JsonObject): JsonObject =>
  isObject(options) ? { ...body, ...options } : body

const create: Dialect = { ...same, request: withOptions }
const bare: Dialect = { ...same, request: () => ({}) }

/** The file endpoints; their paths are those of the format below the base URL, unless `place` maps them. */
export function filesEndpoints(place: PlacePath = (path) => path): Partial<Record<EndpointId, HttpEndpoint>> {
  return {
    createFile: {
      kind: 'http',
      method: 'POST',
      path: (body, settings) => place('/files', body, settings),
      dialect: upload,
    },
    listFiles: listing(place, '/files', ['purpose', 'after', 'limit', 'order']),
    retrieveFile: one(place, 'GET', '/files/{file_id}'),
    retrieveFileContent: { ...one(place, 'GET', '/files/{file_id}/content'), dialect: content },
    deleteFile: one(place, 'DELETE', '/files/{file_id}'),
  }
}

export function batchesEndpoints(
  place: PlacePath = (path) => path,
): Partial<Record<EndpointId, HttpEndpoint>> {
  return {
    createBatch: {
      kind: 'http',
      method: 'POST',
      path: (body, settings) => place('/batches', body, settings),
      dialect: create,
    },
    listBatches: listing(place, '/batches', ['after', 'limit']),
    retrieveBatch: one(place, 'GET', '/batches/{batch_id}'),
    cancelBatch: { ...one(place, 'POST', '/batches/{batch_id}/cancel'), dialect: bare },
  }
}

const jobs = '/fine_tuning/jobs'
const job = `${jobs}/{fine_tuning_job_id}`

export function fineTuningEndpoints(
  place: PlacePath = (path) => path,
): Partial<Record<EndpointId, HttpEndpoint>> {
  const pages = (behind: string): HttpEndpoint => ({
    kind: 'http',
    method: 'GET',
    path: (body, settings) => {
      const path = withIds(`${job}${behind}`, body, settings)
      return withQuery(place(path, body, settings), queryOf(body, ['after', 'limit']))
    },
    dialect: same,
  })
  return {
    createFinetune: {
      kind: 'http',
      method: 'POST',
      path: (body, settings) => place(jobs, body, settings),
      dialect: create,
    },
    listFinetunes: listing(place, jobs, ['after', 'limit']),
    retrieveFinetune: one(place, 'GET', job),
    cancelFinetune: { ...one(place, 'POST', `${job}/cancel`), dialect: bare },
    listFinetuneEvents: pages('/events'),
    listFinetuneCheckpoints: pages('/checkpoints'),
  }
}

const listing = (place: PlacePath, path: string, query: readonly string[]): HttpEndpoint => ({
  kind: 'http',
  method: 'GET',
  path: (body, settings) => withQuery(place(path, body, settings), queryOf(body, query)),
  dialect: same,
})

/** A call about one object. @param path with the member of its id in braces: `/files/{file_id}` */
const one = (place: PlacePath, method: HttpEndpoint['method'], path: string): HttpEndpoint => ({
  kind: 'http',
  method,
  path: (body, settings) => place(withIds(path, body, settings), body, settings),
  dialect: same,
})

const withIds = (path: string, body: JsonObject, { provider }: { provider: string }): string =>
  path.replace(/\{(\w+)\}/g, (_, id: string) => pathSegment(body[id], `path/${id}`, provider))
