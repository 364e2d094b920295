/** The log of requests in this process's memory: the newest entries, up to a bound. */
import type { Log, LogCursor, LogEntry, LogFilter, LogGroup } from '@gateway/contract'

export interface MemoryLogOptions {
  /** More than these, and the oldest go. */
  maxEntries: number
}

/** A log in memory, bounded in entries. */
export function createMemoryLog({ maxEntries }: MemoryLogOptions): Log {
  /** Newest first. */
  let entries: LogEntry[] = []
  const ids = new Set<string>()

  function find(filter: LogFilter): LogEntry[] {
    return entries.filter((entry) => matches(entry, filter))
  }

  function drop(gone: readonly LogEntry[]): void {
    for (const { id } of gone) ids.delete(id)
  }

  return {
    async append(batch) {
      const fresh = batch
        .filter(({ id }) => !ids.has(id) && ids.add(id))
        .map((entry) => structuredClone(entry))
      entries = [...fresh, ...entries].sort(compare)
      drop(entries.splice(maxEntries))
    },
    async list(filter, after, limit) {
      const found = find(filter).filter((entry) => after === null || compare(after, entry) < 0)
      return found.slice(0, limit).map((entry) => structuredClone(entry))
    },
    async count(filter) {
      return find(filter).length
    },
    async group(filter, field, sums, limit) {
      const groups = new Map<string | number | null, LogEntry[]>()
      for (const entry of find(filter)) {
        const value = entry.fields[field] ?? null
        const members = groups.get(value)
        if (members === undefined) groups.set(value, [entry])
        else members.push(entry)
      }
      return [...groups]
        .map(([value, members]) => toGroup(value, members, sums))
        .sort((left, right) => right.count - left.count || compareText(left.value, right.value))
        .slice(0, limit)
    },
    async prune(before, limit, organisationId) {
      const filter = organisationId === undefined ? {} : { organisation_id: organisationId }
      const old = find({ to: before, ...filter }).slice(-limit)
      const gone = new Set(old)
      entries = entries.filter((entry) => !gone.has(entry))
      drop(old)
      return old.length
    },
  }
}

/** Newest first; entries of one millisecond by id, the larger one first. */
function compare(left: LogCursor, right: LogCursor): number {
  return right.created_at - left.created_at || compareText(right.id, left.id)
}

function compareText(left: string | number | null, right: string | number | null): number {
  const [a, b] = [String(left ?? ''), String(right ?? '')]
  return a < b ? -1 : a > b ? 1 : 0
}

function matches(entry: LogEntry, filter: LogFilter): boolean {
  const { organisation_id: organisation, workspace_ids: workspaces, ids, from, to } = filter
  if (organisation !== undefined && entry.organisation_id !== organisation) return false
  if (workspaces !== undefined && !workspaces.some((id) => id === entry.workspace_id)) return false
  if (ids !== undefined && !ids.includes(entry.id)) return false
  if (from !== undefined && entry.created_at < from) return false
  if (to !== undefined && entry.created_at >= to) return false
  const isAmong = Object.entries(filter.fields ?? {}).every(([name, values]) =>
    values.includes(entry.fields[name] ?? null),
  )
  return (
    isAmong &&
    Object.entries(filter.ranges ?? {}).every(([name, range]) => isWithin(entry.fields[name], range))
  )
}

/** What is no number lies in no range. */
function isWithin(
  value: string | number | null | undefined,
  { min, max }: { min?: number; max?: number },
): boolean {
  if (typeof value !== 'number') return false
  return (min === undefined || value >= min) && (max === undefined || value <= max)
}

function toGroup(
  value: string | number | null,
  members: readonly LogEntry[],
  sums: readonly string[],
): LogGroup {
  const sum = (field: string) =>
    members.reduce((total, { fields }) => total + (typeof fields[field] === 'number' ? fields[field] : 0), 0)
  const times = members.map(({ created_at }) => created_at)
  return {
    value,
    count: members.length,
    sums: Object.fromEntries(sums.map((field) => [field, sum(field)])),
    first_at: times.reduce((left, right) => Math.min(left, right)),
    last_at: times.reduce((left, right) => Math.max(left, right)),
  }
}
