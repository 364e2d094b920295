/** The log of requests on SQL. */
import type { Log, LogEntry, LogFilter } from '@gateway/contract'
import { type RawBuilder, sql } from 'kysely'
import { chunk } from './chunk.ts'
import type { Database, Engine } from './database.ts'
import { comparedValue, fieldNumber, fieldValue } from './log-fields.ts'
import { readFields } from './log-values.ts'
import { insertRows, type RowInsert, type RowValues } from './rows.ts'

type Condition = RawBuilder<unknown>

interface EntryRow {
  id: string
  created_at: number
  organisation_id: string
  workspace_id: string | null
  fields: unknown
  data: string
}

interface GroupRow {
  value: string | number | null
  count: number
  first_at: number
  last_at: number
  sums: unknown
}

/** Entries that are there stay as they are. */
const entryInsert: RowInsert = {
  table: 'log_entries',
  columns: ['id', 'created_at', 'organisation_id', 'workspace_id', 'fields', 'data'],
  types: { fields: 'jsonb' },
  onConflict: 'do nothing',
}

/** The log with entries that are rows already. */
export type SqlLog = Omit<Log, 'append'> & { appendRows(rows: RowValues): Promise<void> }

export function createLog({ engine, read, write }: Database): SqlLog {
  return {
    async appendRows(rows) {
      await write((queries) => insertRows(engine, queries, entryInsert, rows))
    },
    async list(filter, after, limit) {
      if (matchesNone(filter)) return []
      const behind =
        after === null
          ? []
          : [sql`(log_entries.created_at, log_entries.id) < (${after.created_at}, ${after.id})`]
      const { rows } = await sql<EntryRow>`select * from log_entries
        where ${all([...conditions(engine, filter), ...behind])}
        order by log_entries.created_at desc, log_entries.id desc limit ${limit}`.execute(read)
      return rows.map(toEntry)
    },
    async count(filter) {
      if (matchesNone(filter)) return 0
      const { rows } = await sql<{ count: number }>`select count(*) as count from log_entries
        where ${all(conditions(engine, filter))}`.execute(read)
      return rows[0]?.count ?? 0
    },
    async group(filter, field, sums, limit) {
      if (matchesNone(filter)) return []
      const value = fieldValue(engine, field)
      const columns = sums.map(
        (name, index) => sql`, coalesce(sum(${fieldNumber(engine, name)}), 0) as ${sql.ref(`sum_${index}`)}`,
      )
      // As text: `jsonb` has an order of its own.
      const tie =
        engine === 'sqlite' ? sql`coalesce(value, '') || ''` : sql`coalesce(value #>> '{}', '') collate "C"`
      const { rows } = await sql<GroupRow & Record<string, number>>`
        select * from (
          select ${value} as value, count(*) as count, min(created_at) as first_at, max(created_at) as last_at
            ${columns.length > 0 ? sql.join(columns, sql``) : sql``}
          from log_entries where ${all(conditions(engine, filter))} group by 1) as groups
        order by count desc, ${tie} limit ${limit}`.execute(read)
      return rows.map((row) => ({
        value: row.value,
        count: row.count,
        sums: Object.fromEntries(sums.map((name, index) => [name, row[`sum_${index}`] ?? 0])),
        first_at: row.first_at,
        last_at: row.last_at,
      }))
    },
    prune(before, limit, organisationId) {
      return write(async (queries) => {
        const expired = queries.selectFrom('log_entries').select('id').where('created_at', '<', before)
        const ofOne =
          organisationId === undefined ? expired : expired.where('organisation_id', '=', organisationId)
        const old = await ofOne.orderBy('created_at').orderBy('id').limit(limit).execute()
        for (const some of chunk(old.map(({ id }) => id))) {
          await queries.deleteFrom('log_entries').where('id', 'in', some).execute()
        }
        return old.length
      })
    },
  }
}

function toEntry(row: EntryRow): LogEntry {
  const { id, created_at, organisation_id, workspace_id } = row
  const data = JSON.parse(row.data) as LogEntry['data']
  return { id, created_at, organisation_id, workspace_id, fields: readFields(row.fields), data }
}

const all = (list: readonly Condition[]) => (list.length === 0 ? sql`1 = 1` : sql.join(list, sql` and `))

/** A filter through which nothing comes. */
function matchesNone({ workspace_ids, ids, fields }: LogFilter): boolean {
  return [workspace_ids, ids, ...Object.values(fields ?? {})].some((list) => list?.length === 0)
}

function conditions(engine: Engine, filter: LogFilter): Condition[] {
  const { organisation_id: organisation, workspace_ids: workspaces, ids, from, to } = filter
  const found: Condition[] = []
  if (organisation !== undefined) found.push(sql`log_entries.organisation_id = ${organisation}`)
  if (workspaces !== undefined) found.push(sql`log_entries.workspace_id in (${sql.join(workspaces)})`)
  if (ids !== undefined) found.push(sql`log_entries.id in (${sql.join(ids)})`)
  if (from !== undefined) found.push(sql`log_entries.created_at >= ${from}`)
  if (to !== undefined) found.push(sql`log_entries.created_at < ${to}`)
  for (const [name, values] of Object.entries(filter.fields ?? {})) found.push(isAmong(engine, name, values))
  for (const [name, { min, max }] of Object.entries(filter.ranges ?? {})) {
    const number = fieldNumber(engine, name)
    found.push(sql`${number} is not null`)
    if (min !== undefined) found.push(sql`${number} >= ${min}`)
    if (max !== undefined) found.push(sql`${number} <= ${max}`)
  }
  return found
}

function isAmong(engine: Engine, name: string, values: readonly (string | number | null)[]): Condition {
  const value = fieldValue(engine, name)
  const wanted = values.filter((one) => one !== null).map((one) => comparedValue(engine, one))
  const either = [
    ...(wanted.length > 0 ? [sql`${value} in (${sql.join(wanted)})`] : []),
    ...(wanted.length < values.length ? [sql`${value} is null`] : []),
  ]
  return sql`(${sql.join(either, sql` or `)})`
}
