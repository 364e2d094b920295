/** Vectors on SQL: all of a collection are compared, in pages; the oldest of a collection go when a bound is reached. */
import type { Neighbour, Vectors } from '@gateway/contract'
import { sql } from 'kysely'
import type { Database } from './database.ts'

/** Of one collection: as many are read and compared for one question. */
const maxVectors = 20_000
const pageSize = 1000
/** A collection is trimmed when it has grown by so many, on the average. */
const trimEvery = 64

export function createVectors({ read, write }: Database, now: () => number = Date.now): Vectors {
  return {
    async put({ collection, id, values, payload, expires_at }) {
      const row = { collection, id, unit: toBytes(toUnit(values)), payload, expires_at, written_at: now() }
      await write(async (queries) => {
        const { unit, written_at } = row
        await queries
          .insertInto('vectors')
          .values(row)
          .onConflict((conflict) =>
            conflict.columns(['collection', 'id']).doUpdateSet({ unit, payload, expires_at, written_at }),
          )
          .execute()
        if (Math.random() * trimEvery >= 1) return
        const oldest = queries
          .selectFrom('vectors')
          .select('id')
          .where('collection', '=', collection)
          .orderBy('written_at', 'desc')
          .orderBy('id', 'desc')
          .limit(1_000_000)
          .offset(maxVectors)
        await queries
          .deleteFrom('vectors')
          .where('collection', '=', collection)
          .where('id', 'in', oldest)
          .execute()
      })
    },
    async nearest(collection, values, { limit, minSimilarity, nowMs }) {
      const unit = toUnit(values)
      let near: Neighbour[] = []
      let after = ''
      for (;;) {
        const rows = await read
          .selectFrom('vectors')
          .select(['id', 'unit', 'payload', 'expires_at'])
          .where('collection', '=', collection)
          .where('id', '>', after)
          .orderBy('id')
          .limit(pageSize)
          .execute()
        for (const row of rows) {
          if (row.expires_at !== null && row.expires_at <= nowMs) continue
          const similarity = product(unit, row.unit)
          if (similarity >= minSimilarity) near.push({ id: row.id, similarity, payload: row.payload })
        }
        near = near.sort((left, right) => right.similarity - left.similarity).slice(0, limit)
        if (rows.length < pageSize) return near
        after = rows.at(-1)?.id ?? after
      }
    },
    async remove(collection, id) {
      await write(async (queries) => {
        await queries
          .deleteFrom('vectors')
          .where('collection', '=', collection)
          .where('id', '=', id)
          .execute()
      })
    },
    prune(nowMs) {
      return write(async (queries) => {
        const result = await queries
          .deleteFrom('vectors')
          .where(sql<number>`expires_at`, '<=', nowMs)
          .executeTakeFirst()
        return Number(result.numDeletedRows)
      })
    },
  }
}

/** A vector of length 1 with the same direction; one of length 0 stays, and is near to nothing. */
function toUnit(values: readonly number[]): Float32Array {
  const length = Math.hypot(...values) || 1
  return Float32Array.from(values, (value) => value / length)
}

function toBytes(unit: Float32Array): Buffer {
  const bytes = Buffer.alloc(unit.length * 4)
  for (const [index, value] of unit.entries()) bytes.writeFloatLE(value, index * 4)
  return bytes
}

function product(unit: Float32Array, bytes: Buffer): number {
  let sum = 0
  const length = Math.min(unit.length, bytes.length / 4)
  for (let index = 0; index < length; index++) sum += (unit[index] ?? 0) * bytes.readFloatLE(index * 4)
  return sum
}
