/**
 * The stored form of trace and span ids. A trace id that equals its entry's id, as in every call without a trace id, is
 * null and not indexed; an entry without a trace has an empty one. On SQLite a UUID takes sixteen bytes, and any other
 * text is stored unchanged.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Engine } from '../database.ts'

export const idBytes = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex')

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
export const isUuid = (text: string): boolean => uuid.test(text)

const noTrace = (engine: Engine) => (engine === 'sqlite' ? Buffer.alloc(0) : '')

export const packText = (engine: Engine, text: string): string | Buffer =>
  engine === 'sqlite' && isUuid(text) ? idBytes(text) : text

export const packTrace = (engine: Engine, trace: string | null, id: string): string | Buffer | null =>
  trace === null ? noTrace(engine) : trace === id ? null : packText(engine, trace)

const isBytes = (stored: unknown): stored is Uint8Array => stored instanceof Uint8Array

/** Sixteen bytes are read as a UUID, any other text unchanged. */
export function readText(stored: unknown): string {
  if (!isBytes(stored)) return String(stored)
  const hex = Buffer.from(stored).toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** The trace of a row. */
export function readTrace(stored: unknown, id: unknown): string | null {
  if (stored === null || stored === undefined) return readText(id)
  if (isBytes(stored) && stored.length === 0) return null
  return stored === '' && !isBytes(id) ? null : readText(stored)
}

/** The trace of a fact in the form that feedback has. */
export const traceOfFacts = (engine: Engine): RawBuilder<unknown> =>
  engine === 'sqlite'
    ? sql`coalesce(log_facts.trace_id, log_facts.id)`
    : sql`coalesce(log_facts.trace_id, log_facts.id::text)`

export const hasTrace = (engine: Engine): RawBuilder<unknown> =>
  sql`(log_facts.trace_id is null or log_facts.trace_id <> ${noTrace(engine)})`

/** Entries of these traces: by the index for explicit trace ids, by id for the entry that the trace is named after. */
export function traceCondition(engine: Engine, values: readonly (string | null)[]): RawBuilder<unknown> {
  const named = values.map((value) => (value === null ? noTrace(engine) : packText(engine, value)))
  const either: RawBuilder<unknown>[] = []
  if (named.length > 0) either.push(sql`log_facts.trace_id in (${sql.join(named)})`)
  const ids = values.filter((value) => value !== null).filter(isUuid)
  const bound = ids.map((id) => (engine === 'sqlite' ? sql`${idBytes(id)}` : sql`${id}::uuid`))
  if (bound.length > 0)
    either.push(sql`(log_facts.id in (${sql.join(bound)}) and log_facts.trace_id is null)`)
  return either.length === 0 ? sql`1 = 0` : sql`(${sql.join(either, sql` or `)})`
}
