/**
 * Batches of Cohere: embed jobs with a dataset of texts. The vendor does not document a batch format for chat.
 * References: https://docs.cohere.com/reference/create-embed-job, https://docs.cohere.com/reference/get-embed-job
 * Errors: 400 `unsupported_endpoint` for lines other than embeddings, `invalid_file` for a dataset that does not pass
 * the vendor's validation.
 */
import {
  type BatchLines,
  type EndpointId,
  GatewayError,
  isObject,
  type JsonObject,
  type ProcedureContext,
  type ProcedureEndpoint,
} from '@gateway/contract'
import {
  batchJobs,
  batchOfJob,
  jobOptionsOf,
  objectsOf,
  pathSegment,
  requiredText,
  secondsOf,
  textOrNull,
} from '@gateway/provider-kit'
import { callV1, readDataset } from './datasets.ts'

const path = '/v1/embeddings'

export const batchLines: BatchLines = {
  id: 'custom_id',
  paths: [path],
  needsModel: true,
  write({ body }) {
    const [text, ...more] = Array.isArray(body.texts) ? body.texts : []
    if (typeof text === 'string' && more.length === 0) return { text }
    throw new GatewayError(
      'invalid_body',
      '/input: must be a single string, as an embed job has one text per line',
      {
        param: '/input',
      },
    )
  },
  read({ custom_id: key, text, embeddings, embedding }) {
    if (typeof key !== 'string') return null
    const vectors = embeddings ?? embedding ?? null
    const byType = Array.isArray(vectors) ? { float: [vectors] } : inLists(isObject(vectors) ? vectors : {})
    return { key, answer: { status: 200, body: { texts: [text ?? ''], embeddings: byType } } }
  },
}

/** A row contains one vector per type, while an answer contains a list of them. */
const inLists = (vectors: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(vectors).flatMap(([type, vector]) => (vector == null ? [] : [[type, [vector]]])),
  )

const statuses: Readonly<Record<string, string>> = {
  processing: 'in_progress',
  complete: 'completed',
  cancelling: 'cancelling',
  cancelled: 'cancelled',
  failed: 'failed',
}

const readySoon = { tries: 60, everyMs: 2000 }

/** The vendor validates a dataset after its upload, and accepts jobs only for a valid one. */
async function untilValid(id: string, context: ProcedureContext): Promise<void> {
  for (let tries = 0; tries < readySoon.tries; tries += 1) {
    const { validation_status: status, validation_error: error } = await readDataset(id, context)
    if (status === 'validated') return
    if (status === 'failed' || status === 'skipped')
      throw new GatewayError(
        'invalid_file',
        `/input_file_id: the dataset did not pass the provider's validation: ${textOrNull(error) ?? String(status)}`,
        { param: '/input_file_id' },
      )
    await new Promise((resolve) => setTimeout(resolve, readySoon.everyMs))
    context.signal.throwIfAborted()
  }
  throw new GatewayError('upstream_unreachable', 'The provider has not validated the dataset yet.')
}

const jobPath = (id: string, { settings }: ProcedureContext) =>
  `/embed-jobs/${pathSegment(id, 'path/batch_id', settings.provider)}`

const read = async (id: string, context: ProcedureContext) =>
  batchOf(await callV1('GET', jobPath(id, context), { context }))

export const embedJobEndpoints: Partial<Record<EndpointId, ProcedureEndpoint>> = batchJobs({
  async create(body, context) {
    if (body.endpoint !== path)
      throw new GatewayError(
        'unsupported_endpoint',
        `The provider cohere supports batches only for ${path}.`,
        {
          param: '/endpoint',
        },
      )
    const dataset = requiredText(body.input_file_id, '/input_file_id')
    await untilValid(dataset, context)
    const { options, mark } = jobOptionsOf(body, [])
    const { job_id: id } = await callV1('POST', '/embed-jobs', {
      context,
      body: {
        model: requiredText(body.model, '/model'),
        dataset_id: dataset,
        input_type: 'search_document',
        ...(mark === null ? {} : { name: mark }),
        ...options,
      },
    })
    return read(textOrNull(id) ?? '', context)
  },
  read,
  async list({ limit, after }, context) {
    const { embed_jobs: jobs } = await callV1('GET', '/embed-jobs', { context })
    const all = objectsOf(jobs)
      .map(batchOf)
      .sort((one, other) => Number(other.created_at) - Number(one.created_at))
    const from = after === null ? 0 : all.findIndex(({ id }) => id === after) + 1
    const batches = all.slice(from, from + limit)
    return { batches, hasMore: from + batches.length < all.length }
  },
  async cancel(id, context) {
    await callV1('POST', `${jobPath(id, context)}/cancel`, { context, body: {} })
  },
})

function batchOf(job: JsonObject): JsonObject {
  const created = secondsOf(job.created_at)
  const name = textOrNull(job.name)
  return batchOfJob({
    id: textOrNull(job.job_id) ?? '',
    status: statuses[String(job.status)] ?? 'in_progress',
    endpoint: path,
    message: 'The embed job failed.',
    input: textOrNull(job.input_dataset_id) ?? '',
    output: textOrNull(job.output_dataset_id),
    createdAt: created,
    startedAt: created,
    endedAt: null,
    // The vendor does not report them.
    counts: { total: 0, completed: 0, failed: 0 },
    metadata: name === null ? null : { gateway_batch_id: name },
  })
}
