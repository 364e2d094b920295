/** Converts fine-tuning jobs of providers with a format of their own to the jobs of the contract. */
import type { JsonObject } from '@gateway/contract'

export interface TuningJob {
  id: string
  /** A status of the contract. */
  status: string
  /** The reason of the failure. */
  message: string | null
  model: string | null
  tunedModel: string | null
  trainingFile: string
  validationFile: string | null
  /** Unix seconds. */
  createdAt: number | null
  finishedAt: number | null
  /** Hyperparameters by their names in the contract; those that are not numbers are `auto`. */
  hyperparameters: { n_epochs?: unknown; batch_size?: unknown; learning_rate_multiplier?: unknown }
}

export function tuningJobOf(job: TuningJob): JsonObject {
  const { n_epochs, batch_size, learning_rate_multiplier } = job.hyperparameters
  return {
    id: job.id,
    object: 'fine_tuning.job',
    created_at: job.createdAt,
    error:
      job.status === 'failed'
        ? { code: 'provider_error', message: job.message ?? 'The job failed.', param: null }
        : null,
    fine_tuned_model: job.tunedModel,
    finished_at: job.finishedAt,
    hyperparameters: {
      n_epochs: numberOrAuto(n_epochs),
      batch_size: numberOrAuto(batch_size),
      learning_rate_multiplier: numberOrAuto(learning_rate_multiplier),
    },
    model: job.model,
    organization_id: '',
    result_files: [],
    status: job.status,
    trained_tokens: null,
    training_file: job.trainingFile,
    validation_file: job.validationFile,
    seed: 0,
    integrations: null,
    estimated_finish: null,
  }
}

const numberOrAuto = (value: unknown): number | 'auto' => Number(value) || 'auto'
