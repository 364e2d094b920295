/** Stored fine-tuning jobs. */
import type { JsonObject } from '@gateway/contract'
import type { DocumentOf } from '@gateway/domain'
import type { KeptCaller, Owner } from '../shared/entities.ts'

export type JobFault = { code: string; message: string; param: string | null }

/** A job that a provider runs. Its status is also the document's. */
export type ProviderJob = {
  name: string
  /** The slug of the stored credential. Null for a credential sent with the request. */
  slug: string | null
  options: JsonObject | null
  /** The headers of the call that created it, encrypted. */
  sealed_headers: string
  caller: KeptCaller
  client_ip: string
  status: string
  /** The ids of the provider's files and job; each is stored before the next step. */
  training_id: string | null
  validation_id: string | null
  job_id: string | null
  /**
   * The time of the first request to create the job at the provider, in Unix milliseconds. After that time the provider
   * may have the job.
   */
  submitting_at: number | null
  /** The provider's latest state of the job. */
  details: JsonObject | null
  events: JsonObject[]
  checkpoints: JsonObject[]
  error: JobFault | null
  polled_at: number | null
  ended_at: number | null
  is_cancelling: boolean
  is_cancelled: boolean
}

/**
 * Attributes: `owner`. The state of an embedded provider's job is computed from its age, so it is the same in every
 * process.
 */
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
  /** The error of its files; null for a valid job. */
  fault: JobFault | null
  /** Unix milliseconds. Null: not cancelled. */
  cancelled_at: number | null
  /** Null, or absent in jobs of earlier versions, for a job of the embedded provider. */
  provider?: ProviderJob | null
}

declare module '@gateway/domain' {
  interface DocumentDataByKind {
    fine_tuning_job: JobData
  }
}

export type JobDocument = DocumentOf<'fine_tuning_job'>
