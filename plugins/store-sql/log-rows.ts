/**
 * Entries of the log as rows. What they are filtered by is one JSON object: `jsonb` on Postgres, text on SQLite, whose
 * paths know no escapes, so that names of fields with quotes and backslashes are written in another way.
 */
import type { LogEntry } from '@gateway/core/contract'
import { type RawBuilder, sql } from 'kysely'
import type { Engine } from './database.ts'
import { clean } from './document-rows.ts'

type Value = string | number | null

export function fieldsText(fields: LogEntry['fields']): string {
  const text = JSON.stringify(fields)
  // Without an escape in it there is nothing to clean, and no name to write in another way.
  if (!/[\\%]/.test(text)) return text
  const entries = Object.entries(fields).map(([name, value]) => [
    encodeName(name),
    typeof value === 'string' ? clean(value) : value,
  ])
  return JSON.stringify(Object.fromEntries(entries))
}

/** @param stored parsed by pg already, a text on SQLite */
export function readFields(stored: unknown): LogEntry['fields'] {
  const fields = (typeof stored === 'string' ? JSON.parse(stored) : stored) as Record<string, Value>
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [decodeName(name), value]))
}

/** A field's value as the engine compares and groups it: SQL null, text or number; on Postgres `jsonb`. */
export function fieldValue(engine: Engine, name: string): RawBuilder<unknown> {
  return engine === 'sqlite'
    ? sql`json_extract(log_entries.fields, ${pathOf(name)})`
    : sql`nullif(log_entries.fields -> ${encodeName(name)}, 'null'::jsonb)`
}

/** A field's value as a number; SQL null where it is none. */
export function fieldNumber(engine: Engine, name: string): RawBuilder<number | null> {
  return engine === 'sqlite'
    ? sql`case when json_type(log_entries.fields, ${pathOf(name)}) in ('integer', 'real')
        then json_extract(log_entries.fields, ${pathOf(name)}) end`
    : sql`case when jsonb_typeof(log_entries.fields -> ${encodeName(name)}) = 'number'
        then (log_entries.fields ->> ${encodeName(name)})::double precision end`
}

/** What a field is compared with. */
export function comparedValue(engine: Engine, value: string | number): RawBuilder<unknown> {
  const sound = typeof value === 'string' ? clean(value) : value
  return engine === 'sqlite' ? sql`${sound}` : sql`${JSON.stringify(sound)}::jsonb`
}

const pathOf = (name: string) => `$."${encodeName(name)}"`

function encodeName(name: string): string {
  return clean(name).replace(/["\\%]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)
}

function decodeName(name: string): string {
  return name.replace(/%(22|5c|25)/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}
