/**
 * The log of requests: entries are appended in batches, listed by filter, aggregated, and removed after their
 * retention. Older entries remain as hourly aggregates. Bodies are stored apart from filterable columns. Errors:
 * `store_unavailable`.
 */
import type { JsonObject } from '../json.ts'
import type { LogField, LogFields, LogSort } from './log-columns.ts'

export type LogValue = string | number | boolean | null

/** An entry as shown in lists. */
export interface LogSummary {
  /** A UUID of version 7 with the time `created_at`, so that ids sort by time. */
  id: string
  /** Milliseconds since the epoch. */
  created_at: number
  organisation_id: string
  workspace_id: string | null
  /** Omitted members are null. */
  fields: Partial<LogFields>
  metadata: Readonly<Record<string, string>>
}

export interface LogEntry extends LogSummary {
  /** `attempts`, `hook_results`, `decisions`: shown with a single entry, not filterable. */
  details: JsonObject
  /** The bodies; null if none are stored. */
  bodies: LogBodies | null
}

/** Bodies as JSON, with media replaced, each truncated at a limit. */
export interface LogBodies {
  request: string | null
  response: string | null
  /** The body sent to the target, if it differs from the caller's. */
  transformed_request: string | null
  /** The answer before output hooks changed it. */
  original_response: string | null
}

export type LogMatch = Readonly<Partial<Record<LogField, readonly LogValue[]>>>

export interface LogFilter {
  organisation_id?: string
  workspace_ids?: readonly (string | null)[]
  ids?: readonly string[]
  /** From inclusive, to exclusive; milliseconds since the epoch. */
  from?: number
  to?: number
  /** Any of the values of each field. */
  fields?: LogMatch
  /** For each of these, at least one field must have one of its values. */
  either?: readonly LogMatch[]
  /** At least one of these filters matches. */
  anyOf?: readonly LogMatch[]
  /** None of these fields has any of its values. */
  except?: LogMatch
  /** Bounds of number fields, both inclusive. */
  ranges?: Readonly<Partial<Record<LogField, { min?: number; max?: number }>>>
  /** Entries must have all these values. */
  metadata?: Readonly<Record<string, string>>
  /** A substring of the bodies' texts, case-insensitive. */
  search?: string
  /** Bounds of the mean of value × weight over the feedback of the entry's trace, both inclusive. */
  weighted_feedback?: { min?: number; max?: number }
  /** Restricts these workspaces to entries of these API keys. */
  own?: { workspace_ids: readonly string[]; api_key_ids: readonly string[] }
}

/** The start of a page: after an entry, or an offset. */
export interface LogPage {
  after?: string
  offset?: number
  limit: number
  /** Default: by time. Entries without the value come last, equal ones newest first. Never with `after`. */
  sort?: LogSort
  /** Default: descending, so the newest first. */
  order?: 'desc' | 'asc'
}

export interface LogAggregation {
  /** Fields, `workspace_id`, or `metadata/KEY`. */
  by: readonly string[]
  /** Time buckets: length in milliseconds, and offset from the epoch. */
  interval?: { sizeMs: number; offsetMs: number }
  /** The sums to compute; others may be zero. Default: all. */
  totals?: readonly (keyof LogTotals)[]
  /** Whether to compute the distribution of response times. */
  histogram?: boolean
  /** Whether to count distinct users. */
  users?: boolean
}

/** Counts and sums of requests. */
export interface LogTotals {
  requests: number
  cost: number
  saved_cost: number
  req_units: number
  res_units: number
  response_time: number
  /** Status 200 to 299. */
  successes: number
  /** Status 400 and above. */
  errors: number
  /** `HIT`, `SEMANTIC HIT`, and everything but `DISABLED`. */
  simple_hits: number
  semantic_hits: number
  cacheable: number
  /** Response times of hits and of misses, and the number of misses. */
  hit_time: number
  miss_time: number
  misses: number
  /** Successes after a retry on the first target, and successes on a later target. */
  rescued_by_retry: number
  rescued_by_fallback: number
}

export interface LogGroup extends LogTotals {
  /** Beginning of the bucket; null without an interval. */
  bucket: number | null
  /** The group's values, one for each member of `by`. */
  values: readonly LogValue[]
  first_at: number
  last_at: number
  /** Response times per bin (`latencyBin` of the domain), if requested. */
  histogram: ReadonlyMap<number, number>
  /** Distinct users, if requested. */
  users: number
}

export interface LogFeedback {
  id: string
  /** Milliseconds since the epoch. */
  created_at: number
  last_updated_at: number
  organisation_id: string
  workspace_id: string
  trace_id: string
  /** -10 to 10. */
  value: number
  /** 0 to 1. */
  weight: number
  metadata: JsonObject
  source: 'api' | 'guardrail'
  api_key_id: string | null
  user_id: string | null
}

export interface FeedbackFilter {
  organisation_id?: string
  workspace_ids?: readonly string[]
  ids?: readonly string[]
  trace_ids?: readonly string[]
  /** Milliseconds since the epoch, inclusive. */
  from?: number
  own?: LogFilter['own']
}

/** Feedback on the traces of matching entries, each once. */
export interface FeedbackAggregation {
  by: 'ai_model' | 'value' | null
  interval?: LogAggregation['interval']
}

export interface FeedbackGroup {
  bucket: number | null
  value: LogValue
  total: number
  /** Sum of value × weight. */
  weighted: number
}

export interface FeedbackLog {
  /** Adds feedback; replaces existing feedback with the same id. */
  put(feedback: readonly LogFeedback[]): Promise<void>
  /** Newest first. */
  list(filter: FeedbackFilter, page: { offset: number; limit: number }): Promise<LogFeedback[]>
  count(filter: FeedbackFilter): Promise<number>
  aggregate(filter: LogFilter, aggregation: FeedbackAggregation): Promise<FeedbackGroup[]>
}

/** The aggregate of pruned entries of one key. */
export interface LogAggregate extends LogTotals {
  /** `organisation_id`, `workspace_id` and the `aggregateFields` of the domain. */
  key: Readonly<Record<string, LogValue>>
  first_at: number
  last_at: number
  /** The same as in a group. */
  histogram: readonly (readonly [bin: number, count: number])[]
}

/** All aggregates of one hour; `time` is its start. */
export interface LogAggregateHour {
  created_at: number
  aggregates: readonly LogAggregate[]
}

/** Raw aggregates, for copying them to another store. */
export interface LogAggregates {
  /** The first hour after a time that has aggregates; null after the last one. */
  next(after: number | null): Promise<LogAggregateHour | null>
  /** Replaces the aggregates of that hour for the organisations in it. */
  put(hour: LogAggregateHour): Promise<void>
}

export interface Log {
  /**
   * An entry with a known id is skipped, so that a batch can be retried. `isDurable`: also survives a power failure.
   */
  append(entries: readonly LogEntry[], options?: { isDurable?: boolean }): Promise<void>
  list(filter: LogFilter, page: LogPage): Promise<LogSummary[]>
  count(filter: LogFilter): Promise<number>
  /** The entries that exist, complete and in the order of the ids. */
  read(ids: readonly string[]): Promise<LogEntry[]>
  /** Sums over entries and aggregates of pruned entries. Filters of aggregates: `aggregateFields` of the domain. */
  aggregate(filter: LogFilter, aggregation: LogAggregation): Promise<LogGroup[]>
  /** Deletes entries without leaving aggregates; returns their number, at most `limit`. */
  erase(filter: LogFilter, limit: number): Promise<number>
  /**
   * Aggregates entries from before a time, of one organisation or of all, and removes them and their feedback. Returns
   * their number: about `limit` per call, 0 when no more are left.
   */
  prune(before: number, limit: number, organisationId?: string): Promise<number>
  /** Removes aggregates from before a time; returns their number. */
  pruneAggregates(before: number, limit: number, organisationId?: string): Promise<number>
  feedback: FeedbackLog
  /** Present in durable engines. */
  aggregates?: LogAggregates
}

/** Logging settings: `logs` in the config file. */
export interface LogContents {
  bodies: 'full' | 'metadata' | 'none'
  /** The largest body, in bytes of its JSON. */
  maxBodyBytes: number
  /** Whether to store the original of text that a mutator changed. */
  keepsOriginal: boolean
}
