/**
 * Long work on SQL: a commit checks the fence in its own transaction. On Postgres the transaction locks the lease's
 * row, so no other process can take the lease in the meantime.
 */
import type { Work } from '@gateway/contract'
import { sql } from 'kysely'
import type { Database, Queries } from './database.ts'
import { chunk } from './values.ts'

export function createWork({ engine, read, write }: Database): Work {
  async function fenceOf(queries: Queries, id: string): Promise<number | null> {
    const query = queries.selectFrom('work_leases').select('fence').where('id', '=', id)
    const row = await (engine === 'postgres' ? query.forUpdate() : query).executeTakeFirst()
    return row?.fence ?? null
  }

  return {
    acquire(id, ttlMs, nowMs) {
      return write(async (queries) => {
        const row = await queries
          .insertInto('work_leases')
          .values({ id, fence: 1, ends_at: Math.ceil(nowMs + ttlMs) })
          .onConflict((conflict) =>
            conflict
              .column('id')
              .doUpdateSet({
                fence: sql<number>`work_leases.fence + 1`,
                ends_at: sql<number>`excluded.ends_at`,
              })
              .where('work_leases.ends_at', '<=', nowMs),
          )
          .returning('fence')
          .executeTakeFirst()
        return row?.fence ?? null
      })
    },
    renew(id, fence, { ttlMs, nowMs }) {
      return write(async (queries) => {
        const row = await queries
          .updateTable('work_leases')
          .set({ ends_at: Math.ceil(nowMs + ttlMs) })
          .where('id', '=', id)
          .where('fence', '=', fence)
          .returning('fence')
          .executeTakeFirst()
        return row !== undefined
      })
    },
    async release(id, fence) {
      await write((queries) =>
        queries
          .updateTable('work_leases')
          .set({ ends_at: 0 })
          .where('id', '=', id)
          .where('fence', '=', fence)
          .execute(),
      )
    },
    commit(id, fence, results) {
      return write(async (queries) => {
        if ((await fenceOf(queries, id)) !== fence) return false
        for (const some of chunk(results, 200)) {
          const kept = await queries
            .insertInto('work_results')
            .values(some.map(({ position, data }) => ({ work_id: id, position, data })))
            .onConflict((conflict) => conflict.columns(['work_id', 'position']).doNothing())
            .returning('position')
            .execute()
          const positions = new Set(kept.map(({ position }) => position))
          const owed = some
            .filter(({ position }) => positions.has(position))
            .flatMap(({ outgoing }) => outgoing)
          for (const rows of chunk(owed, 200))
            await queries
              .insertInto('work_outgoing')
              .values(rows.map(({ id: key, kind, data }) => ({ id: key, kind, data })))
              .onConflict((conflict) => conflict.column('id').doNothing())
              .execute()
        }
        return true
      })
    },
    async results(id, after, limit) {
      return read
        .selectFrom('work_results')
        .select(['position', 'data'])
        .where('work_id', '=', id)
        .where('position', '>', after)
        .orderBy('position')
        .limit(limit)
        .execute()
    },
    async positions(id) {
      const rows = await read
        .selectFrom('work_results')
        .select('position')
        .where('work_id', '=', id)
        .orderBy('position')
        .execute()
      return rows.map(({ position }) => position)
    },
    async clear(id) {
      await write((queries) => queries.deleteFrom('work_results').where('work_id', '=', id).execute())
    },
    async outgoing(limit) {
      return read
        .selectFrom('work_outgoing')
        .select(['id', 'kind', 'data'])
        .orderBy('position')
        .limit(limit)
        .execute()
    },
    async handedOver(ids) {
      await write(async (queries) => {
        for (const some of chunk(ids))
          await queries.deleteFrom('work_outgoing').where('id', 'in', some).execute()
      })
    },
  }
}
