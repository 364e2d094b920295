/** Stored replays. */
import type { Identity, JsonObject } from '@gateway/contract'
import type { Side } from './compare/side.ts'

export type ReplayStatus = 'queued' | 'running' | 'completed' | 'failed' | 'cancelled' | 'budget_exhausted'

export type ReplayCounts = {
  total: number
  /** The number of compared pairs. The candidate's answer may be an error. */
  completed: number
  /**
   * The number of pairs that could not be compared, because the replay's key was refused or the candidate has no price.
   */
  failed: number
  /** The number of requests that cannot be replayed. */
  skipped: number
  /** The number of completed pairs whose stored request is redacted. */
  redacted: number
}

/** The creator: the part of the identity that calls on the creator's behalf need. */
export type KeptCaller = Omit<Identity, 'scopes'> & { scopes: string[] }

/** A config as it is shown: a reference, or an inline one with its secrets masked. */
export type ShownConfig = string | JsonObject

/**
 * A stored replay. The document's status is a {@link ReplayStatus}. Its attributes are `made_by`, `type`, and `pairs`
 * (`kept`) until they are pruned. Times are Unix milliseconds, costs US cents.
 */
export type ReplayData = {
  /** Callers' requests append pairs to a replay of the type `shadow`. */
  type: 'replay' | 'shadow'
  /** The filter as sent. */
  filter: JsonObject
  sample: number
  seed: number
  config: ShownConfig
  judge: { config: ShownConfig; criteria: string } | null
  /** The configs as headers, encrypted ({@link SealedConfigs}); empty for a shadow, which runs none. */
  sealed: string
  concurrency: number
  /** US dollars. */
  budget: number | null
  counts: ReplayCounts
  /** The cost of all pairs so far, including their judge and embeddings. */
  spent: number
  /** The amount reserved by requests that a crash interrupted, whose actual cost is unknown. */
  unsettled: number
  /** Null for a shadow. */
  caller: KeptCaller | null
  client_ip: string
  made_by: string | null
  started_at: number | null
  ended_at: number | null
  /** Why the replay failed. */
  error: string | null
  /** The report of an ended replay. */
  report: JsonObject | null
  /** The declaration of a shadow's replay. `config` is a slug; null for a config that came with its request. */
  shadow?: { config: string | null; path: string; sample_percent: number }
  /** Further work items with pairs, one for each process that appends to a shadow's replay. */
  segments?: string[]
  /** Whether its pairs have been deleted together with the compared log entries. */
  isPruned: boolean
}

export type SealedConfigs = { config: string; judge: string | null }

/** The ids of the log entries that a replay runs, by position. The document has the replay's id. */
type ReplaySampleData = { ids: string[] }

/** A stored pair. It contains no texts, which are in the log. */
export type StoredPair = {
  /** The id of the baseline's log entry. */
  baseline_id: string
  candidate_id: string | null
  /** The key of the baseline's caller. Users who may see only their own calls do not see other pairs. */
  api_key_id: string | null
  outcome: 'completed' | 'failed' | 'skipped'
  /** Why the pair was not compared. */
  reason: string | null
  is_redacted: boolean
  baseline: Side | null
  candidate: Side | null
  match: Match | null
  judge: Judgement | null
  /** The cost of the candidate's run, the judge and the embeddings, in US cents. */
  spent: number
  /** The numbers of the reservations that this result settles. */
  reservations: number[]
}

export type Match = {
  /** Whether both sides called the same tools in the same order; null if neither calls one. */
  same_tool: boolean | null
  /** Whether the arguments are also equal; null unless the tools are. */
  same_arguments: boolean | null
  /** Cosine similarity of the two texts. */
  similarity: number | null
}

export type Judgement = {
  winner: 'baseline' | 'candidate' | 'tie'
  /** Whether the verdict stayed the same when the answers were swapped. */
  agreed: boolean
  /** The log entries of both questions, which contain the reasons. */
  entry_ids: string[]
}

declare module '@gateway/domain' {
  interface DocumentDataByKind {
    replay: ReplayData
    replay_sample: ReplaySampleData
  }
}
