/** How answers show a job at a provider: with the ids of the gateway. */
import type { JsonObject } from '@gateway/contract'
import { unixSeconds } from '../files/present.ts'
import { writeId } from '../shared/ids.ts'
import type { JobDocument, ProviderJob } from './entities.ts'

const idOf = ({ id, data }: JobDocument): string => writeId('fine_tuning_job', data.owner, id)

export function presentProviderJob(job: JobDocument, provider: ProviderJob): JsonObject {
  const { created_at, organisation_id, data } = job
  const { status, details, error, ended_at: endedAt } = provider
  const said = details ?? {}
  return {
    id: idOf(job),
    object: 'fine_tuning.job',
    created_at: unixSeconds(created_at),
    error: status === 'failed' ? (error ?? said.error ?? null) : null,
    fine_tuned_model: said.fine_tuned_model ?? null,
    finished_at: said.finished_at ?? (endedAt === null ? null : unixSeconds(endedAt)),
    hyperparameters: data.hyperparameters,
    model: data.model,
    organization_id: organisation_id ?? '',
    result_files: said.result_files ?? [],
    status,
    trained_tokens: said.trained_tokens ?? null,
    training_file: data.training_file,
    validation_file: data.validation_file,
    seed: data.seed,
    integrations: data.integrations,
    estimated_finish: status === 'running' ? (said.estimated_finish ?? null) : null,
    method: data.method,
    suffix: data.suffix,
  }
}

export const providerEvents = ({ events }: ProviderJob): JsonObject[] => events

export const providerCheckpoints = (job: JobDocument, { checkpoints }: ProviderJob): JsonObject[] =>
  checkpoints.map((one) => ({ ...one, fine_tuning_job_id: idOf(job) }))
