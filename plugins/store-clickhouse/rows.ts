/** Converts entries of the log to rows and back. Null members are omitted from a row. */
import {
  type Json,
  type JsonObject,
  type LogBodies,
  type LogEntry,
  type LogFields,
  type LogSummary,
  wellFormed,
} from '@gateway/contract'
import { columnKind, latencyBin, logFieldNames, maxLogNameChars } from '@gateway/domain'

type Value = string | number | boolean

export interface FactRow extends Partial<Record<keyof LogFields, Value | null>> {
  id: string
  created_at: number
  organisation_id: string
  workspace_id?: string | null
  latency_bin: number
  metadata: Record<string, string>
}

export interface ContentRow {
  id: string
  created_at: number
  organisation_id: string
  workspace_id?: string | null
  details: string
  bodies?: string | null
  inner_bodies?: string | null
}

/** One entry in the format of the queue on disk. */
export interface EntryRow {
  fact: FactRow
  content: ContentRow
}

export function rowOf(entry: LogEntry): EntryRow {
  const { id, created_at, organisation_id, workspace_id, fields, bodies } = entry
  const key = {
    id,
    created_at,
    organisation_id,
    ...(workspace_id === null ? {} : { workspace_id }),
  }
  const fact: FactRow = { ...key, latency_bin: latencyBin(fields.response_time ?? 0), metadata: {} }
  for (const name of logFieldNames) {
    const value = storedValue(fields, name)
    if (value !== null) fact[name] = value
  }
  for (const [name, value] of Object.entries(entry.metadata))
    fact.metadata[wellFormed(name)] = wellFormed(value)
  const content: ContentRow = { ...key, details: JSON.stringify(entry.details) }
  if (bodies !== null) {
    content.bodies = `[${bodies.request},${bodies.response}]`
    if (bodies.transformed_request !== null || bodies.original_response !== null)
      content.inner_bodies = `[${bodies.transformed_request},${bodies.original_response}]`
  }
  return { fact, content }
}

const maxInteger = 2_147_483_647

function storedValue(fields: Partial<LogFields>, name: keyof LogFields): Value | null {
  const value = fields[name] ?? null
  switch (columnKind(name)) {
    case 'name':
      return typeof value === 'string' ? wellFormed(value.slice(0, maxLogNameChars)) : null
    case 'text':
      return typeof value === 'string' ? wellFormed(value) : null
    case 'boolean':
      return typeof value === 'boolean' ? value : null
    case 'integer':
      return typeof value === 'number' && Number.isFinite(value)
        ? Math.max(-maxInteger, Math.min(maxInteger, Math.round(value)))
        : null
    case 'real':
      return typeof value === 'number' && Number.isFinite(value) ? value : null
  }
}

export function toSummary(row: FactRow): LogSummary {
  const { id, created_at, organisation_id, workspace_id = null, metadata } = row
  // The columns have the types of the fields.
  const fields = Object.fromEntries(
    logFieldNames.map((name) => [name, row[name] ?? null]),
  ) as Partial<LogFields>
  return { id, created_at, organisation_id, workspace_id, fields, metadata }
}

export function toEntry(summary: LogSummary, content: ContentRow | undefined): LogEntry {
  if (content === undefined) return { ...summary, details: {}, bodies: null }
  const { details, bodies = null, inner_bodies: inner = null } = content
  return {
    ...summary,
    // Written by `rowOf`.
    details: JSON.parse(details) as JsonObject,
    bodies: bodies === null ? null : readBodies(bodies, inner),
  }
}

function readBodies(outer: string, inner: string | null): LogBodies {
  const [request = null, response = null] = partsOf(outer)
  const [transformed_request = null, original_response = null] = inner === null ? [] : partsOf(inner)
  return { request, response, transformed_request, original_response }
}

const partsOf = (text: string): (string | null)[] =>
  (JSON.parse(text) as Json[]).map((part) => (part === null ? null : JSON.stringify(part)))
