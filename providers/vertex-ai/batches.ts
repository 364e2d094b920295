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
  callObjectJson,
  geminiError,
  objectAnswer,
  objectId,
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

const jobsUrl = (context: ProcedureContext, behind = ''): string =>
  `${context.baseUrl ?? ''}${locationPath(context.settings)}/batchPredictionJobs${behind}`

const oneUrl = ({ batch_id: id }: JsonObject, context: ProcedureContext, action = ''): string =>
  jobsUrl(context, `/${pathSegment(id, 'path/batch_id', context.settings.provider)}${action}`)

const read = async (url: string, context: ProcedureContext): Promise<JsonObject> =>
  batchOf(await callObjectJson({ method: 'GET', url }, context, geminiError))

export const batchEndpoints: Partial<Record<EndpointId, ProcedureEndpoint>> = {
  createBatch: {
    kind: 'procedure',
    async run(body, context) {
      const call = { method: 'POST' as const, url: jobsUrl(context), body: jobOf(body, context) }
      const created = batchOf(await callObjectJson(call, context, geminiError))
      return objectAnswer({
        ...created,
        endpoint: body.endpoint ?? created.endpoint,
        metadata: body.metadata ?? created.metadata,
      })
    },
  },
  retrieveBatch: {
    kind: 'procedure',
    run: async (body, context) => objectAnswer(await read(oneUrl(body, context), context)),
  },
  listBatches: {
    kind: 'procedure',
    async run({ limit, after }, context) {
      const query = new URLSearchParams({
        pageSize: String(Math.min(100, Math.max(1, Number(limit ?? 20) || 20))),
      })
      if (typeof after === 'string') {
        const { createTime } = await callObjectJson(
          { method: 'GET', url: oneUrl({ batch_id: after }, context) },
          context,
          geminiError,
        )
        query.set('filter', `createTime<"${String(createTime)}"`)
      }
      const { batchPredictionJobs: jobs, nextPageToken: next } = await callObjectJson(
        { method: 'GET', url: jobsUrl(context, `?${query}`) },
        context,
        geminiError,
      )
      const data = (Array.isArray(jobs) ? jobs.filter(isObject) : []).map(batchOf)
      return objectAnswer({
        object: 'list',
        data,
        has_more: typeof next === 'string' && next !== '',
        first_id: data[0]?.id ?? null,
        last_id: data.at(-1)?.id ?? null,
      })
    },
  },
  cancelBatch: {
    kind: 'procedure',
    async run(body, context) {
      await callObjectJson(
        { method: 'POST', url: oneUrl(body, context, ':cancel'), body: {} },
        context,
        geminiError,
      )
      return objectAnswer(await read(oneUrl(body, context), context))
    },
  },
}

function jobOf(body: JsonObject, { id }: ProcedureContext): JsonObject {
  const { provider_options: given, metadata, model } = body
  const {
    gcs_uri,
    output_uri,
    job_name,
    bucket: _bucket,
    key: _key,
    ...options
  } = isObject(given) ? given : {}
  const mark = isObject(metadata) ? textOrNull(metadata.gateway_batch_id) : null
  const input = textOrNull(gcs_uri) ?? objectUri(requiredText(body.input_file_id, '/input_file_id'))
  return {
    displayName: textOrNull(job_name) ?? mark ?? id('batch-'),
    model: resourceOf(modelOf({ model: requiredText(model, '/model') })),
    ...(mark === null ? {} : { labels: { gateway_batch_id: mark.toLowerCase() } }),
    inputConfig: { instancesFormat: 'jsonl', gcsSource: { uris: [input] } },
    outputConfig: {
      predictionsFormat: 'jsonl',
      gcsDestination: { outputUriPrefix: requiredText(output_uri, '/provider_options/output_uri') },
    },
    ...options,
  }
}

function batchOf(job: JsonObject): JsonObject {
  const status = statuses[String(job.state)] ?? 'in_progress'
  const output = isObject(job.outputInfo) ? textOrNull(job.outputInfo.gcsOutputDirectory) : null
  const ended = secondsOf(job.endTime)
  const at = (state: string) => (status === state ? ended : null)
  const message = isObject(job.error) ? textOrNull(job.error.message) : null
  return {
    id: textOrNull(job.name)?.split('/').at(-1) ?? '',
    object: 'batch',
    endpoint: '/v1/chat/completions',
    errors:
      status === 'failed'
        ? {
            object: 'list',
            data: [
              { code: 'provider_error', message: message ?? 'The job failed.', param: null, line: null },
            ],
          }
        : null,
    input_file_id: objectId(inputOf(job)),
    completion_window: '24h',
    status,
    output_file_id:
      output !== null && ['completed', 'cancelled', 'expired'].includes(status)
        ? objectId(`${output.replace(/\/+$/, '')}/predictions.jsonl`)
        : null,
    error_file_id: null,
    created_at: secondsOf(job.createTime),
    in_progress_at: secondsOf(job.startTime),
    expires_at: null,
    finalizing_at: null,
    completed_at: at('completed'),
    failed_at: at('failed'),
    expired_at: at('expired'),
    cancelling_at: null,
    cancelled_at: at('cancelled'),
    request_counts: countsOf(job.completionStats),
    metadata: isObject(job.labels) ? job.labels : null,
  }
}

function inputOf({ inputConfig }: JsonObject): string {
  const source = isObject(inputConfig) && isObject(inputConfig.gcsSource) ? inputConfig.gcsSource.uris : []
  return Array.isArray(source) ? String(source[0] ?? '') : ''
}

function countsOf(stats: JsonObject[string]): JsonObject {
  const { successfulCount = 0, failedCount = 0, incompleteCount = 0 } = isObject(stats) ? stats : {}
  const [completed, failed, left] = [successfulCount, failedCount, incompleteCount].map((count) =>
    Math.max(0, Number(count) || 0),
  )
  return {
    total: (completed ?? 0) + (failed ?? 0) + (left ?? 0),
    completed: completed ?? 0,
    failed: failed ?? 0,
  }
}
