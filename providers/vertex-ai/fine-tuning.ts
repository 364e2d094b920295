/**
 * Fine-tuning jobs of Vertex AI: tuning jobs with JSON lines in Cloud Storage.
 * Reference: https://docs.cloud.google.com/vertex-ai/generative-ai/docs/model-reference/tuning
 * Errors: 400 `invalid_body` at a missing member; those of the service.
 */
import {
  type EndpointId,
  isObject,
  type JsonObject,
  type ProcedureContext,
  type ProcedureEndpoint,
} from '@gateway/contract'
import {
  callObjectJson,
  geminiError,
  hyperparametersOf,
  objectAnswer,
  objectId,
  objectUri,
  pathSegment,
  requiredText,
  secondsOf,
  textOrNull,
} from '@gateway/provider-kit'
import { locationPath } from './address.ts'
import { modelOf } from './model.ts'

const statuses: Readonly<Record<string, string>> = {
  JOB_STATE_QUEUED: 'queued',
  JOB_STATE_PENDING: 'queued',
  JOB_STATE_RUNNING: 'running',
  JOB_STATE_SUCCEEDED: 'succeeded',
  JOB_STATE_PARTIALLY_SUCCEEDED: 'succeeded',
  JOB_STATE_FAILED: 'failed',
  JOB_STATE_EXPIRED: 'failed',
  JOB_STATE_CANCELLING: 'cancelled',
  JOB_STATE_CANCELLED: 'cancelled',
}

const parameterNames = {
  n_epochs: 'epochCount',
  batch_size: 'batchSize',
  learning_rate_multiplier: 'learningRateMultiplier',
} as const

const jobsUrl = (context: ProcedureContext, behind = ''): string =>
  `${context.baseUrl ?? ''}${locationPath(context.settings)}/tuningJobs${behind}`

const oneUrl = ({ fine_tuning_job_id: id }: JsonObject, context: ProcedureContext, action = ''): string =>
  jobsUrl(context, `/${pathSegment(id, 'path/fine_tuning_job_id', context.settings.provider)}${action}`)

const readJob = (body: JsonObject, context: ProcedureContext): Promise<JsonObject> =>
  callObjectJson({ method: 'GET', url: oneUrl(body, context) }, context, geminiError)

export const fineTuningJobs: Partial<Record<EndpointId, ProcedureEndpoint>> = {
  createFinetune: {
    kind: 'procedure',
    async run(body, context) {
      const call = { method: 'POST' as const, url: jobsUrl(context), body: requestOf(body) }
      return objectAnswer(jobOf(await callObjectJson(call, context, geminiError)))
    },
  },
  listFinetunes: {
    kind: 'procedure',
    async run({ limit }, context) {
      const size = Math.min(100, Math.max(1, Number(limit ?? 20) || 20))
      const { tuningJobs: jobs, nextPageToken: next } = await callObjectJson(
        { method: 'GET', url: jobsUrl(context, `?pageSize=${size}`) },
        context,
        geminiError,
      )
      const data = (Array.isArray(jobs) ? jobs.filter(isObject) : []).map(jobOf)
      return objectAnswer({ object: 'list', data, has_more: typeof next === 'string' && next !== '' })
    },
  },
  retrieveFinetune: {
    kind: 'procedure',
    run: async (body, context) => objectAnswer(jobOf(await readJob(body, context))),
  },
  cancelFinetune: {
    kind: 'procedure',
    async run(body, context) {
      const call = { method: 'POST' as const, url: oneUrl(body, context, ':cancel'), body: {} }
      await callObjectJson(call, context, geminiError)
      return objectAnswer(jobOf(await readJob(body, context)))
    },
  },
  listFinetuneCheckpoints: {
    kind: 'procedure',
    async run(body, context) {
      const job = await readJob(body, context)
      const tuned = isObject(job.tunedModel) ? job.tunedModel.checkpoints : []
      const data = (Array.isArray(tuned) ? tuned.filter(isObject) : [])
        .map((one) => checkpointOf(job, one))
        .reverse()
      return objectAnswer({
        object: 'list',
        data,
        has_more: false,
        first_id: data[0]?.id ?? null,
        last_id: data.at(-1)?.id ?? null,
      })
    },
  },
}

function requestOf(body: JsonObject): JsonObject {
  const {
    provider_options: options,
    method,
    training_file: training,
    validation_file: validation,
    suffix,
  } = body
  const parameters = hyperparametersOf(body)
  const chosen = Object.entries(parameterNames).flatMap(([ours, theirs]) =>
    typeof parameters[ours] === 'number' ? [[theirs, parameters[ours]]] : [],
  )
  const spec = {
    trainingDatasetUri: objectUri(requiredText(training, '/training_file')),
    ...(typeof validation === 'string' ? { validationDatasetUri: objectUri(validation) } : {}),
    ...(chosen.length === 0 ? {} : { hyperParameters: Object.fromEntries(chosen) }),
  }
  const isPreference = isObject(method) && method.type === 'dpo'
  const name = textOrNull(suffix)
  return {
    baseModel: modelOf({ model: requiredText(body.model, '/model') }).name,
    [isPreference ? 'preferenceOptimizationSpec' : 'supervisedTuningSpec']: spec,
    ...(name === null ? {} : { tunedModelDisplayName: name }),
    ...(isObject(options) ? options : {}),
  }
}

const specOf = ({ supervisedTuningSpec: supervised, preferenceOptimizationSpec: preference }: JsonObject) =>
  isObject(supervised) ? supervised : isObject(preference) ? preference : {}

/** The model name for chat: a tuned Google model is called at an endpoint. */
function modelAt(endpoint: JsonObject[string]): string | null {
  const id = textOrNull(endpoint)?.split('/endpoints/')[1]
  return id === undefined ? null : `google/endpoints/${id}`
}

function jobOf(job: JsonObject): JsonObject {
  const status = statuses[String(job.state)] ?? 'running'
  const spec = specOf(job)
  const parameters = isObject(spec.hyperParameters) ? spec.hyperParameters : {}
  const message = isObject(job.error) ? textOrNull(job.error.message) : null
  const validation = textOrNull(spec.validationDatasetUri)
  return {
    id: idOf(job),
    object: 'fine_tuning.job',
    created_at: secondsOf(job.createTime),
    error:
      status === 'failed'
        ? { code: 'provider_error', message: message ?? 'The job failed.', param: null }
        : null,
    fine_tuned_model: isObject(job.tunedModel) ? modelAt(job.tunedModel.endpoint) : null,
    finished_at: secondsOf(job.endTime),
    hyperparameters: Object.fromEntries(
      Object.entries(parameterNames).map(([ours, theirs]) => [ours, Number(parameters[theirs]) || 'auto']),
    ),
    model: textOrNull(job.baseModel),
    organization_id: '',
    result_files: [],
    status,
    trained_tokens: null,
    training_file: objectId(textOrNull(spec.trainingDatasetUri) ?? ''),
    validation_file: validation === null ? null : objectId(validation),
    seed: 0,
    integrations: null,
    estimated_finish: null,
  }
}

const idOf = ({ name }: JsonObject): string => textOrNull(name)?.split('/').at(-1) ?? ''

const checkpointOf = (job: JsonObject, { checkpointId, step, endpoint }: JsonObject): JsonObject => ({
  id: `${idOf(job)}-${String(checkpointId ?? '')}`,
  object: 'fine_tuning.job.checkpoint',
  created_at: secondsOf(job.endTime) ?? secondsOf(job.createTime),
  fine_tuned_model_checkpoint: modelAt(endpoint),
  fine_tuning_job_id: idOf(job),
  metrics: {},
  step_number: Number(step ?? 0),
})
