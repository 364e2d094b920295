/** Daily partitions of Postgres: created with the first entry of a day, dropped when the day is past its retention. */
import { sql } from 'kysely'
import type { Database, Queries } from '../database.ts'

export const dayMs = 86_400_000
const tables = ['log_facts', 'log_contents'] as const

const dayOf = (at: number) => Math.floor(at / dayMs)
const suffixOf = (day: number) => new Date(day * dayMs).toISOString().slice(0, 10).replaceAll('-', '')

export interface Partitions {
  /** Creates the partitions before entries with these times are written. */
  make(times: Iterable<number>): Promise<void>
  /** Starts of the days that end before a time, oldest first. */
  listBefore(before: number): Promise<number[]>
  drop(queries: Queries, day: number): Promise<void>
}

/** @param day number of days since the epoch */
export async function createDay(queries: Queries, day: number): Promise<void> {
  const [from, to] = [day, day + 1].map((each) => sql.raw(String(each * dayMs)))
  for (const table of tables)
    await sql`create table if not exists ${sql.ref(`${table}_${suffixOf(day)}`)} partition of ${sql.ref(table)}
      for values from (${from}) to (${to})`.execute(queries)
}

export function createPartitions({ read, write }: Database): Partitions {
  const made = new Set<number>()

  async function make(day: number): Promise<void> {
    await write((queries) => createDay(queries, day), { lock: 'log' })
    made.add(day)
  }

  return {
    async make(times) {
      for (const day of new Set([...times].map(dayOf))) if (!made.has(day)) await make(day)
    },
    async listBefore(before) {
      const { rows } = await sql<{ name: string }>`select c.relname as name from pg_inherits i
        join pg_class c on c.oid = i.inhrelid join pg_class p on p.oid = i.inhparent
        where p.relname = 'log_facts' and p.relnamespace = current_schema()::regnamespace
        order by c.relname`.execute(read)
      return rows
        .map(({ name }) => /_(\d{4})(\d\d)(\d\d)$/.exec(name))
        .flatMap((found) =>
          found === null ? [] : [Date.UTC(Number(found[1]), Number(found[2]) - 1, Number(found[3]))],
        )
        .filter((day) => day + dayMs <= before)
    },
    async drop(queries, day) {
      for (const table of tables)
        await sql`drop table if exists ${sql.ref(`${table}_${suffixOf(day / dayMs)}`)}`.execute(queries)
      made.delete(day / dayMs)
    },
  }
}
