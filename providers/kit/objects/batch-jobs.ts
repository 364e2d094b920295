/** Batches that a provider runs as jobs in its own format: the endpoints, and the conversion of a job to a batch. */
import {
  type EndpointId,
  isObject,
  type JsonObject,
  type ProcedureContext,
  type ProcedureEndpoint,
} from '@gateway/contract'
import { objectAnswer } from './call.ts'
import { listAnswer, pageSizeOf, procedure } from './procedures.ts'
import { textOrNull } from './values.ts'

/** The calls of a provider. Jobs are returned as batches, see {@link batchOfJob}. */
export interface BatchJobs {
  create(body: JsonObject, context: ProcedureContext): Promise<JsonObject>
  read(id: string, context: ProcedureContext): Promise<JsonObject>
  list(
    page: { limit: number; after: string | null },
    context: ProcedureContext,
  ): Promise<{ batches: JsonObject[]; hasMore: boolean }>
  cancel(id: string, context: ProcedureContext): Promise<void>
}

export function batchJobs(jobs: BatchJobs): Partial<Record<EndpointId, ProcedureEndpoint>> {
  return {
    createBatch: procedure(async (body, context) => {
      const created = await jobs.create(body, context)
      const { endpoint = created.endpoint, metadata } = body
      return objectAnswer({ ...created, endpoint, metadata: metadata ?? created.metadata })
    }),
    retrieveBatch: procedure(async (body, context) => objectAnswer(await jobs.read(idIn(body), context))),
    listBatches: procedure(async ({ limit, after }, context) => {
      const page = { limit: pageSizeOf(limit), after: typeof after === 'string' ? after : null }
      const { batches, hasMore } = await jobs.list(page, context)
      return listAnswer(batches, hasMore)
    }),
    cancelBatch: procedure(async (body, context) => {
      await jobs.cancel(idIn(body), context)
      return objectAnswer(await jobs.read(idIn(body), context))
    }),
  }
}

const idIn = ({ batch_id: id }: JsonObject): string => String(id)

export interface BatchJob {
  id: string
  /** A status of the contract. */
  status: string
  endpoint?: string
  /** The reason of the failure. */
  message: string | null
  input: string
  /** Null if the provider reports none. Set when the job ends. */
  output: string | null
  /** Unix seconds, like the others. */
  createdAt: number | null
  startedAt: number | null
  endedAt: number | null
  expiresAt?: number | null
  counts: { total: number; completed: number; failed: number }
  metadata: JsonObject | null
}

const statesWithOutput: readonly string[] = ['completed', 'cancelled', 'expired']

export function batchOfJob(job: BatchJob): JsonObject {
  const { status, endedAt } = job
  const at = (state: string) => (status === state ? endedAt : null)
  const fault = {
    code: 'provider_error',
    message: job.message ?? 'The job failed.',
    param: null,
    line: null,
  }
  return {
    id: job.id,
    object: 'batch',
    endpoint: job.endpoint ?? '/v1/chat/completions',
    errors: status === 'failed' ? { object: 'list', data: [fault] } : null,
    input_file_id: job.input,
    completion_window: '24h',
    status,
    output_file_id: statesWithOutput.includes(status) ? job.output : null,
    error_file_id: null,
    created_at: job.createdAt,
    in_progress_at: job.startedAt,
    expires_at: job.expiresAt ?? null,
    finalizing_at: null,
    completed_at: at('completed'),
    failed_at: at('failed'),
    expired_at: at('expired'),
    cancelling_at: null,
    cancelled_at: at('cancelled'),
    request_counts: job.counts,
    metadata: job.metadata,
  }
}

/** Metadata that does not concern a job: the place where its input was uploaded. */
const ofUploads: readonly string[] = ['bucket', 'key']

/**
 * The members of `provider_options`: those that the gateway reads, those that are passed to the service unchanged, and
 * the mark by which the gateway finds a batch of its own again.
 */
export function jobOptionsOf({ provider_options: given, metadata }: JsonObject, read: readonly string[]) {
  const options: JsonObject = isObject(given) ? given : {}
  const known = [...read, ...ofUploads]
  return {
    options,
    rest: Object.fromEntries(Object.entries(options).filter(([name]) => !known.includes(name))),
    mark: isObject(metadata) ? textOrNull(metadata.gateway_batch_id) : null,
  }
}
