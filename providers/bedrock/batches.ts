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
  callObjectJson,
  objectAnswer,
  objectId,
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
  const url = (path: string, context: ProcedureContext) =>
    `${serviceUrlFor('bedrock', regionOf(context.settings), context)}${path}`
  const jobUrl = ({ batch_id: id }: JsonObject, context: ProcedureContext, behind = '') =>
    url(`/model-invocation-job/${encodeURIComponent(objectUri(String(id)))}${behind}`, context)
  const read = async (at: string, context: ProcedureContext) =>
    batchOf(await callObjectJson({ method: 'GET', url: at }, context, awsError))

  return {
    createBatch: {
      kind: 'procedure',
      async run(body, context) {
        const call = {
          method: 'POST' as const,
          url: url('/model-invocation-job', context),
          body: jobOf(body, context),
        }
        const { jobArn } = await callObjectJson(call, context, awsError)
        const created = await read(jobUrl({ batch_id: textOrNull(jobArn) ?? '' }, context), context)
        return objectAnswer({
          ...created,
          endpoint: body.endpoint ?? created.endpoint,
          metadata: body.metadata ?? null,
        })
      },
    },
    retrieveBatch: {
      kind: 'procedure',
      run: async (body, context) => objectAnswer(await read(jobUrl(body, context), context)),
    },
    listBatches: {
      kind: 'procedure',
      async run({ limit, after }, context) {
        const query = new URLSearchParams({
          maxResults: String(Math.min(100, Math.max(1, Number(limit ?? 20) || 20))),
          sortBy: 'CreationTime',
          sortOrder: 'Descending',
          ...(typeof after === 'string' ? { submitTimeBefore: await submittedAt(after, context) } : {}),
        })
        const call = { method: 'GET' as const, url: url(`/model-invocation-jobs?${query}`, context) }
        const { invocationJobSummaries: jobs, nextToken } = await callObjectJson(call, context, awsError)
        const data = (Array.isArray(jobs) ? jobs.filter(isObject) : []).map(batchOf)
        return objectAnswer({
          object: 'list',
          data,
          has_more: typeof nextToken === 'string',
          first_id: data[0]?.id ?? null,
          last_id: data.at(-1)?.id ?? null,
        })
      },
    },
    cancelBatch: {
      kind: 'procedure',
      async run(body, context) {
        await callObjectJson({ method: 'POST', url: jobUrl(body, context, '/stop') }, context, awsError)
        return objectAnswer(await read(jobUrl(body, context), context))
      },
    },
  }

  async function submittedAt(id: string, context: ProcedureContext): Promise<string> {
    const job = await callObjectJson(
      { method: 'GET', url: jobUrl({ batch_id: id }, context) },
      context,
      awsError,
    )
    return textOrNull(job.submitTime) ?? ''
  }
}

function jobOf(body: JsonObject, { id }: ProcedureContext): JsonObject {
  const { provider_options: given, metadata, model } = body
  const {
    role_arn,
    output_uri,
    job_name,
    bucket: _bucket,
    key: _key,
    ...options
  } = isObject(given) ? given : {}
  const mark = isObject(metadata) ? textOrNull(metadata.gateway_batch_id) : null
  const token = mark ?? id('batch-')
  return {
    jobName: textOrNull(job_name) ?? token.replace(/[^a-zA-Z0-9-]/g, '-'),
    modelId: requiredText(model, '/model'),
    roleArn: requiredText(role_arn, '/provider_options/role_arn'),
    clientRequestToken: token,
    ...(mark === null ? {} : { modelInvocationType: 'Converse' }),
    inputDataConfig: {
      s3InputDataConfig: {
        s3InputFormat: 'JSONL',
        s3Uri: objectUri(requiredText(body.input_file_id, '/input_file_id')),
      },
    },
    outputDataConfig: {
      s3OutputDataConfig: { s3Uri: requiredText(output_uri, '/provider_options/output_uri') },
    },
    ...options,
  }
}

/** Converts a job to a batch. Its output is in the job's folder, with the same name as its input. */
function batchOf(job: JsonObject): JsonObject {
  const arn = textOrNull(job.jobArn) ?? ''
  const status = statuses[String(job.status)] ?? 'in_progress'
  const input = uriIn(job.inputDataConfig, 's3InputDataConfig')
  const output = uriIn(job.outputDataConfig, 's3OutputDataConfig')
  const hasOutput = output !== '' && ['completed', 'cancelled', 'expired'].includes(status)
  const submitted = secondsOf(job.submitTime)
  const ended = secondsOf(job.endTime)
  const at = (state: string) => (status === state ? ended : null)
  const message = textOrNull(job.message)
  return {
    id: objectId(arn),
    object: 'batch',
    endpoint: '/v1/chat/completions',
    errors:
      status === 'failed' && message !== null
        ? { object: 'list', data: [{ code: 'provider_error', message, param: null, line: null }] }
        : null,
    input_file_id: objectId(input),
    completion_window: '24h',
    status,
    output_file_id: hasOutput
      ? objectId(`${output.replace(/\/+$/, '')}/${arn.split('/').at(-1)}/${input.split('/').at(-1)}.out`)
      : null,
    error_file_id: null,
    created_at: submitted,
    in_progress_at: status === 'validating' ? null : submitted,
    expires_at: secondsOf(job.jobExpirationTime),
    finalizing_at: null,
    completed_at: at('completed'),
    failed_at: at('failed'),
    expired_at: at('expired'),
    cancelling_at: null,
    cancelled_at: at('cancelled'),
    request_counts: countsOf(job),
    metadata: null,
  }
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
