/**
 * Batches of Amazon Bedrock: model invocation jobs with JSON lines in S3. Lines written by the gateway use the
 * Converse format; lines of callers use the format in `provider_options.modelInvocationType` (default: InvokeModel).
 * References: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_CreateModelInvocationJob.html,
 * https://docs.aws.amazon.com/bedrock/latest/userguide/batch-inference-data.html
 * Errors: 400 `invalid_body` at a missing option; those of the service.
 */
import {
  type BatchLines,
  type EndpointId,
  isObject,
  type JsonObject,
  type ProcedureContext,
  type ProcedureEndpoint,
  type ProviderSettings,
} from '@gateway/contract'
import {
  awsError,
  batchJobs,
  batchOfJob,
  jobOptionsOf,
  jsonCaller,
  objectId,
  objectsOf,
  objectUri,
  requiredText,
  secondsOf,
  textOrNull,
} from '@gateway/provider-kit'
import { serviceUrlFor } from './address.ts'

type RegionOf = (settings: ProviderSettings) => string

const statuses: Readonly<Record<string, string>> = {
  Submitted: 'validating',
  Validating: 'validating',
  Scheduled: 'validating',
  InProgress: 'in_progress',
  Completed: 'completed',
  PartiallyCompleted: 'completed',
  Failed: 'failed',
  Stopping: 'cancelling',
  Stopped: 'cancelled',
  Expired: 'expired',
}

export const batchLines: BatchLines = {
  id: 'recordId',
  paths: ['/v1/chat/completions'],
  requiredOptions: ['role_arn', 'output_uri'],
  needsModel: true,
  write: ({ body }) => ({ modelInput: body }),
  read({ recordId, modelOutput, error }) {
    if (typeof recordId !== 'string') return null
    if (isObject(modelOutput)) return { key: recordId, answer: { status: 200, body: modelOutput } }
    const told = isObject(error) ? error : {}
    const status = Number(told.errorCode)
    const message =
      typeof told.errorMessage === 'string' ? told.errorMessage : 'The provider returned no output.'
    return {
      key: recordId,
      answer: { status: status >= 400 && status < 600 ? status : 500, body: { message } },
    }
  },
}

export function batchEndpoints(regionOf: RegionOf): Partial<Record<EndpointId, ProcedureEndpoint>> {
  const call = jsonCaller(
    (context) => serviceUrlFor('bedrock', regionOf(context.settings), context),
    awsError,
  )
  const jobPath = (id: string) => `/model-invocation-job/${encodeURIComponent(objectUri(id))}`
  const readJob = (id: string, context: ProcedureContext) => call('GET', jobPath(id), { context })

  return batchJobs({
    async create(body, context) {
      const { jobArn } = await call('POST', '/model-invocation-job', { context, body: jobOf(body, context) })
      return batchOf(await readJob(textOrNull(jobArn) ?? '', context))
    },
    read: async (id, context) => batchOf(await readJob(id, context)),
    async list({ limit, after }, context) {
      const submitted = after === null ? null : textOrNull((await readJob(after, context)).submitTime)
      const query = new URLSearchParams({
        maxResults: String(limit),
        sortBy: 'CreationTime',
        sortOrder: 'Descending',
        ...(after === null ? {} : { submitTimeBefore: submitted ?? '' }),
      })
      const answer = await call('GET', `/model-invocation-jobs?${query}`, { context })
      return {
        batches: objectsOf(answer.invocationJobSummaries).map(batchOf),
        hasMore: typeof answer.nextToken === 'string',
      }
    },
    async cancel(id, context) {
      await call('POST', `${jobPath(id)}/stop`, { context })
    },
  })
}

function jobOf(body: JsonObject, { id }: ProcedureContext): JsonObject {
  const { options, rest, mark } = jobOptionsOf(body, ['role_arn', 'output_uri', 'job_name'])
  const token = mark ?? id('batch-')
  return {
    jobName: textOrNull(options.job_name) ?? token.replace(/[^a-zA-Z0-9-]/g, '-'),
    modelId: requiredText(body.model, '/model'),
    roleArn: requiredText(options.role_arn, '/provider_options/role_arn'),
    clientRequestToken: token,
    ...(mark === null ? {} : { modelInvocationType: 'Converse' }),
    inputDataConfig: {
      s3InputDataConfig: {
        s3InputFormat: 'JSONL',
        s3Uri: objectUri(requiredText(body.input_file_id, '/input_file_id')),
      },
    },
    outputDataConfig: {
      s3OutputDataConfig: { s3Uri: requiredText(options.output_uri, '/provider_options/output_uri') },
    },
    ...rest,
  }
}

/** Converts a job to a batch. Its output is in the job's folder, with the same name as its input. */
function batchOf(job: JsonObject): JsonObject {
  const arn = textOrNull(job.jobArn) ?? ''
  const status = statuses[String(job.status)] ?? 'in_progress'
  const input = uriIn(job.inputDataConfig, 's3InputDataConfig')
  const folder = uriIn(job.outputDataConfig, 's3OutputDataConfig').replace(/\/+$/, '')
  const submitted = secondsOf(job.submitTime)
  return batchOfJob({
    id: objectId(arn),
    status,
    message: textOrNull(job.message),
    input: objectId(input),
    output:
      folder === '' ? null : objectId(`${folder}/${arn.split('/').at(-1)}/${input.split('/').at(-1)}.out`),
    createdAt: submitted,
    startedAt: status === 'validating' ? null : submitted,
    endedAt: secondsOf(job.endTime),
    expiresAt: secondsOf(job.jobExpirationTime),
    counts: countsOf(job),
    metadata: null,
  })
}

function uriIn(config: unknown, member: string): string {
  const inner = isObject(config) && isObject(config[member]) ? config[member] : {}
  return textOrNull(inner.s3Uri) ?? ''
}

const countsOf = ({
  totalRecordCount: total,
  successRecordCount: good,
  errorRecordCount: bad,
}: JsonObject) => ({
  total: Number(total ?? 0),
  completed: Number(good ?? 0),
  failed: Number(bad ?? 0),
})
