/** The request log in this process's memory: the newest entries, up to a limit. */
import type {
  FeedbackFilter,
  FeedbackGroup,
  FeedbackLog,
  Log,
  LogEntry,
  LogFeedback,
  LogFilter,
  LogSort,
  LogSummary,
} from '@gateway/contract'
import { aggregateEntries, aggregateFields, bucketOf, matchesEntry } from '@gateway/domain'

export interface MemoryLogOptions {
  /** Above this number the oldest entries are dropped. */
  maxEntries: number
}

/** A log in memory, limited in entries. */
export function createMemoryLog({ maxEntries }: MemoryLogOptions): Log {
  /** Newest first. */
  let entries: LogEntry[] = []
  const ids = new Set<string>()
  /** Pruned entries, reduced to the members of aggregates. */
  let pruned: LogSummary[] = []
  const feedback = new Map<string, LogFeedback>()

  function find(filter: LogFilter, among: readonly LogEntry[] = entries): LogEntry[] {
    return among.filter((entry) => matchesEntry(entry, filter) && matchesFeedback(entry, filter))
  }

  /** The feedback of a trace, within its workspace. */
  const feedbackOf = ({ workspace_id, fields }: LogSummary) =>
    [...feedback.values()].filter(
      (one) => one.workspace_id === workspace_id && one.trace_id === fields.trace_id,
    )

  function matchesFeedback(entry: LogEntry, { weighted_feedback: range }: LogFilter): boolean {
    if (range === undefined) return true
    const given = feedbackOf(entry)
    if (given.length === 0) return false
    const mean = given.reduce((sum, { value, weight }) => sum + value * weight, 0) / given.length
    return mean >= (range.min ?? Number.NEGATIVE_INFINITY) && mean <= (range.max ?? Number.POSITIVE_INFINITY)
  }

  function drop(gone: readonly LogEntry[]): void {
    const dropped = new Set(gone)
    entries = entries.filter((entry) => !dropped.has(entry))
    for (const { id } of gone) ids.delete(id)
  }

  function dropFeedback(isGone: (one: LogFeedback) => boolean): void {
    for (const [id, one] of feedback) if (isGone(one)) feedback.delete(id)
  }

  return {
    async append(batch) {
      const fresh = batch
        .filter(({ id }) => !ids.has(id) && ids.add(id))
        .map((entry) => structuredClone(entry))
      entries = [...fresh, ...entries].sort(newestFirst)
      for (const { id } of entries.splice(maxEntries)) ids.delete(id)
    },
    async list(filter, { after, offset = 0, limit, sort, order = 'desc' }) {
      const found = find(filter)
      if (sort !== undefined)
        return found
          .sort(byValue(sort, order))
          .slice(offset, offset + limit)
          .map(summaryOf)
      if (order === 'asc') found.reverse()
      const behind =
        after === undefined ? found : found.filter(({ id }) => (order === 'asc' ? id > after : id < after))
      return behind.slice(offset, offset + limit).map(summaryOf)
    },
    async count(filter) {
      return find(filter).length
    },
    async read(wanted) {
      return wanted.flatMap((id) => {
        const found = entries.find((entry) => entry.id === id)
        return found === undefined ? [] : [structuredClone(found)]
      })
    },
    async aggregate(filter, aggregation) {
      const { search: _, weighted_feedback: __, ...plain } = filter
      const old = pruned.filter((entry) => matchesEntry({ ...entry, details: {}, bodies: null }, plain))
      return aggregateEntries([...find(filter), ...old], aggregation)
    },
    async erase(filter, limit) {
      const gone = find(filter).slice(0, limit)
      drop(gone)
      return gone.length
    },
    async prune(before, limit, organisationId) {
      const filter = organisationId === undefined ? {} : { organisation_id: organisationId }
      const old = find({ to: before, ...filter }).slice(-limit)
      drop(old)
      pruned = [...pruned, ...old.map(aggregated)].slice(-maxEntries)
      dropFeedback(
        (one) =>
          one.created_at < before && (organisationId === undefined || one.organisation_id === organisationId),
      )
      return old.length
    },
    async pruneAggregates(before, limit, organisationId) {
      const isOld = ({ created_at, organisation_id }: LogSummary) =>
        created_at < before && (organisationId === undefined || organisation_id === organisationId)
      const gone = new Set(pruned.filter(isOld).slice(0, limit))
      pruned = pruned.filter((entry) => !gone.has(entry))
      return gone.size
    },
    feedback: createFeedback(feedback, (filter) => find(filter), feedbackOf),
  }
}

function createFeedback(
  kept: Map<string, LogFeedback>,
  find: (filter: LogFilter) => LogEntry[],
  feedbackOf: (entry: LogSummary) => LogFeedback[],
): FeedbackLog {
  const matching = (filter: FeedbackFilter) =>
    [...kept.values()].filter((one) => matchesFilter(one, filter)).sort(newestFirst)
  return {
    async put(given) {
      for (const one of given) kept.set(one.id, structuredClone(one))
    },
    async list(filter, { offset, limit }) {
      return matching(filter)
        .slice(offset, offset + limit)
        .map((one) => structuredClone(one))
    },
    async count(filter) {
      return matching(filter).length
    },
    async aggregate(filter, { by, interval }) {
      const counted = new Set<string>()
      const groups = new Map<string, FeedbackGroup>()
      // The newest entry represents its trace.
      for (const entry of find(filter)) {
        for (const one of feedbackOf(entry)) {
          if (counted.has(one.id)) continue
          counted.add(one.id)
          const bucket = interval === undefined ? null : bucketOf(entry.created_at, interval)
          const value = by === null ? null : by === 'value' ? one.value : (entry.fields.ai_model ?? null)
          const key = JSON.stringify([bucket, value])
          const group = groups.get(key) ?? { bucket, value, total: 0, weighted: 0 }
          group.total += 1
          group.weighted += one.value * one.weight
          groups.set(key, group)
        }
      }
      return [...groups.values()]
    },
  }
}

function matchesFilter(one: LogFeedback, filter: FeedbackFilter): boolean {
  const isAmong = (values: readonly (string | null)[] | undefined, value: string | null) =>
    values === undefined || values.includes(value)
  return (
    isAmong(
      filter.organisation_id === undefined ? undefined : [filter.organisation_id],
      one.organisation_id,
    ) &&
    isAmong(filter.workspace_ids, one.workspace_id) &&
    isAmong(filter.ids, one.id) &&
    isAmong(filter.trace_ids, one.trace_id) &&
    one.created_at >= (filter.from ?? 0) &&
    (filter.own === undefined ||
      !filter.own.workspace_ids.includes(one.workspace_id) ||
      filter.own.api_key_ids.includes(one.api_key_id ?? ''))
  )
}

type Timed = Pick<LogEntry, 'id' | 'created_at'>

const newestFirst = (left: Timed, right: Timed) =>
  right.created_at - left.created_at || (left.id < right.id ? 1 : left.id > right.id ? -1 : 0)

/** Entries without the value come last. */
const byValue =
  (name: LogSort, order: 'desc' | 'asc') =>
  (left: LogEntry, right: LogEntry): number => {
    const [one, other] = [left.fields[name] ?? null, right.fields[name] ?? null]
    if (one === other) return newestFirst(left, right)
    if (one === null || other === null) return one === null ? 1 : -1
    return order === 'asc' ? one - other : other - one
  }

const summaryOf = ({ details: _, bodies: __, ...summary }: LogEntry): LogSummary => structuredClone(summary)

/** An entry reduced to the fields of aggregates and its sums. */
function aggregated({ fields, ...entry }: LogEntry): LogSummary {
  const { id, organisation_id, workspace_id } = entry
  const kept = Object.fromEntries(aggregateFields.map((name) => [name, fields[name] ?? null]))
  const counted = Object.fromEntries(countedFields.map((name) => [name, fields[name] ?? null]))
  return {
    id,
    created_at: entry.created_at,
    organisation_id,
    workspace_id,
    fields: { ...kept, ...counted },
    metadata: {},
  }
}

/** The members of entries that totals are computed from. */
const countedFields = [
  'cost',
  'saved_cost',
  'req_units',
  'res_units',
  'response_time',
  'retry_count',
  'is_fallback',
] as const
