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
  geminiError,
  hyperparametersOf,
  jsonCaller,
  listAnswer,
  objectAnswer,
  objectId,
  objectsOf,
  objectUri,
  pageSizeOf,
  pathSegment,
  procedure,
  requiredText,
  secondsOf,
  textOrNull,
  tuningJobOf,
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

const jobsPath = '/tuningJobs'

const call = jsonCaller(({ baseUrl, settings }) => `${baseUrl ?? ''}${locationPath(settings)}`, geminiError)

const jobPath = ({ fine_tuning_job_id: id }: JsonObject, { settings }: ProcedureContext): string =>
  `${jobsPath}/${pathSegment(id, 'path/fine_tuning_job_id', settings.provider)}`

const readJob = (body: JsonObject, context: ProcedureContext): Promise<JsonObject> =>
  call('GET', jobPath(body, context), { context })

export const fineTuningJobs: Partial<Record<EndpointId, ProcedureEndpoint>> = {
  createFinetune: procedure(async (body, context) =>
    objectAnswer(jobOf(await call('POST', jobsPath, { context, body: requestOf(body) }))),
  ),
  listFinetunes: procedure(async ({ limit }, context) => {
    const query = `?pageSize=${pageSizeOf(limit)}`
    const { tuningJobs: jobs, nextPageToken } = await call('GET', jobsPath + query, { context })
    return listAnswer(objectsOf(jobs).map(jobOf), textOrNull(nextPageToken) !== null)
  }),
  retrieveFinetune: procedure(async (body, context) => objectAnswer(jobOf(await readJob(body, context)))),
  cancelFinetune: procedure(async (body, context) => {
    await call('POST', `${jobPath(body, context)}:cancel`, { context, body: {} })
    return objectAnswer(jobOf(await readJob(body, context)))
  }),
  listFinetuneCheckpoints: procedure(async (body, context) => {
    const job = await readJob(body, context)
    const tuned = isObject(job.tunedModel) ? job.tunedModel.checkpoints : []
    const data = objectsOf(tuned).map((one) => checkpointOf(job, one))
    return listAnswer(data.reverse(), false)
  }),
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
  const spec = specOf(job)
  const parameters = isObject(spec.hyperParameters) ? spec.hyperParameters : {}
  const validation = textOrNull(spec.validationDatasetUri)
  return tuningJobOf({
    id: idOf(job),
    status: statuses[String(job.state)] ?? 'running',
    message: isObject(job.error) ? textOrNull(job.error.message) : null,
    model: textOrNull(job.baseModel),
    tunedModel: isObject(job.tunedModel) ? modelAt(job.tunedModel.endpoint) : null,
    trainingFile: objectId(textOrNull(spec.trainingDatasetUri) ?? ''),
    validationFile: validation === null ? null : objectId(validation),
    createdAt: secondsOf(job.createTime),
    finishedAt: secondsOf(job.endTime),
    hyperparameters: Object.fromEntries(
      Object.entries(parameterNames).map(([ours, theirs]) => [ours, parameters[theirs]]),
    ),
  })
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
