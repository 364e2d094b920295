/**
 * Trace and span ids as SQLite keeps them: a UUID in sixteen bytes, any other text as it is. A trace that has the id of
 * its entry, as every call has that names none, is null, and stands in no index; an entry without a trace has no bytes.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Engine } from '../database.ts'

export const idBytes = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex')

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
export const isUuid = (text: string): boolean => uuid.test(text)

const noTrace = Buffer.alloc(0)

export const packText = (text: string): string | Buffer => (isUuid(text) ? idBytes(text) : text)

export const packTrace = (trace: string | null, id: string): string | Buffer | null =>
  trace === null ? noTrace : trace === id ? null : packText(trace)

const isBytes = (stored: unknown): stored is Uint8Array => stored instanceof Uint8Array

/** Sixteen bytes as a UUID, and any other text as it is. */
export function readText(stored: unknown): string {
  if (!isBytes(stored)) return String(stored)
  const hex = Buffer.from(stored).toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** The trace of a row; on Postgres the text itself. */
export function readTrace(stored: unknown, id: unknown): string | null {
  if (stored === null || stored === undefined) return isBytes(id) ? readText(id) : null
  return isBytes(stored) && stored.length === 0 ? null : readText(stored)
}

/** A trace as the feedback on it has it. */
export const traceOfFacts = (engine: Engine): RawBuilder<unknown> =>
  engine === 'sqlite' ? sql`coalesce(log_facts.trace_id, log_facts.id)` : sql`log_facts.trace_id`

export const hasTrace = (engine: Engine): RawBuilder<unknown> =>
  engine === 'sqlite' ? sql`log_facts.trace_id is not ${noTrace}` : sql`log_facts.trace_id is not null`

/** Entries of these traces on SQLite: those that name one are found by the index, the one that it is named after by its id. */
export function packedTraceCondition(values: readonly (string | null)[]): RawBuilder<unknown> {
  const named = values.map((value) => (value === null ? noTrace : packText(value)))
  const either: RawBuilder<unknown>[] = []
  if (named.length > 0) either.push(sql`log_facts.trace_id in (${sql.join(named)})`)
  const ids = values.filter((value) => value !== null).filter(isUuid)
  if (ids.length > 0)
    either.push(sql`(log_facts.id in (${sql.join(ids.map(idBytes))}) and log_facts.trace_id is null)`)
  return either.length === 0 ? sql`1 = 0` : sql`(${sql.join(either, sql` or `)})`
}
