/** A job of the embedded provider: its state, events and checkpoints at a time. It takes about a second. */
import type { JsonObject } from '@gateway/contract'
import type { JobState } from '@gateway/contract/wire'
import { unixSeconds } from '../files/present.ts'
import { writeId } from '../shared/ids.ts'
import type { JobDocument } from './entities.ts'
import { presentProviderJob, providerCheckpoints, providerEvents } from './present-provider.ts'

const validatedMs = 250
const startedMs = 500
const checkpointMs = [650, 800, 950] as const
const finishedMs = 1000
const stepsPerCheckpoint = 10

/** The state of a job, and when it was reached (Unix milliseconds). */
export function stateOf({ created_at, data }: JobDocument, nowMs: number): { status: JobState; at: number } {
  const { cancelled_at: cancelledAt, fault, provider } = data
  if (provider != null) return { status: provider.status as JobState, at: provider.ended_at ?? created_at }
  if (cancelledAt !== null) return { status: 'cancelled', at: cancelledAt }
  const age = nowMs - created_at
  if (age < validatedMs) return { status: 'validating_files', at: created_at }
  if (fault !== null) return { status: 'failed', at: created_at + validatedMs }
  if (age < startedMs) return { status: 'queued', at: created_at + validatedMs }
  if (age < finishedMs) return { status: 'running', at: created_at + startedMs }
  return { status: 'succeeded', at: created_at + finishedMs }
}

const isOver = (status: JobState) => status === 'succeeded' || status === 'failed' || status === 'cancelled'

/** Whether it can still be cancelled. */
export const isLive = (job: JobDocument, nowMs: number): boolean => !isOver(stateOf(job, nowMs).status)

const tuned = ({ id, data }: JobDocument, behind = ''): string =>
  `ft:${data.model}:gateway:${data.suffix}:${id.slice(0, 8)}${behind}`

export function presentJob(job: JobDocument, nowMs: number): JsonObject {
  const { id, created_at, organisation_id, data } = job
  if (data.provider != null) return presentProviderJob(job, data.provider)
  const { status, at } = stateOf(job, nowMs)
  return {
    id: writeId('fine_tuning_job', data.owner, id),
    object: 'fine_tuning.job',
    created_at: unixSeconds(created_at),
    error: status === 'failed' ? data.fault : null,
    fine_tuned_model: status === 'succeeded' ? tuned(job) : null,
    finished_at: isOver(status) ? unixSeconds(at) : null,
    hyperparameters: data.hyperparameters,
    model: data.model,
    organization_id: organisation_id ?? '',
    result_files: [],
    status,
    trained_tokens: status === 'succeeded' ? data.trained_tokens : null,
    training_file: data.training_file,
    validation_file: data.validation_file,
    seed: data.seed,
    integrations: data.integrations,
    estimated_finish: status === 'running' ? unixSeconds(created_at + finishedMs) : null,
    method: data.method,
    suffix: data.suffix,
  }
}

/** Events until now, newest first. */
export function eventsOf(job: JobDocument, nowMs: number): JsonObject[] {
  const { created_at, data } = job
  if (data.provider != null) return providerEvents(data.provider)
  const { status, at } = stateOf(job, nowMs)
  const id = writeId('fine_tuning_job', data.owner, job.id)
  const told: [ms: number, level: 'info' | 'warn' | 'error', message: string][] = [
    [0, 'info', `Created fine-tuning job: ${id}`],
    [0, 'info', `Validating training file: ${data.training_file}`],
  ]
  if (data.fault !== null) {
    told.push([validatedMs, 'error', data.fault.message])
  } else {
    told.push([validatedMs, 'info', 'Files validated, moving job to queued state'])
    told.push([startedMs, 'info', 'Fine-tuning job started'])
    for (const [index, ms] of checkpointMs.entries())
      told.push([ms, 'info', `Checkpoint created at step ${(index + 1) * stepsPerCheckpoint}`])
    told.push([finishedMs, 'info', 'The job has successfully completed'])
  }
  const until = status === 'cancelled' ? at : nowMs
  const past = told.filter(([ms]) => created_at + ms <= until)
  if (status === 'cancelled') past.push([at - created_at, 'warn', 'The job was cancelled'])
  return past
    .map(([ms, level, message], index) => ({
      id: `ftevent-${job.id.replaceAll('-', '')}${String(index).padStart(2, '0')}`,
      object: 'fine_tuning.job.event',
      created_at: unixSeconds(created_at + ms),
      level,
      message,
    }))
    .reverse()
}

/** Three checkpoints for a job that has succeeded, newest first. */
export function checkpointsOf(job: JobDocument, nowMs: number): JsonObject[] {
  const { created_at, data } = job
  if (data.provider != null) return providerCheckpoints(job, data.provider)
  const { status, at } = stateOf(job, nowMs)
  if (status !== 'succeeded' && status !== 'running' && status !== 'cancelled') return []
  const until = status === 'cancelled' ? at : nowMs
  return checkpointMs
    .flatMap((ms, index) =>
      created_at + ms > until || data.fault !== null ? [] : [checkpoint(job, index, created_at + ms)],
    )
    .reverse()
}

function checkpoint(job: JobDocument, index: number, at: number): JsonObject {
  const step = (index + 1) * stepsPerCheckpoint
  // The embedded provider trains nothing; the loss only looks like a real curve.
  const loss = Math.round(1000 / (index + 1)) / 1000
  const accuracy = Math.round((1 - loss / 2) * 1000) / 1000
  return {
    id: `ftckpt-${job.id.replaceAll('-', '')}${String(index).padStart(2, '0')}`,
    object: 'fine_tuning.job.checkpoint',
    created_at: unixSeconds(at),
    fine_tuned_model_checkpoint: tuned(job, `:ckpt-step-${step}`),
    step_number: step,
    fine_tuning_job_id: writeId('fine_tuning_job', job.data.owner, job.id),
    metrics: {
      step,
      train_loss: loss,
      train_mean_token_accuracy: accuracy,
      valid_loss: loss,
      valid_mean_token_accuracy: accuracy,
      full_valid_loss: loss,
      full_valid_mean_token_accuracy: accuracy,
    },
  }
}
