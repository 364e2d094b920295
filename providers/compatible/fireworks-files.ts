/**
 * Files of Fireworks: datasets of an account, each with one file of lines. The record is created before the upload,
 * which is forwarded as it arrives (the service accepts up to 150 MB in this way).
 * References: https://docs.fireworks.ai/api-reference/create-dataset,
 * https://docs.fireworks.ai/api-reference/upload-dataset-files,
 * https://docs.fireworks.ai/api-reference/get-dataset-download-endpoint
 */
import {
  type CallContext,
  type EndpointId,
  type FormFile,
  type FormParts,
  GatewayError,
  type HttpEndpoint,
  isObject,
  type JsonObject,
  type ProcedureContext,
  type ProviderEndpoint,
  type ProviderIo,
} from '@gateway/contract'
import {
  answerFault,
  bearer,
  compatibleError,
  linkedBytes,
  listAnswer,
  multipartStream,
  objectAnswer,
  parseObject,
  procedure,
  secondsOf,
} from '@gateway/provider-kit'
import { accountUrl, callAccount, lastSegment, listAccount, pathOfId } from './fireworks-account.ts'

const upload: HttpEndpoint = {
  kind: 'http',
  method: 'POST',
  base: accountUrl,
  path: ({ dataset_id: id }) => `/datasets/${String(id)}:upload`,
  prepare: createRecord,
  dialect: {
    name: 'fireworks-upload',
    request: (body) => body,
    encode: (_body, { form }: CallContext) => multipartStream(form == null ? null : filesIn(form)),
    answer: (body, { now, request }) => ({
      id: lastSegment(body.id) ?? String(request.dataset_id ?? ''),
      object: 'file',
      bytes: Number(body.bytes ?? 0),
      created_at: typeof body.created_at === 'number' ? body.created_at : Math.floor(now() / 1000),
      filename: typeof body.filename === 'string' ? body.filename : 'dataset.jsonl',
      purpose: 'fine-tune',
      status: 'processed',
    }),
    error: compatibleError,
  },
}

/** The dataset that receives the file. */
async function createRecord(body: JsonObject, context: CallContext, io: ProviderIo): Promise<JsonObject> {
  const id = context
    .id('file-')
    .toLowerCase()
    .replace(/[^a-z0-9-]/g, '-')
  const call = {
    method: 'POST' as const,
    url: `${accountUrl(context.settings)}/datasets`,
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ datasetId: id, dataset: { userUploaded: {} } }),
  }
  const { url, headers } = await bearer()(call, context.settings, io)
  const answer = await io.fetch({ method: 'POST', url, headers, body: call.body })
  if (answer.status >= 300)
    throw answerFault(answer, parseObject(answer.bytes.toString('utf8')) ?? {}, compatibleError)
  return { ...body, dataset_id: id }
}

/** The service accepts only the file. */
async function* filesIn(form: FormParts): AsyncGenerator<FormFile> {
  for await (const part of form) if (part.kind === 'file') yield { ...part, name: 'file' }
}

const fileOf = (dataset: JsonObject): JsonObject => {
  const id = lastSegment(dataset.name) ?? ''
  const state = typeof dataset.state === 'string' ? dataset.state : ''
  return {
    id,
    object: 'file',
    // The service reports the number of examples, not of bytes.
    bytes: 0,
    created_at: secondsOf(dataset.createTime),
    filename: `${id}.jsonl`,
    purpose: 'fine-tune',
    status: state === 'READY' ? 'processed' : 'uploaded',
  }
}

const datasetPath = (body: JsonObject, { settings }: ProcedureContext) =>
  pathOfId('datasets', body, { of: 'file_id', settings })

export const fireworksFiles: Partial<Record<EndpointId, ProviderEndpoint>> = {
  createFile: upload,
  listFiles: procedure(async (body, context) => {
    const { items, hasMore } = await listAccount({ path: '/datasets', member: 'datasets', context }, body)
    return listAnswer(items.map(fileOf), hasMore)
  }),
  retrieveFile: procedure(async (body, context) =>
    objectAnswer(fileOf(await callAccount('GET', datasetPath(body, context), { context }))),
  ),
  retrieveFileContent: procedure(async (body, context) => {
    const path = `${datasetPath(body, context)}:getDownloadEndpoint`
    const { filenameToSignedUrls: urls } = await callAccount('GET', path, { context })
    const [url] = isObject(urls) ? Object.values(urls) : []
    if (typeof url !== 'string')
      throw new GatewayError('not_found', 'The dataset has no file.', { param: 'path/file_id' })
    return {
      status: 200,
      headers: {},
      body: null,
      stream: null,
      contentType: 'application/jsonl',
      bytes: linkedBytes(url, context),
    }
  }),
  deleteFile: procedure(async (body, context) => {
    await callAccount('DELETE', datasetPath(body, context), { context })
    return objectAnswer({ id: String(body.file_id), object: 'file', deleted: true })
  }),
}
