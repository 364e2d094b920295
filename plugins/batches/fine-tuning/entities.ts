/** Stored fine-tuning jobs. */
import type { JsonObject } from '@gateway/contract'
import type { DocumentOf } from '@gateway/core/domain'
import type { KeptCaller, Owner } from '../shared/entities.ts'

export type JobFault = { code: string; message: string; param: string | null }

/** Of a job that a provider runs; its status is the document's, too. */
export type ProviderJob = {
  name: string
  /** Of the stored credential; null for one that came with the request. */
  slug: string | null
  options: JsonObject | null
  /** Of the call that created it. */
  sealed_headers: string
  caller: KeptCaller
  client_ip: string
  status: string
  /** The provider's files and job; each is kept before the next step. */
  training_id: string | null
  validation_id: string | null
  job_id: string | null
  /** When the provider was last asked to create the job, in Unix milliseconds: from then on it may have it. */
  submitting_at: number | null
  /** The provider's last state of it. */
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
 * Attributes: `owner`. The state of an embedded provider's job follows from its age, so that it is the same in every
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
  /** The fault of its files; null for a valid job. */
  fault: JobFault | null
  /** Unix milliseconds; null: it was not cancelled. */
  cancelled_at: number | null
  /** Null, or absent in jobs of earlier versions, for one of the embedded provider. */
  provider?: ProviderJob | null
}

declare module '@gateway/core/domain' {
  interface DocumentDataByKind {
    fine_tuning_job: JobData
  }
}

export type JobDocument = DocumentOf<'fine_tuning_job'>
