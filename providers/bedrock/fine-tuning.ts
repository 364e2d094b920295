/**
 * Fine-tuning jobs of Amazon Bedrock: model customization jobs with JSON lines in S3.
 * Reference: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_CreateModelCustomizationJob.html
 * Errors: 400 `invalid_body` at a missing option; those of the service.
 */
import {
  type EndpointId,
  isObject,
  type JsonObject,
  type ProcedureContext,
  type ProcedureEndpoint,
  type ProviderSettings,
} from '@gateway/contract'
import {
  awsError,
  hyperparametersOf,
  jsonCaller,
  listAnswer,
  objectAnswer,
  objectId,
  objectsOf,
  objectUri,
  pageSizeOf,
  procedure,
  requiredText,
  secondsOf,
  textOrNull,
  tuningJobOf,
} from '@gateway/provider-kit'
import { serviceUrlFor } from './address.ts'

const statuses: Readonly<Record<string, string>> = {
  InProgress: 'running',
  Completed: 'succeeded',
  Failed: 'failed',
  Stopping: 'cancelled',
  Stopped: 'cancelled',
}

/** The service's names for hyperparameters; their values are strings. */
const parameterNames = {
  n_epochs: 'epochCount',
  batch_size: 'batchSize',
  learning_rate_multiplier: 'learningRateMultiplier',
} as const

export function fineTuningJobs(
  regionOf: (settings: ProviderSettings) => string,
): Partial<Record<EndpointId, ProcedureEndpoint>> {
  const call = jsonCaller(
    (context) => `${serviceUrlFor('bedrock', regionOf(context.settings), context)}/model-customization-jobs`,
    awsError,
  )
  const pathOf = (id: unknown) => `/${encodeURIComponent(objectUri(String(id)))}`
  const read = async (id: unknown, context: ProcedureContext) =>
    objectAnswer(jobOf(await call('GET', pathOf(id), { context })))

  return {
    createFinetune: procedure(async (body, context) => {
      const { jobArn } = await call('POST', '', { context, body: requestOf(body, context) })
      return read(textOrNull(jobArn) ?? '', context)
    }),
    listFinetunes: procedure(async ({ limit }, context) => {
      const query = `?maxResults=${pageSizeOf(limit)}&sortBy=CreationTime&sortOrder=Descending`
      const { modelCustomizationJobSummaries: jobs, nextToken } = await call('GET', query, { context })
      return listAnswer(objectsOf(jobs).map(jobOf), typeof nextToken === 'string')
    }),
    retrieveFinetune: procedure(async ({ fine_tuning_job_id: id }, context) => read(id, context)),
    cancelFinetune: procedure(async ({ fine_tuning_job_id: id }, context) => {
      await call('POST', `${pathOf(id)}/stop`, { context })
      return read(id, context)
    }),
  }
}

function requestOf(body: JsonObject, { id }: ProcedureContext): JsonObject {
  const {
    provider_options: given,
    model,
    training_file: training,
    validation_file: validation,
    suffix,
  } = body
  const { role_arn, output_uri, job_name, ...options } = isObject(given) ? given : {}
  const name = id('ftjob-').replace(/[^a-zA-Z0-9-]/g, '-')
  const parameters = hyperparametersOf(body)
  const chosen = Object.entries(parameterNames).flatMap(([ours, theirs]) =>
    typeof parameters[ours] === 'number' ? [[theirs, String(parameters[ours])]] : [],
  )
  return {
    jobName: textOrNull(job_name) ?? name,
    customModelName: textOrNull(suffix) ?? name,
    roleArn: requiredText(role_arn, '/provider_options/role_arn'),
    clientRequestToken: name,
    baseModelIdentifier: requiredText(model, '/model'),
    customizationType: 'FINE_TUNING',
    trainingDataConfig: { s3Uri: objectUri(requiredText(training, '/training_file')) },
    ...(typeof validation === 'string'
      ? { validationDataConfig: { validators: [{ s3Uri: objectUri(validation) }] } }
      : {}),
    outputDataConfig: { s3Uri: requiredText(output_uri, '/provider_options/output_uri') },
    ...(chosen.length === 0 ? {} : { hyperParameters: Object.fromEntries(chosen) }),
    ...options,
  }
}

function jobOf(job: JsonObject): JsonObject {
  const parameters = isObject(job.hyperParameters) ? job.hyperParameters : {}
  const validators = isObject(job.validationDataConfig) ? job.validationDataConfig.validators : []
  return tuningJobOf({
    id: objectId(textOrNull(job.jobArn) ?? ''),
    status: statuses[String(job.status)] ?? 'running',
    message: textOrNull(job.failureMessage),
    model: textOrNull(job.baseModelArn)?.split('/').at(-1) ?? null,
    tunedModel: textOrNull(job.outputModelArn) ?? textOrNull(job.customModelArn),
    trainingFile: fileOf(job.trainingDataConfig) ?? '',
    validationFile: fileOf(objectsOf(validators)[0]),
    createdAt: secondsOf(job.creationTime),
    finishedAt: secondsOf(job.endTime),
    hyperparameters: Object.fromEntries(
      Object.entries(parameterNames).map(([ours, theirs]) => [ours, parameters[theirs]]),
    ),
  })
}

function fileOf(config: unknown): string | null {
  const uri = isObject(config) ? textOrNull(config.s3Uri) : null
  return uri === null ? null : objectId(uri)
}
