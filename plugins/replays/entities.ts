/** Stored replays. */
import type { Identity, JsonObject } from '@gateway/contract'
import type { Side } from './compare/side.ts'

export type ReplayStatus = 'queued' | 'running' | 'completed' | 'failed' | 'cancelled' | 'budget_exhausted'

export type ReplayCounts = {
  total: number
  /** Pairs that were compared; the candidate's answer may be an error. */
  completed: number
  /** Pairs that could not be compared: the replay's key was refused, or the candidate has no price. */
  failed: number
  /** Requests that cannot be replayed. */
  skipped: number
  /** The number of completed pairs whose stored request is redacted. */
  redacted: number
}

/** The creator: the part of the identity that calls on their behalf need. */
export type KeptCaller = Omit<Identity, 'scopes'> & { scopes: string[] }

/** A config as it is shown: a reference, or an inline one with its secrets masked. */
export type ShownConfig = string | JsonObject

/**
 * The document's status is a {@link ReplayStatus}. Attributes: `made_by`, `type`, and `pairs`
 * (`kept`) until they are pruned. Times are Unix milliseconds, costs US
 * cents.
 */
export type ReplayData = {
  /** `shadow`: its pairs are appended by requests of callers. */
  type: 'replay' | 'shadow'
  /** As sent. */
  filter: JsonObject
  sample: number
  seed: number
  config: ShownConfig
  judge: { config: ShownConfig; criteria: string } | null
  /** The configs as headers, encrypted: {@link SealedConfigs}. Empty for a shadow, which runs none. */
  sealed: string
  concurrency: number
  /** US dollars. */
  budget: number | null
  counts: ReplayCounts
  /** The cost of all pairs so far, including their judge and embeddings. */
  spent: number
  /** Reserved by requests that a crash cut off: what they cost is not known. */
  unsettled: number
  /** Null for a shadow. */
  caller: KeptCaller | null
  client_ip: string
  made_by: string | null
  started_at: number | null
  ended_at: number | null
  /** Why it failed. */
  error: string | null
  /** The report of an ended replay. */
  report: JsonObject | null
  /** The declaration of a shadow's replay. `config` is a slug; null: a config that came with its request. */
  shadow?: { config: string | null; path: string; sample_percent: number }
  /** Further works with pairs, one for each process that appends to a shadow replay. */
  segments?: string[]
  /** Whether its pairs have been deleted, with the log entries that they compared. */
  isPruned: boolean
}

export type SealedConfigs = { config: string; judge: string | null }

/** The ids of the log entries that a replay runs, by position. Id: the replay's. */
type ReplaySampleData = { ids: string[] }

/** A pair as it is stored: no texts, which are in the log. */
export type StoredPair = {
  /** Ids of log entries. */
  baseline_id: string
  candidate_id: string | null
  /** The key of the baseline's caller: who may see only their own calls does not see other pairs. */
  api_key_id: string | null
  outcome: 'completed' | 'failed' | 'skipped'
  /** Why it was not compared. */
  reason: string | null
  is_redacted: boolean
  baseline: Side | null
  candidate: Side | null
  match: Match | null
  judge: Judgement | null
  /** US cents of the candidate's run, the judge and the embeddings. */
  spent: number
  /** The numbers of the reservations that this result settles. */
  reservations: number[]
}

export type Match = {
  /** Whether the same tools were called, in order; null where neither side calls one. */
  same_tool: boolean | null
  /** Whether their arguments are equal too; null unless the tools are. */
  same_arguments: boolean | null
  /** Cosine similarity of the two texts. */
  similarity: number | null
}

export type Judgement = {
  winner: 'baseline' | 'candidate' | 'tie'
  /** Whether the verdict was the same when the answers were swapped. */
  agreed: boolean
  /** The log entries of both questions, which have the reasons. */
  entry_ids: string[]
}

declare module '@gateway/domain' {
  interface DocumentDataByKind {
    replay: ReplayData
    replay_sample: ReplaySampleData
  }
}
