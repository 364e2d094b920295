/**
 * Orders the contents of the log on SQLite by the time of writing, with an index of their ids. A table that is ordered
 * by id keeps only short rows within its pages: of every row above 4 kB, the rest took a page of 16 kB. Earlier versions
 * of the gateway read and write the new table as well, so this has no migration, which would keep them from opening it.
 * https://www.sqlite.org/fileformat2.html#b_tree_pages
 */
import { sql } from 'kysely'
import type { Database, Queries } from '../database.ts'
import { countTable, type MigrateOptions } from '../migrate.ts'

const columns = sql.raw('id, created_at, details, bodies, inner_bodies')
const pageRows = 1000

export async function orderContents(
  database: Database,
  { progress }: Pick<MigrateOptions, 'progress'>,
): Promise<void> {
  if (database.engine !== 'sqlite' || (await isOrdered(database.read))) return
  await database.write(
    async (queries) => {
      // Another process may have ordered them in the meantime.
      if (await isOrdered(queries)) return
      await moveContents(queries, (done, total) => progress?.('Ordering the bodies of the log', done, total))
    },
    { isDurable: true },
  )
}

async function isOrdered(queries: Queries): Promise<boolean> {
  const { rows } = await sql`select 1 from pragma_table_info('log_contents') where name = 'position'`.execute(
    queries,
  )
  return rows.length > 0
}

async function moveContents(queries: Queries, advance: (done: number, total: number) => void): Promise<void> {
  const total = await countTable(queries, 'log_contents')
  await sql`alter table log_contents rename to former_contents`.execute(queries)
  await sql`create table log_contents (
    position integer primary key, id blob not null, created_at bigint not null, details text not null, bodies text,
    inner_bodies text)`.execute(queries)
  await sql`create unique index log_contents_id on log_contents (id)`.execute(queries)
  for (let done = 0; done < total; ) {
    await movePage(queries)
    done = Math.min(total, done + pageRows)
    advance(done, total)
  }
  await sql`drop table former_contents`.execute(queries)
}

/** Moves the oldest rows, into the space of those that were moved before them. */
async function movePage(queries: Queries): Promise<void> {
  const { rows } = await sql<{ id: Buffer }>`select id from former_contents order by id
    limit 1 offset ${sql.lit(pageRows - 1)}`.execute(queries)
  const last = rows[0]?.id
  const isMoved = last === undefined ? sql`true` : sql`id <= ${last}`
  await sql`insert into log_contents (${columns})
    select ${columns} from former_contents where ${isMoved} order by id`.execute(queries)
  await sql`delete from former_contents where ${isMoved}`.execute(queries)
}
