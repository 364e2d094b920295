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
  callObjectJson,
  hyperparametersOf,
  objectAnswer,
  objectId,
  objectUri,
  requiredText,
  secondsOf,
  textOrNull,
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
  const url = (path: string, context: ProcedureContext) =>
    `${serviceUrlFor('bedrock', regionOf(context.settings), context)}/model-customization-jobs${path}`
  const one = ({ fine_tuning_job_id: id }: JsonObject, behind = '') =>
    `/${encodeURIComponent(objectUri(String(id)))}${behind}`
  const read = async (path: string, context: ProcedureContext) =>
    jobOf(await callObjectJson({ method: 'GET', url: url(path, context) }, context, awsError))

  return {
    createFinetune: {
      kind: 'procedure',
      async run(body, context) {
        const call = { method: 'POST' as const, url: url('', context), body: requestOf(body, context) }
        const { jobArn } = await callObjectJson(call, context, awsError)
        return objectAnswer(await read(one({ fine_tuning_job_id: textOrNull(jobArn) ?? '' }), context))
      },
    },
    listFinetunes: {
      kind: 'procedure',
      async run({ limit }, context) {
        const size = Math.min(100, Math.max(1, Number(limit ?? 20) || 20))
        const query = `?maxResults=${size}&sortBy=CreationTime&sortOrder=Descending`
        const { modelCustomizationJobSummaries: jobs, nextToken } = await callObjectJson(
          { method: 'GET', url: url(query, context) },
          context,
          awsError,
        )
        const data = (Array.isArray(jobs) ? jobs.filter(isObject) : []).map(jobOf)
        return objectAnswer({ object: 'list', data, has_more: typeof nextToken === 'string' })
      },
    },
    retrieveFinetune: {
      kind: 'procedure',
      run: async (body, context) => objectAnswer(await read(one(body), context)),
    },
    cancelFinetune: {
      kind: 'procedure',
      async run(body, context) {
        await callObjectJson({ method: 'POST', url: url(one(body, '/stop'), context) }, context, awsError)
        return objectAnswer(await read(one(body), context))
      },
    },
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
  const status = statuses[String(job.status)] ?? 'running'
  const message = textOrNull(job.failureMessage)
  const parameters = isObject(job.hyperParameters) ? job.hyperParameters : {}
  const validators = isObject(job.validationDataConfig) ? job.validationDataConfig.validators : []
  const [validator] = Array.isArray(validators) ? validators : []
  return {
    id: objectId(textOrNull(job.jobArn) ?? ''),
    object: 'fine_tuning.job',
    created_at: secondsOf(job.creationTime),
    error:
      status === 'failed'
        ? { code: 'provider_error', message: message ?? 'The job failed.', param: null }
        : null,
    fine_tuned_model: textOrNull(job.outputModelArn) ?? textOrNull(job.customModelArn),
    finished_at: secondsOf(job.endTime),
    hyperparameters: Object.fromEntries(
      Object.entries(parameterNames).map(([ours, theirs]) => [ours, Number(parameters[theirs]) || 'auto']),
    ),
    model: textOrNull(job.baseModelArn)?.split('/').at(-1) ?? null,
    organization_id: '',
    result_files: [],
    status,
    trained_tokens: null,
    training_file: fileOf(job.trainingDataConfig) ?? '',
    validation_file: fileOf(validator),
    seed: 0,
    integrations: null,
    estimated_finish: null,
  }
}

function fileOf(config: unknown): string | null {
  const uri = isObject(config) ? textOrNull(config.s3Uri) : null
  return uri === null ? null : objectId(uri)
}
