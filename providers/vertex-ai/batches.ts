/**
 * Batches of Vertex AI: batch prediction jobs with JSON lines in Cloud Storage.
 * References:
 * https://docs.cloud.google.com/vertex-ai/generative-ai/docs/multimodal/batch-prediction-from-cloud-storage,
 * https://docs.cloud.google.com/vertex-ai/generative-ai/docs/partner-models/claude-batch
 * Errors: 400 `invalid_body` at a missing option; those of the service.
 */
import {
  type BatchLines,
  type EndpointId,
  isObject,
  type JsonObject,
  type ProcedureContext,
  type ProcedureEndpoint,
} from '@gateway/contract'
import {
  batchJobs,
  batchOfJob,
  geminiError,
  jobOptionsOf,
  jsonCaller,
  objectId,
  objectsOf,
  objectUri,
  pathSegment,
  requiredText,
  secondsOf,
  textOrNull,
} from '@gateway/provider-kit'
import { locationPath } from './address.ts'
import { modelOf, resourceOf } from './model.ts'

const statuses: Readonly<Record<string, string>> = {
  JOB_STATE_QUEUED: 'validating',
  JOB_STATE_PENDING: 'validating',
  JOB_STATE_RUNNING: 'in_progress',
  JOB_STATE_SUCCEEDED: 'completed',
  JOB_STATE_PARTIALLY_SUCCEEDED: 'completed',
  JOB_STATE_FAILED: 'failed',
  JOB_STATE_CANCELLING: 'cancelling',
  JOB_STATE_CANCELLED: 'cancelled',
  JOB_STATE_EXPIRED: 'expired',
}

/** A label on requests to Google's models, which is returned with the answer. */
const lineLabel = 'gateway_line'

export const batchLines: BatchLines = {
  // Labels must be lower case, so a line is identified by its number.
  id: 'line',
  paths: ['/v1/chat/completions'],
  requiredOptions: ['output_uri'],
  needsModel: true,
  write: ({ body }) => ({ request: body }),
  label: ({ request, ...line }, key) => ({
    ...line,
    custom_id: key,
    request:
      isObject(request) && Array.isArray(request.contents)
        ? {
            ...request,
            labels: { ...(isObject(request.labels) ? request.labels : {}), [lineLabel]: key.toLowerCase() },
          }
        : (request ?? {}),
  }),
  read({ custom_id: custom, request, response, status }) {
    const labels = isObject(request) && isObject(request.labels) ? request.labels : {}
    const key = textOrNull(custom) ?? textOrNull(labels[lineLabel])?.toUpperCase() ?? null
    if (key === null) return null
    if (isObject(response) && Object.keys(response).length > 0)
      return { key, answer: { status: 200, body: response } }
    const message =
      typeof status === 'string' && status !== '' ? status : 'The provider returned no response.'
    return { key, answer: { status: 500, body: { error: { code: 500, message, status: 'INTERNAL' } } } }
  },
}

const jobsPath = '/batchPredictionJobs'

const call = jsonCaller(({ baseUrl, settings }) => `${baseUrl ?? ''}${locationPath(settings)}`, geminiError)

const jobPath = (id: string, { settings }: ProcedureContext): string =>
  `${jobsPath}/${pathSegment(id, 'path/batch_id', settings.provider)}`

const readJob = (id: string, context: ProcedureContext): Promise<JsonObject> =>
  call('GET', jobPath(id, context), { context })

export const batchEndpoints: Partial<Record<EndpointId, ProcedureEndpoint>> = batchJobs({
  create: async (body, context) =>
    batchOf(await call('POST', jobsPath, { context, body: jobOf(body, context) })),
  read: async (id, context) => batchOf(await readJob(id, context)),
  async list({ limit, after }, context) {
    const query = new URLSearchParams({ pageSize: String(limit) })
    if (after !== null)
      query.set('filter', `createTime<"${String((await readJob(after, context)).createTime)}"`)
    const { batchPredictionJobs: jobs, nextPageToken } = await call('GET', `${jobsPath}?${query}`, {
      context,
    })
    return { batches: objectsOf(jobs).map(batchOf), hasMore: textOrNull(nextPageToken) !== null }
  },
  async cancel(id, context) {
    await call('POST', `${jobPath(id, context)}:cancel`, { context, body: {} })
  },
})

function jobOf(body: JsonObject, { id }: ProcedureContext): JsonObject {
  const { options, rest, mark } = jobOptionsOf(body, ['gcs_uri', 'output_uri', 'job_name'])
  const input = textOrNull(options.gcs_uri) ?? objectUri(requiredText(body.input_file_id, '/input_file_id'))
  return {
    displayName: textOrNull(options.job_name) ?? mark ?? id('batch-'),
    model: resourceOf(modelOf({ model: requiredText(body.model, '/model') })),
    ...(mark === null ? {} : { labels: { gateway_batch_id: mark.toLowerCase() } }),
    inputConfig: { instancesFormat: 'jsonl', gcsSource: { uris: [input] } },
    outputConfig: {
      predictionsFormat: 'jsonl',
      gcsDestination: { outputUriPrefix: requiredText(options.output_uri, '/provider_options/output_uri') },
    },
    ...rest,
  }
}

function batchOf(job: JsonObject): JsonObject {
  const output = isObject(job.outputInfo) ? textOrNull(job.outputInfo.gcsOutputDirectory) : null
  return batchOfJob({
    id: textOrNull(job.name)?.split('/').at(-1) ?? '',
    status: statuses[String(job.state)] ?? 'in_progress',
    message: isObject(job.error) ? textOrNull(job.error.message) : null,
    input: objectId(inputOf(job)),
    output: output === null ? null : objectId(`${output.replace(/\/+$/, '')}/predictions.jsonl`),
    createdAt: secondsOf(job.createTime),
    startedAt: secondsOf(job.startTime),
    endedAt: secondsOf(job.endTime),
    counts: countsOf(job.completionStats),
    metadata: isObject(job.labels) ? job.labels : null,
  })
}

function inputOf({ inputConfig }: JsonObject): string {
  const source = isObject(inputConfig) && isObject(inputConfig.gcsSource) ? inputConfig.gcsSource.uris : []
  return Array.isArray(source) ? String(source[0] ?? '') : ''
}

function countsOf(stats: JsonObject[string]) {
  const { successfulCount, failedCount, incompleteCount } = isObject(stats) ? stats : {}
  const count = (value: unknown) => Math.max(0, Number(value ?? 0) || 0)
  const [completed, failed] = [count(successfulCount), count(failedCount)]
  return { total: completed + failed + count(incompleteCount), completed, failed }
}
