/** Filters of the log as SQL conditions. Values are bound; numbers of names are looked up first. */
import type { LogFilter, LogMatch, LogValue } from '@gateway/contract'
import { columnKind, isLogField, searchNeedle, timeOfId } from '@gateway/domain'
import { type RawBuilder, sql } from 'kysely'
import type { Engine, Queries } from '../database.ts'
import { clean, integer } from '../values.ts'
import type { LogNames } from './names.ts'
import { idBytes, isUuid, packText, traceCondition, traceOfFacts } from './packed-texts.ts'

export type Condition = RawBuilder<unknown>

/** Facts and aggregates, whose columns have the same names. */
export type LogTable = 'log_facts' | 'log_aggregates'

export const all = (list: readonly Condition[]) =>
  list.length === 0 ? sql`1 = 1` : sql.join(list, sql` and `)

const any = (list: readonly Condition[]) => (list.length === 0 ? sql`1 = 0` : sql.join(list, sql` or `))

/** An id in the format of its column. */
export function idValue(engine: Engine, id: string): RawBuilder<unknown> {
  return engine === 'sqlite' ? sql`${idBytes(id)}` : sql`${id}::uuid`
}

/** The smallest id of a time. */
export const firstIdAt = (at: number): Buffer => {
  const bytes = Buffer.alloc(16)
  bytes.writeUIntBE(Math.max(0, Math.min(2 ** 48 - 1, at)), 0, 6)
  return bytes
}

interface TimeConditionOptions {
  table: LogTable
  sign: '>=' | '<'
  at: number
}

/** Rows from a time on, or before it. On SQLite the table is ordered by id, and an id contains its time. */
export function timeCondition(engine: Engine, { table, sign, at }: TimeConditionOptions): Condition {
  const operator = sql.raw(sign)
  if (engine === 'sqlite' && table === 'log_facts') return sql`log_facts.id ${operator} ${firstIdAt(at)}`
  return sql`${sql.ref(`${table}.created_at`)} ${operator} ${integer(Math.floor(at))}`
}

/** Entries with these ids, using the primary key. */
export function idCondition(engine: Engine, table: string, ids: readonly string[]): Condition {
  // No entry has an id that is not a UUID.
  const known = ids.filter(isUuid)
  if (known.length === 0) return sql`1 = 0`
  const among = sql`${sql.ref(`${table}.id`)} in (${sql.join(known.map((id) => idValue(engine, id)))})`
  const times = engine === 'sqlite' ? [] : known.map(timeOfId)
  if (times.length === 0 || times.includes(null)) return among
  const whole = [...new Set(times as number[])].map(integer)
  return sql`${sql.ref(`${table}.created_at`)} in (${sql.join(whole)}) and ${among}`
}

const hourMs = 3_600_000

export interface ConditionOptions {
  engine: Engine
  names: LogNames
  queries: Queries
  table?: LogTable
}

/** The conditions of a filter, joined with `and`. */
export async function conditionsOf(filter: LogFilter, options: ConditionOptions): Promise<Condition[]> {
  const { engine, table = 'log_facts' } = options
  const { organisation_id: organisation, workspace_ids: workspaces, ids, from, to } = filter
  const numbers = await options.names.find(options.queries, namesIn(filter))
  const found: Condition[] = []
  const column = (name: string) => sql.ref(`${table}.${name}`)
  const numbered = (name: string, values: readonly (string | null)[]) =>
    found.push(
      isAmong(
        column(name),
        values.map((value) => (value === null ? null : (numbers.get(value) ?? -1))),
      ),
    )
  if (organisation !== undefined) numbered('organisation_id', [organisation])
  if (workspaces !== undefined) numbered('workspace_id', workspaces)
  if (ids !== undefined) found.push(idCondition(engine, table, ids))
  const isHourly = table === 'log_aggregates'
  // An hour that began before the time is counted completely.
  if (from !== undefined)
    found.push(
      timeCondition(engine, { table, sign: '>=', at: isHourly ? Math.floor(from / hourMs) * hourMs : from }),
    )
  if (to !== undefined) found.push(timeCondition(engine, { table, sign: '<', at: to }))
  const matches = (match: LogMatch) =>
    Object.entries(match).map(([name, values]) =>
      name === 'trace_id'
        ? traceCondition(
            engine,
            values.map((one) => (one === null ? null : clean(String(one)))),
          )
        : isAmong(
            column(name),
            values.map((one) => toStored(engine, name, { value: one, numbers })),
          ),
    )
  found.push(...matches(filter.fields ?? {}))
  for (const match of filter.either ?? []) found.push(sql`(${any(matches(match))})`)
  if (filter.anyOf !== undefined)
    found.push(sql`(${any(filter.anyOf.map((match) => sql`(${all(matches(match))})`))})`)
  for (const [name, values] of Object.entries(filter.except ?? {})) {
    const stored = values.map((one) => toStored(engine, name, { value: one, numbers }))
    // A name without a number is in no entry.
    const known = stored.filter((one) => one !== -1)
    if (known.length > 0) found.push(sql`not coalesce(${isAmong(column(name), known)}, ${falseOf(engine)})`)
  }
  for (const [name, { min, max }] of Object.entries(filter.ranges ?? {})) {
    found.push(sql`${column(name)} is not null`)
    if (min !== undefined) found.push(sql`${column(name)} >= ${number(engine, min)}`)
    if (max !== undefined) found.push(sql`${column(name)} <= ${number(engine, max)}`)
  }
  for (const [key, value] of Object.entries(filter.metadata ?? {}))
    found.push(sql`${metadataValue(engine, key)} = ${clean(value)}`)
  if (filter.own !== undefined) {
    const numbersOf = (texts: readonly string[]) => texts.map((text) => numbers.get(text) ?? -1)
    const limited = isAmong(column('workspace_id'), numbersOf(filter.own.workspace_ids))
    const theirs = isAmong(column('api_key_id'), numbersOf(filter.own.api_key_ids))
    found.push(sql`(not coalesce(${limited}, ${falseOf(engine)}) or ${theirs})`)
  }
  if (filter.search !== undefined) found.push(await searchCondition(filter.search, options))
  if (filter.weighted_feedback !== undefined)
    found.push(...feedbackConditions(engine, filter.weighted_feedback))
  return found
}

const falseOf = (engine: Engine) => sql.raw(engine === 'sqlite' ? '0' : 'false')

const number = (engine: Engine, value: number) =>
  engine === 'sqlite' ? sql`${value}` : sql`${value}::double precision`

/** The texts of a filter for columns of names. */
function* namesIn({
  organisation_id,
  workspace_ids = [],
  fields = {},
  either = [],
  anyOf = [],
  except = {},
  own,
}: LogFilter): Generator<string> {
  if (own !== undefined) yield* [...own.workspace_ids, ...own.api_key_ids]
  if (organisation_id !== undefined) yield organisation_id
  for (const id of workspace_ids) if (id !== null) yield id
  for (const match of [fields, ...either, ...anyOf, except])
    for (const [name, values] of Object.entries(match))
      if (isLogField(name) && columnKind(name) === 'name')
        for (const value of values) if (typeof value === 'string') yield value
}

/** A value in the format of its column. An impossible value becomes -1 or a text that matches nothing. */
function toStored(
  engine: Engine,
  name: string,
  { value, numbers }: { value: LogValue; numbers: ReadonlyMap<string, number> },
): Bound {
  if (value === null || !isLogField(name)) return null
  switch (columnKind(name)) {
    case 'name':
      return typeof value === 'string' ? (numbers.get(value) ?? -1) : -1
    case 'boolean':
      return value === true ? 1 : 0
    case 'text':
      return packText(engine, clean(String(value)))
    default:
      return typeof value === 'number' ? value : -1
  }
}

type Bound = LogValue | Buffer

function isAmong(column: RawBuilder<unknown>, values: readonly Bound[]): Condition {
  const wanted = values.filter((value) => value !== null)
  const bound = wanted.map((value) => (Number.isSafeInteger(value) ? integer(Number(value)) : sql`${value}`))
  const either = [
    ...(bound.length > 0 ? [sql`${column} in (${sql.join(bound)})`] : []),
    ...(wanted.length < values.length ? [sql`${column} is null`] : []),
  ]
  return sql`(${any(either)})`
}

/** A member of the metadata, or SQL null. Keys are bound, so they may contain any characters. */
export function metadataValue(engine: Engine, key: string): RawBuilder<unknown> {
  const name = clean(key)
  return engine === 'sqlite'
    ? sql`(select value from json_each(log_facts.metadata) where key = ${name})`
    : sql`(log_facts.metadata ->> ${name}::text)`
}

const bodies = sql`log_contents.bodies`
const collations = new WeakMap<LogNames, Condition>()

/** The bodies in lower case, on Postgres. Its text columns have a byte collation, which only lowercases ASCII. */
async function lowerOf({ names, queries }: ConditionOptions): Promise<Condition> {
  const known = collations.get(names)
  if (known !== undefined) return known
  const { rows } = await sql<{ name: string }>`select collname as name from pg_collation
    where collname in ('und-x-icu', 'pg_c_utf8') order by 1 desc limit 1`.execute(queries)
  const [collation] = rows
  const lower =
    collation === undefined ? sql`lower(${bodies})` : sql`lower(${bodies} collate ${sql.id(collation.name)})`
  collations.set(names, lower)
  return lower
}

/**
 * Texts are compared literally: no character is a wildcard. On SQLite by a function of `sqlite-database.ts`, because SQLite
 * itself only lowercases ASCII, and a text in lower case that it gets back takes longer than the search.
 */
async function searchCondition(search: string, options: ConditionOptions): Promise<Condition> {
  const needle = searchNeedle(search)
  const found =
    options.engine === 'sqlite'
      ? sql`contains_text(${bodies}, ${needle})`
      : sql`strpos(${await lowerOf(options)}, ${needle}) > 0`
  return sql`exists (select 1 from log_contents where log_contents.id = log_facts.id
    and log_contents.created_at = log_facts.created_at and ${found})`
}

/** A trace without feedback has no mean and is in no range. */
function feedbackConditions(engine: Engine, { min, max }: { min?: number; max?: number }): Condition[] {
  const mean = sql`(select avg(value * weight) from log_feedback
    where log_feedback.workspace_id = log_facts.workspace_id and log_feedback.trace_id = ${traceOfFacts(engine)})`
  return [
    sql`${mean} is not null`,
    ...(min === undefined ? [] : [sql`${mean} >= ${min}`]),
    ...(max === undefined ? [] : [sql`${mean} <= ${max}`]),
  ]
}
