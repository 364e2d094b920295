/**
 * Files of Cohere: datasets of texts to embed (`embed-input`) and of embeddings. The lines of a batch are converted
 * to texts while they are uploaded; their `custom_id` is stored with them. Embeddings arrive as Avro and are returned
 * as JSON lines.
 * References: https://docs.cohere.com/reference/create-dataset, https://docs.cohere.com/docs/datasets
 * Errors: 400 `invalid_file` for a line without text.
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
  type ProviderSettings,
} from '@gateway/contract'
import {
  compatibleError,
  jsonCaller,
  linkedBytes,
  listAnswer,
  multipartStream,
  objectAnswer,
  pageSizeOf,
  parseObject,
  pathSegment,
  procedure,
  readAvro,
  secondsOf,
  textOrNull,
} from '@gateway/provider-kit'

/** Datasets and jobs exist only in version 1 of the API. */
const v1Url = ({ custom_host: host }: ProviderSettings): string =>
  (host ?? 'https://api.cohere.com/v2').replace(/\/+$/, '').replace(/\/v2$/, '/v1')

export const callV1 = jsonCaller(({ settings }) => v1Url(settings), compatibleError)

/** Data of an upload that the service does not return. */
const sent = new WeakMap<CallContext, { bytes: number; filename: string }>()

const upload: HttpEndpoint = {
  kind: 'http',
  method: 'POST',
  base: v1Url,
  path: ({ dataset_name: name }) =>
    `/datasets?${new URLSearchParams({ name: String(name), type: 'embed-input', optional_fields: 'custom_id' })}`,
  prepare: async (body, { id }) => ({ ...body, dataset_name: id('file-') }),
  dialect: {
    name: 'cohere-upload',
    request: (body) => body,
    encode: (_body, context: CallContext) =>
      multipartStream(context.form == null ? null : textsIn(context.form, context)),
    answer: (body, context) => {
      const { bytes = 0, filename = 'dataset.jsonl' } = sent.get(context) ?? {}
      const created_at = Math.floor(context.now() / 1000)
      return {
        id: textOrNull(body.id),
        object: 'file',
        bytes,
        created_at,
        filename,
        purpose: 'batch',
        status: 'uploaded',
      }
    },
    error: compatibleError,
  },
}

async function* textsIn(form: FormParts, context: CallContext): AsyncGenerator<FormFile> {
  for await (const part of form) {
    if (part.kind !== 'file') continue
    const noted = { bytes: 0, filename: part.filename }
    sent.set(context, noted)
    yield { ...part, name: 'data', filename: 'dataset.jsonl', bytes: textLines(part.bytes, noted) }
  }
}

const maxLineBytes = 26_214_400

async function* textLines(source: AsyncIterable<Buffer>, noted: { bytes: number }): AsyncGenerator<Buffer> {
  let rest = Buffer.alloc(0)
  let number = 0
  for await (const chunk of source) {
    noted.bytes += chunk.length
    rest = Buffer.concat([rest, chunk])
    const end = rest.lastIndexOf(10)
    if (end === -1 && rest.length > maxLineBytes) throw invalidLine(number + 1, 'is too long')
    if (end === -1) continue
    const lines = rest.subarray(0, end).toString('utf8').split('\n')
    rest = rest.subarray(end + 1)
    const texts = lines.map((line) => textLine(line, ++number))
    yield Buffer.from(texts.join(''))
  }
  yield Buffer.from(textLine(rest.toString('utf8'), number + 1))
}

/** A line of a batch, or one that already contains a text. */
function textLine(line: string, number: number): string {
  const trimmed = line.replace(/^\ufeff/, '').trim()
  if (trimmed === '') return ''
  const row = parseObject(trimmed)
  if (row === null) throw invalidLine(number, 'is not a JSON object')
  const { input } = isObject(row.body) ? row.body : {}
  const [one, ...more] = Array.isArray(input) ? input : [input]
  const text = textOrNull(row.text) ?? (more.length === 0 ? textOrNull(one) : null)
  if (text === null)
    throw invalidLine(number, 'must have a single string as its input: an embed job has one text per line')
  return `${JSON.stringify({ text, ...(typeof row.custom_id === 'string' ? { custom_id: row.custom_id } : {}) })}\n`
}

const invalidLine = (number: number, reason: string) =>
  new GatewayError('invalid_file', `Line ${number} ${reason}.`, { param: '/file' })

/** The parts of a dataset. */
const partsOf = ({ dataset_parts: parts }: JsonObject): JsonObject[] =>
  Array.isArray(parts) ? parts.filter(isObject) : []

const statuses: Readonly<Record<string, string>> = {
  validated: 'processed',
  failed: 'error',
  skipped: 'error',
}

const fileOf = (dataset: JsonObject): JsonObject => ({
  id: textOrNull(dataset.id) ?? '',
  object: 'file',
  bytes: partsOf(dataset).reduce((sum, part) => sum + (Number(part.size_bytes) || 0), 0),
  created_at: secondsOf(dataset.created_at),
  filename: `${textOrNull(dataset.name) ?? 'dataset'}.jsonl`,
  purpose: dataset.dataset_type === 'embed-input' ? 'batch' : 'batch_output',
  status: statuses[String(dataset.validation_status)] ?? 'uploaded',
  status_details: textOrNull(dataset.validation_error),
})

export async function readDataset(id: unknown, context: ProcedureContext): Promise<JsonObject> {
  const segment = pathSegment(typeof id === 'string' ? id : '', 'path/file_id', context.settings.provider)
  const { dataset } = await callV1('GET', `/datasets/${segment}`, { context })
  return isObject(dataset) ? dataset : {}
}

async function* rowsOf(dataset: JsonObject, context: ProcedureContext): AsyncGenerator<Buffer> {
  for (const part of partsOf(dataset)) {
    const url = textOrNull(part.url)
    if (url === null) continue
    for await (const row of readAvro(linkedBytes(url, context))) yield Buffer.from(`${JSON.stringify(row)}\n`)
  }
}

export const datasetEndpoints: Partial<Record<EndpointId, ProviderEndpoint>> = {
  createFile: upload,
  listFiles: procedure(async ({ limit, after }, context) => {
    const wanted = pageSizeOf(limit)
    const query = new URLSearchParams({ limit: String(wanted + 1) })
    if (typeof after === 'string') query.set('before', String((await readDataset(after, context)).created_at))
    const { datasets } = await callV1('GET', `/datasets?${query}`, { context })
    const found = (Array.isArray(datasets) ? datasets.filter(isObject) : []).map(fileOf)
    return listAnswer(found.slice(0, wanted), found.length > wanted)
  }),
  retrieveFile: procedure(async ({ file_id: id }, context) =>
    objectAnswer(fileOf(await readDataset(id, context))),
  ),
  retrieveFileContent: procedure(async ({ file_id: id }, context) => {
    const dataset = await readDataset(id, context)
    return {
      status: 200,
      headers: {},
      body: null,
      stream: null,
      contentType: 'application/jsonl',
      bytes: rowsOf(dataset, context),
    }
  }),
  deleteFile: procedure(async ({ file_id: id }, context) => {
    const segment = pathSegment(id, 'path/file_id', context.settings.provider)
    await callV1('DELETE', `/datasets/${segment}`, { context })
    return objectAnswer({ id: String(id), object: 'file', deleted: true })
  }),
}
