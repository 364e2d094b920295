/** What the store keeps of fine-tuning jobs. */
import type { JsonObject } from '@gateway/contract'
import type { Owner } from '../shared/entities.ts'

export type JobFault = { code: string; message: string; param: string | null }

/** Attributes: `owner`. How far a job is follows from its age, so that it goes on whichever process is asked. */
export type JobData = {
  owner: Owner
  model: string
  suffix: string
  method: JsonObject
  hyperparameters: JsonObject
  seed: number
  integrations: JsonObject[] | null
  training_file: string
  validation_file: string | null
  trained_tokens: number
  /** What is wrong with its files; null for a job that can run. */
  fault: JobFault | null
  /** Unix milliseconds; null: it was not cancelled. */
  cancelled_at: number | null
}

declare module '@gateway/core/domain' {
  interface DocumentDataByKind {
    fine_tuning_job: JobData
  }
}
