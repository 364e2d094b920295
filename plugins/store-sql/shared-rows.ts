/** Shared state on SQL, as rows: counters and leases with an expiry, and messages that every process reads. */
import { sql } from 'kysely'
import type { Database } from './database.ts'

interface Message {
  topic: string
  message: string
}

export interface SharedRows {
  increment(key: string, ttlMs: number): Promise<number>
  acquire(key: string, ttlMs: number): Promise<boolean>
  delete(key: string): Promise<void>
  publish(topic: string, message: string): Promise<void>
  /** The position after all messages so far. */
  end(): Promise<number>
  /** The messages after a position, in order, and the position after them. */
  readBehind(place: number): Promise<{ messages: Message[]; place: number }>
  /** Removes ended entries and old messages. */
  sweep(): Promise<void>
}

/** Messages not read within this time are lost. */
const messageKeptMs = 60_000
const readLimit = 1000

export function createSharedRows({ read, write }: Database, now: () => number = Date.now): SharedRows {
  return {
    increment(key, ttlMs) {
      const at = now()
      return write(async (queries) => {
        const row = await queries
          .insertInto('shared_entries')
          .values({ key, count: 1, ends_at: Math.ceil(at + ttlMs) })
          .onConflict((conflict) =>
            conflict.column('key').doUpdateSet({
              count: sql<number>`case when shared_entries.ends_at <= ${at} then 1 else shared_entries.count + 1 end`,
              ends_at: sql<number>`case when shared_entries.ends_at <= ${at} then excluded.ends_at else shared_entries.ends_at end`,
            }),
          )
          .returning('count')
          .executeTakeFirstOrThrow()
        return row.count
      })
    },
    acquire(key, ttlMs) {
      const at = now()
      return write(async (queries) => {
        const row = await queries
          .insertInto('shared_entries')
          .values({ key, count: 1, ends_at: Math.ceil(at + ttlMs) })
          .onConflict((conflict) =>
            conflict
              .column('key')
              .doUpdateSet({ count: 1, ends_at: sql<number>`excluded.ends_at` })
              .where('shared_entries.ends_at', '<=', at),
          )
          .returning('key')
          .executeTakeFirst()
        return row !== undefined
      })
    },
    async delete(key) {
      await write((queries) => queries.deleteFrom('shared_entries').where('key', '=', key).execute())
    },
    async publish(topic, message) {
      await write(
        async (queries) => {
          const row = { topic, message, created_at: now() }
          await queries.insertInto('messages').values(row).execute()
        },
        { lock: 'messages' },
      )
    },
    async end() {
      const row = await read
        .selectFrom('messages')
        .select(sql<number>`coalesce(max(position), 0)`.as('place'))
        .executeTakeFirstOrThrow()
      return row.place
    },
    async readBehind(place) {
      const rows = await read
        .selectFrom('messages')
        .select(['position', 'topic', 'message'])
        .where('position', '>', place)
        .orderBy('position')
        .limit(readLimit)
        .execute()
      const messages = rows.map(({ topic, message }) => ({ topic, message }))
      return { messages, place: rows.at(-1)?.position ?? place }
    },
    async sweep() {
      await write(async (queries) => {
        await queries.deleteFrom('shared_entries').where('ends_at', '<=', now()).execute()
        await queries
          .deleteFrom('messages')
          .where('created_at', '<', now() - messageKeptMs)
          .execute()
      })
    },
  }
}
