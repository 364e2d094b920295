/** Fields of the log's entries in queries. */
import { type RawBuilder, sql } from 'kysely'
import type { Engine } from './database.ts'
import { clean } from './document-rows.ts'
import { encodeName } from './log-values.ts'

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
