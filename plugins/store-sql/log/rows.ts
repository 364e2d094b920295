/** Converts entries of the log to values of rows, and back. */
import type {
  Json,
  JsonObject,
  LogBodies,
  LogColumnKind,
  LogEntry,
  LogFields,
  LogSummary,
  LogValue,
} from '@gateway/contract'
import { isObject } from '@gateway/contract'
import { columnKind, latencyBin, logFieldNames } from '@gateway/domain'
import { clean } from '../document-rows.ts'
import { storedName } from './names.ts'
import { readText, readTrace } from './packed-texts.ts'

type Value = string | number | null

/**
 * Entries to be written, as texts, because transferring lists of values between threads costs several times as much.
 */
export interface PackedEntries {
  /** JSON: the concatenated values of {@link factColumns} of all entries. Names are not replaced with numbers yet. */
  facts: string
  /** The {@link contentTexts} of each entry. Those of one column are joined by the thread that writes them. */
  contents: (string | null)[]
}

export const factColumns: readonly string[] = [
  'id',
  'created_at',
  'organisation_id',
  'workspace_id',
  ...logFieldNames,
  'latency_bin',
  'metadata',
]

export const contentColumns: readonly string[] = ['id', 'created_at', 'details', 'bodies', 'inner_bodies']

/** The contents of an entry, each as JSON; all are null if it has none. */
export const contentTexts = [
  'details',
  'request',
  'response',
  'transformed_request',
  'original_response',
] as const

const columns = logFieldNames.map((name) => [name, columnKind(name)] as const)

export function packEntries(entries: readonly LogEntry[]): PackedEntries {
  // Of its final length, because a list that grows is copied several times.
  const facts = new Array<Value>(entries.length * factColumns.length)
  const contents: (string | null)[] = []
  let at = 0
  for (const {
    id,
    created_at,
    organisation_id,
    workspace_id,
    fields,
    metadata,
    details,
    bodies,
  } of entries) {
    facts[at++] = id
    facts[at++] = created_at
    facts[at++] = storedName(organisation_id)
    facts[at++] = workspace_id === null ? null : storedName(workspace_id)
    for (const [name, kind] of columns) facts[at++] = storedValue(fields[name] ?? null, kind)
    facts[at++] = latencyBin(fields.response_time ?? 0)
    facts[at++] = metadataText(metadata)
    const kept = JSON.stringify(details)
    contents.push(kept === '{}' && bodies === null ? null : kept)
    if (bodies === null) contents.push(null, null, null, null)
    else {
      const { request, response, transformed_request, original_response } = bodies
      contents.push(String(request), String(response), transformed_request, original_response)
    }
  }
  return { facts: JSON.stringify(facts), contents }
}

/** The largest number that fits into the columns of both engines. */
const maxInteger = 2_147_483_647

function storedValue(value: LogValue, kind: LogColumnKind): Value {
  if (value === null) return null
  switch (kind) {
    case 'name':
      return typeof value === 'string' ? storedName(value) : null
    case 'text':
      return typeof value === 'string' ? clean(value) : null
    case 'boolean':
      return value === true ? 1 : 0
    case 'integer':
      return typeof value === 'number' && Number.isFinite(value)
        ? Math.max(-maxInteger, Math.min(maxInteger, Math.round(value)))
        : null
    case 'real':
      return typeof value === 'number' && Number.isFinite(value) ? value : null
  }
}

function metadataText(metadata: LogEntry['metadata']): string | null {
  const entries = Object.entries(metadata)
  if (entries.length === 0) return null
  return JSON.stringify(Object.fromEntries(entries.map(([key, value]) => [clean(key), clean(value)])))
}

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
  // Already parsed by pg, a text on SQLite; written by `metadataText`.
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
