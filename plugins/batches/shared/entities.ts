/** Stored files and batches. */
import type { BatchHold, Identity, JsonObject } from '@gateway/contract'

/**
 * Id: the UUID in the file's own id. Attributes: `purpose`, `owner`, and `expires_day` (`2026-01-31`) if it expires.
 */
export type FileData = {
  /** `echo`: the embedded provider, whose ids have another prefix. */
  owner: Owner
  filename: string
  bytes: number
  purpose: string
  content_type: string
  /** The key of its bytes in the file store. */
  key: string
  /** Unix milliseconds; null: never. */
  expires_at: number | null
}

/** The owner of objects. Objects of different owners are never listed together. */
export type Owner = 'gateway' | 'echo'

/** The total bytes of a workspace's files. Id: the workspace's. */
type FileTotalData = { bytes: number }

export type BatchTimes = Partial<
  Record<
    | 'in_progress_at'
    | 'finalizing_at'
    | 'completed_at'
    | 'failed_at'
    | 'expiring_at'
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
  /** Whether the price of every line is known. */
  cost_known: boolean
}

/**
 * Attributes: `owner`, `input_file` (the UUID of its document), `provider_batch` (the provider's id, for a watched
 * batch). The document's status is the batch's. Times are Unix milliseconds.
 */
export type BatchData = {
  owner: Owner
  endpoint: string
  input_file_id: string
  /** The UUID of the managed file with its lines. Null if a provider has them. */
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
  /** The number of seconds for which its output is kept; null: the setting in the config file applies. */
  output_expires_after: number | null
  /** The headers of the call that created it, encrypted. */
  sealed_headers: string
  caller: KeptCaller
  client_ip: string
  /** Identifies the target, for shared backoff; contains no secret. */
  target: string
  trace_id: string
  /** Set for a batch that a provider runs; null for a batch that runs here. */
  provider: ProviderBatch | null
}

/** The creator of a batch: the part of the identity that calls on their behalf need. */
export type KeptCaller = Omit<Identity, 'scopes'> & { scopes: string[] }

export type ProviderBatch = {
  name: string
  /** The slug of the stored credential. Null for a credential sent with the request. */
  slug: string | null
  /** Whether the batch is a file of lines or contains its requests (Message Batches). */
  format: 'file' | 'messages'
  /** The ids of the provider's file of lines and of its batch; each is stored before the next step. */
  file_id: string | null
  batch_id: string | null
  options: JsonObject | null
  /** The provider's latest state of the batch. */
  details: JsonObject | null
  /** Whether lines were refused before anything was sent; they then have results. */
  isPrepared: boolean
  /** The number of lines that are sent, and the model of the first one. */
  lines?: number
  model?: string | null
  /**
   * The time of the first request to create the batch at the provider, in Unix milliseconds. After that time the
   * provider may have the batch.
   */
  submitting_at?: number | null
  /** The provider's batches that turned out not to belong to this one. */
  passed_over?: string[]
  /** Whether a caller created it at the provider: its usage is charged, and nothing else is stored. */
  isWatched: boolean
  /** Its reservation in usage limits until it ends. Absent in batches of earlier versions. */
  hold?: BatchHold | null
  /**
   * The time when a caller last needed it to be charged, in Unix milliseconds. The process that polls it then polls
   * immediately.
   */
  wanted_at?: number
}

declare module '@gateway/domain' {
  interface DocumentDataByKind {
    file: FileData
    file_total: FileTotalData
    batch: BatchData
  }
}
