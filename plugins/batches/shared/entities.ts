/** Stored files and batches. */
import type { BatchHold, Identity, JsonObject } from '@gateway/contract'

/**
 * Id: the UUID of the file's own id. Attributes: `purpose`, `owner`, and `expires_day` (`2026-01-31`) where it expires.
 */
export type FileData = {
  /** `echo`: of the embedded provider, whose ids begin otherwise. */
  owner: Owner
  filename: string
  bytes: number
  purpose: string
  content_type: string
  /** Of its bytes in the store of files. */
  key: string
  /** Unix milliseconds; null: never. */
  expires_at: number | null
}

/** The owner of objects. Objects of different owners are never listed together. */
export type Owner = 'gateway' | 'echo'

/** The bytes of a workspace's files. Id: the workspace's. */
type FileTotalData = { bytes: number }

export type BatchTimes = Partial<
  Record<
    | 'in_progress_at'
    | 'finalizing_at'
    | 'completed_at'
    | 'failed_at'
    | 'expired_at'
    | 'cancelling_at'
    | 'cancelled_at',
    number
  >
>

export type BatchFault = { code: string; message: string; param: string | null; line: number | null }

export type BatchUsage = {
  input_tokens: number
  output_tokens: number
  cached_tokens: number
  reasoning_tokens: number
  /** US cents. */
  cost: number
  /** Whether the price of every line was known. */
  cost_known: boolean
}

/**
 * Attributes: `owner`, `input_file` (the UUID of its document), `provider_batch` (the provider's id, of one that is watched);
 * status: the batch's own. Times are Unix milliseconds.
 */
export type BatchData = {
  owner: Owner
  endpoint: string
  input_file_id: string
  /** The managed file that holds its lines, a UUID; null where a provider has them. */
  input_document: string | null
  completion_window: string
  model: string | null
  metadata: Record<string, string> | null
  expires_at: number
  times: BatchTimes
  errors: BatchFault[] | null
  output_file_id: string | null
  error_file_id: string | null
  counts: { total: number; completed: number; failed: number }
  usage: BatchUsage | null
  retry_of: string | null
  /** Seconds that its output is kept; null: as the config file says. */
  output_expires_after: number | null
  /** Headers of the call that created it, sealed. */
  sealed_headers: string
  caller: KeptCaller
  client_ip: string
  /** Identifies the target, for shared backoff; contains no secret. */
  target: string
  trace_id: string
  /** Of a batch that a provider runs; null for one that runs here. */
  provider: ProviderBatch | null
}

/** The creator of a batch, as far as needed to call on their behalf. */
export type KeptCaller = Omit<Identity, 'scopes'> & { scopes: string[] }

export type ProviderBatch = {
  name: string
  /** Of the stored credential; null for one that came with the request. */
  slug: string | null
  /** Of a file of lines, or of its requests (Message Batches). */
  format: 'file' | 'messages'
  /** The provider's file with the lines, and its batch: each is kept before the next step. */
  file_id: string | null
  batch_id: string | null
  options: JsonObject | null
  /** The provider's last state of the batch. */
  details: JsonObject | null
  /** Whether lines were refused before anything was sent; then they have results. */
  isPrepared: boolean
  /** How many lines are sent, and the model of the first one. */
  lines?: number
  model?: string | null
  /** When the provider was first asked to create the batch, in Unix milliseconds: from then on it may have it. */
  submitting_at?: number | null
  /** Batches of the provider that turned out to be others'. */
  passed_over?: string[]
  /** Whether it was created at the provider by the caller: then its usage is booked, and nothing else is kept of it. */
  isWatched: boolean
  /** Its reservation in usage limits until it ends; absent in batches of earlier versions. */
  hold?: BatchHold | null
  /** When somebody last asked for its end, in Unix milliseconds: whoever polls it looks at once. */
  wanted_at?: number
}

declare module '@gateway/core/domain' {
  interface DocumentDataByKind {
    file: FileData
    file_total: FileTotalData
    batch: BatchData
  }
}
