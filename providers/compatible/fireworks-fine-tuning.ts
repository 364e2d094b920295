/**
 * Fine-tuning jobs of Fireworks: supervised jobs with datasets.
 * References: https://docs.fireworks.ai/api-reference/create-supervised-fine-tuning-job,
 * https://docs.fireworks.ai/api-reference/get-supervised-fine-tuning-job
 * Errors: 400 `invalid_body` for another method, and for a learning rate multiplier, which the service does not
 * support.
 */
import {
  type EndpointId,
  GatewayError,
  isObject,
  type JsonObject,
  type ProcedureContext,
  type ProcedureEndpoint,
} from '@gateway/contract'
import {
  hyperparametersOf,
  listAnswer,
  objectAnswer,
  procedure,
  requiredText,
  secondsOf,
  textOrNull,
  tuningJobOf,
} from '@gateway/provider-kit'
import { callAccount, lastSegment, listAccount, pathOfId, resourceName } from './fireworks-account.ts'

const collection = 'supervisedFineTuningJobs'

const statuses: Readonly<Record<string, string>> = {
  JOB_STATE_UNSPECIFIED: 'queued',
  JOB_STATE_PENDING: 'queued',
  JOB_STATE_CREATING: 'queued',
  JOB_STATE_VALIDATING: 'validating_files',
  JOB_STATE_COMPLETED: 'succeeded',
  JOB_STATE_EARLY_STOPPED: 'succeeded',
  JOB_STATE_FAILED: 'failed',
  JOB_STATE_EXPIRED: 'failed',
  JOB_STATE_CANCELLED: 'cancelled',
  JOB_STATE_CANCELLING: 'cancelled',
  JOB_STATE_DELETING: 'cancelled',
  JOB_STATE_DELETING_CLEANING_UP: 'cancelled',
}

const jobPath = (body: JsonObject, { settings }: ProcedureContext) =>
  pathOfId(collection, body, { of: 'fine_tuning_job_id', settings })

export const fireworksFineTuning: Partial<Record<EndpointId, ProcedureEndpoint>> = {
  createFinetune: procedure(async (body, context) =>
    objectAnswer(
      jobOf(await callAccount('POST', `/${collection}`, { context, body: requestOf(body, context) })),
    ),
  ),
  listFinetunes: procedure(async (body, context) => {
    const { items, hasMore } = await listAccount(
      { path: `/${collection}`, member: collection, context },
      body,
    )
    return listAnswer(items.map(jobOf), hasMore)
  }),
  retrieveFinetune: procedure(async (body, context) =>
    objectAnswer(jobOf(await callAccount('GET', jobPath(body, context), { context }))),
  ),
  cancelFinetune: procedure(async (body, context) => {
    await callAccount('POST', `${jobPath(body, context)}:cancel`, { context, body: {} })
    return objectAnswer(jobOf(await callAccount('GET', jobPath(body, context), { context })))
  }),
}

function requestOf(body: JsonObject, { settings }: ProcedureContext): JsonObject {
  const { provider_options: options, model, training_file, validation_file, suffix, method } = body
  if (isObject(method) && method.type !== undefined && method.type !== 'supervised')
    throw invalid('/method/type', 'must be supervised: this provider supports no other method')
  const { n_epochs: epochs, batch_size: batch, learning_rate_multiplier: rate } = hyperparametersOf(body)
  if (typeof rate === 'number')
    throw invalid(
      '/method/supervised/hyperparameters/learning_rate_multiplier',
      'is not supported by this provider, which expects a learning rate: set provider_options.learningRate',
    )
  const base = requiredText(model, '/model')
  const name = textOrNull(suffix)
  return {
    dataset: resourceName(settings, 'datasets', requiredText(training_file, '/training_file')),
    baseModel: base.startsWith('accounts/') ? base : `accounts/fireworks/models/${base}`,
    ...(name === null ? {} : { displayName: name, outputModel: resourceName(settings, 'models', name) }),
    ...(typeof validation_file === 'string'
      ? { evaluationDataset: resourceName(settings, 'datasets', validation_file) }
      : {}),
    ...(typeof epochs === 'number' ? { epochs } : {}),
    ...(typeof batch === 'number' ? { batchSizeSamples: batch } : {}),
    ...(isObject(options) ? options : {}),
  }
}

const invalid = (param: string, message: string) =>
  new GatewayError('invalid_body', `${param}: ${message}`, { param })

function jobOf(job: JsonObject): JsonObject {
  const status = statuses[String(job.state)] ?? 'running'
  const shown = tuningJobOf({
    id: lastSegment(job.name) ?? '',
    status,
    message: isObject(job.status) ? textOrNull(job.status.message) : null,
    model: lastSegment(job.baseModel),
    tunedModel: status === 'succeeded' ? textOrNull(job.outputModel) : null,
    trainingFile: lastSegment(job.dataset) ?? '',
    validationFile: lastSegment(job.evaluationDataset),
    createdAt: secondsOf(job.createTime),
    finishedAt: secondsOf(job.completedTime),
    hyperparameters: { n_epochs: job.epochs, batch_size: job.batchSizeSamples },
  })
  return { ...shown, suffix: textOrNull(job.displayName) }
}
