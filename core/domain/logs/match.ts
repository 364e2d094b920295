/** Whether an entry passes a filter: for engines without a query language, and for newly written entries. */
import type { LogEntry, LogFilter, LogMatch } from '@gateway/contract'
import { ownMember } from '@gateway/contract'

/** Applies the whole filter except conditions on feedback. */
export function matchesEntry(entry: LogEntry, filter: LogFilter): boolean {
  const { organisation_id: organisation, workspace_ids: workspaces, ids, from, to, search } = filter
  if (organisation !== undefined && entry.organisation_id !== organisation) return false
  if (workspaces !== undefined && !workspaces.includes(entry.workspace_id)) return false
  if (ids !== undefined && !ids.includes(entry.id)) return false
  if (from !== undefined && entry.created_at < from) return false
  if (to !== undefined && entry.created_at >= to) return false
  for (const hit of eachMatch(entry, filter.fields ?? {})) if (!hit) return false
  for (const match of filter.either ?? []) if (![...eachMatch(entry, match)].includes(true)) return false
  for (const hit of eachMatch(entry, filter.except ?? {})) if (hit) return false
  const { anyOf } = filter
  if (anyOf !== undefined && !anyOf.some((match) => [...eachMatch(entry, match)].every(Boolean))) return false
  for (const [name, { min, max }] of Object.entries(filter.ranges ?? {})) {
    const value = ownMember<unknown>(entry.fields, name)
    // A missing number is in no range.
    if (typeof value !== 'number') return false
    if ((min !== undefined && value < min) || (max !== undefined && value > max)) return false
  }
  for (const [key, value] of Object.entries(filter.metadata ?? {}))
    if (ownMember(entry.metadata, key) !== value) return false
  if (filter.own !== undefined && !isOwn(entry, filter.own)) return false
  return search === undefined || searchTextOf(entry.bodies).includes(searchNeedle(search))
}

function isOwn(
  { workspace_id, fields: { api_key_id: key = null } }: LogEntry,
  { workspace_ids, api_key_ids }: NonNullable<LogFilter['own']>,
): boolean {
  if (workspace_id === null || !workspace_ids.includes(workspace_id)) return true
  return key !== null && api_key_ids.includes(key)
}

function* eachMatch(entry: LogEntry, match: LogMatch): Generator<boolean> {
  for (const [name, values] of Object.entries(match))
    yield values.includes(entry.fields[name as keyof typeof match] ?? null)
}

/** The searched text: the bodies of request and answer, as lower-case JSON. */
function searchTextOf(bodies: LogEntry['bodies']): string {
  if (bodies === null) return ''
  return `[${bodies.request},${bodies.response}]`.toLowerCase()
}

/** The search term as it appears in JSON. */
export const searchNeedle = (search: string): string => JSON.stringify(search).slice(1, -1).toLowerCase()
