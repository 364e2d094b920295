/** Converts rows of the log to entries. */
import type { Json, JsonObject, LogBodies, LogEntry, LogFields, LogSummary } from '@gateway/contract'
import { isObject } from '@gateway/contract'
import { columnKind, logFieldNames } from '@gateway/domain'
import { readText, readTrace } from './packed-texts.ts'

/** A row of facts as selected, with names as numbers. */
export type FactRow = Readonly<Record<string, unknown>> & {
  id: unknown
  created_at: number
  organisation_id: number
  workspace_id: number | null
  metadata: unknown
}

/** Columns that store numbers of names. */
const nameColumns = logFieldNames.filter((name) => columnKind(name) === 'name')

/** The numbers of names in rows. */
export function* numbersIn(rows: readonly FactRow[]): Generator<number> {
  for (const row of rows) {
    yield row.organisation_id
    if (row.workspace_id !== null) yield row.workspace_id
    for (const name of nameColumns) if (typeof row[name] === 'number') yield row[name]
  }
}

export function toSummary(row: FactRow, names: ReadonlyMap<number, string>): LogSummary {
  const fields = Object.fromEntries(
    logFieldNames.map((name) => [
      name,
      name === 'trace_id' ? readTrace(row.trace_id, row.id) : readValue(row[name], name, names),
    ]),
  ) as Partial<LogFields>
  return {
    id: readText(row.id),
    created_at: row.created_at,
    organisation_id: names.get(row.organisation_id) ?? '',
    workspace_id: row.workspace_id === null ? null : (names.get(row.workspace_id) ?? null),
    fields,
    metadata: readMetadata(row.metadata),
  }
}

/** The value of a column in the form of an entry. */
function readValue(stored: unknown, name: keyof LogFields, names: ReadonlyMap<number, string>) {
  if (stored === null || stored === undefined) return null
  const kind = columnKind(name)
  if (kind === 'name') return names.get(Number(stored)) ?? null
  if (kind === 'boolean') return stored === 1
  return kind === 'text' ? readText(stored) : Number(stored)
}

function readMetadata(stored: unknown): LogSummary['metadata'] {
  // Already parsed by pg, a text on SQLite; written by `packEntries`.
  const parsed: unknown = typeof stored === 'string' ? JSON.parse(stored) : stored
  return isObject(parsed) ? (parsed as Record<string, string>) : {}
}

export interface ContentRow {
  details: string
  bodies: string | null
  inner_bodies: string | null
}

export function toEntry(summary: LogSummary, { details, bodies, inner_bodies }: ContentRow): LogEntry {
  return {
    ...summary,
    // Written by `packEntries`.
    details: JSON.parse(details) as JsonObject,
    bodies: bodies === null ? null : readBodies(bodies, inner_bodies),
  }
}

function readBodies(outer: string, inner: string | null): LogBodies {
  const [request = null, response = null] = partsOf(outer)
  const [transformed_request = null, original_response = null] = inner === null ? [] : partsOf(inner)
  return { request, response, transformed_request, original_response }
}

const partsOf = (text: string): (string | null)[] =>
  (JSON.parse(text) as Json[]).map((part) => (part === null ? null : JSON.stringify(part)))
