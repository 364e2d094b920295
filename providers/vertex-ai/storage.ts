/**
 * Files of Vertex AI: objects of Cloud Storage. Uploads are resumable, because they are split into parts.
 * `configurations.storage_host` replaces the storage host.
 * Reference: https://docs.cloud.google.com/storage/docs/json_api/v1,
 * https://docs.cloud.google.com/storage/docs/resumable-uploads
 */
import {
  GatewayError,
  isObject,
  type JsonObject,
  type ProcedureContext,
  type ProviderFetchAnswer,
} from '@gateway/contract'
import {
  answerFault,
  type CloudPlace,
  type CloudStore,
  callObject,
  callObjectJson,
  geminiError,
  type NewObject,
  parseObject,
  secondsOf,
  textOrNull,
} from '@gateway/provider-kit'

const hostOf = ({ settings }: ProcedureContext): string =>
  (textOrNull(settings.configurations?.storage_host) ?? 'https://storage.googleapis.com').replace(/\/+$/, '')

const objectUrl = ({ bucket, key }: CloudPlace, context: ProcedureContext, query = ''): string =>
  `${hostOf(context)}/storage/v1/b/${encodeURIComponent(bucket)}/o/${encodeURIComponent(key)}${query}`

export const gcsStore: CloudStore = {
  scheme: 'gs',
  bucketName: 'vertex_storage_bucket',
  async put(file, parts, context) {
    const session = await openUpload(file, context)
    const rest = parts[Symbol.asyncIterator]()
    let step = await rest.next()
    let from = 0
    while (step.done !== true) {
      const part = step.value
      const next = await rest.next()
      const isLast = next.done === true
      const total = isLast ? String(from + part.length) : '*'
      const range = part.length === 0 ? `*/${total}` : `${from}-${from + part.length - 1}/${total}`
      const headers = { 'content-range': `bytes ${range}` }
      // The session's URL is its credential.
      const answer = await callObject(
        { method: 'PUT', url: session, headers, body: part },
        context,
        unchanged,
      )
      if (isLast ? answer.status >= 300 : answer.status !== 308) throw faultOf(answer)
      from += part.length
      step = next
    }
    return from
  },
  async head(place, context) {
    const object = await callObjectJson(
      { method: 'GET', url: objectUrl(place, context) },
      context,
      geminiError,
    )
    return {
      bytes: Number(object.size ?? 0),
      createdAt: secondsOf(object.timeCreated) ?? 0,
      contentType: textOrNull(object.contentType) ?? 'application/octet-stream',
      metadata: textsOf(object.metadata),
    }
  },
  async read(place, { from, to }, context) {
    const url = objectUrl(place, context, '?alt=media')
    const headers = { range: `bytes=${from}-${to}` }
    const answer = await callObject({ method: 'GET', url, headers, maxBytes: to - from + 1 }, context)
    if (answer.status >= 300) throw faultOf(answer)
    return answer.bytes
  },
  async remove(place, context) {
    const answer = await callObject({ method: 'DELETE', url: objectUrl(place, context) }, context)
    if (answer.status >= 300) throw faultOf(answer)
  },
}

const unchanged = async <Request>(request: Request): Promise<Request> => request

async function openUpload(
  { place: { bucket, key }, contentType, metadata }: NewObject,
  context: ProcedureContext,
): Promise<string> {
  const host = hostOf(context)
  const query = new URLSearchParams({ uploadType: 'resumable', name: key })
  const answer = await callObject(
    {
      method: 'POST',
      url: `${host}/upload/storage/v1/b/${encodeURIComponent(bucket)}/o?${query}`,
      headers: { 'content-type': 'application/json', 'x-upload-content-type': contentType },
      body: JSON.stringify({ contentType, metadata }),
    },
    context,
  )
  if (answer.status >= 300) throw faultOf(answer)
  const session = answer.headers.location ?? ''
  if (URL.canParse(session) && new URL(session).origin === new URL(host).origin) return session
  throw new GatewayError('upstream_invalid_response', 'The storage service returned no upload URL.')
}

const faultOf = (answer: ProviderFetchAnswer) =>
  answerFault(answer, parseObject(answer.bytes.toString('utf8')) ?? {}, geminiError)

const textsOf = (value: JsonObject[string]): Record<string, string> =>
  isObject(value)
    ? Object.fromEntries(
        Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
      )
    : {}
