/**
 * Vectors on SQL. A separate thread holds the signs of a collection's vectors and is updated with the writes of this
 * and other processes. It selects the few vectors whose members are then read and compared. Vectors with few members,
 * whose signs are not selective, are all compared.
 */
import type { Neighbour, Vectors } from '@gateway/contract'
import { sql } from 'kysely'
import type { Database } from './database.ts'
import { createScanClient } from './vector-scan/scan-client.ts'
import { type SignRow, signsOf } from './vector-scan/sign-index.ts'

/** With fewer members the signs are not selective enough. */
const fewestMembers = 64
/** The number of vectors that are compared by their members for one query. */
const mostCandidates = 100
const pageSize = 2000
/**
 * The maximum difference between the clocks of processes: rows written up to this time before the newest known row are
 * read again.
 */
const overlapMs = 3000

export interface SqlVectors extends Vectors {
  /** Ends the thread. */
  close(): Promise<void>
}

/** The state of a collection in the thread. */
interface Known {
  /** The write time of the newest row. */
  writtenAt: number
  /** Recently written rows: ids with the time at which they were written. */
  recent: Map<string, number>
}

export function createVectors(database: Database, now: () => number = Date.now): SqlVectors {
  const { read, write } = database
  const known = new Map<string, Known>()
  const scan = createScanClient(() => known.clear())
  const loading = new Map<string, Promise<void>>()

  /** Sends the thread the rows written since the last call. */
  async function load(collection: string, bytes: number): Promise<void> {
    const before = known.get(collection)
    const state: Known = before ?? { writtenAt: 0, recent: new Map() }
    let after = { writtenAt: state.writtenAt - overlapMs, id: '' }
    for (;;) {
      const rows = await read
        .selectFrom('vectors')
        .select(['id', 'signs', 'expires_at', 'written_at'])
        .where('collection', '=', collection)
        .where(sql<boolean>`(written_at, id) > (${after.writtenAt}, ${after.id})`)
        .orderBy('written_at')
        .orderBy('id')
        .limit(pageSize)
        .execute()
      const added: SignRow[] = []
      for (const { id, signs, expires_at, written_at } of rows) {
        const writtenAt = Number(written_at)
        if (signs === null || state.recent.get(id) === writtenAt) continue
        state.recent.set(id, writtenAt)
        state.writtenAt = Math.max(state.writtenAt, writtenAt)
        added.push({ id, signs, expires_at: expires_at === null ? null : Number(expires_at) })
      }
      if (added.length > 0) await tell(collection, bytes, { added })
      const last = rows.at(-1)
      if (last === undefined || rows.length < pageSize) break
      after = { writtenAt: Number(last.written_at), id: last.id }
    }
    for (const [id, writtenAt] of state.recent)
      if (writtenAt < state.writtenAt - overlapMs) state.recent.delete(id)
    known.set(collection, state)
  }

  /** One at a time, so that no row is sent twice. */
  function loaded(collection: string, bytes: number): Promise<void> {
    const before = loading.get(collection) ?? Promise.resolve()
    const next = before.then(
      () => load(collection, bytes),
      () => load(collection, bytes),
    )
    loading.set(collection, next)
    const done = () => {
      if (loading.get(collection) === next) loading.delete(collection)
    }
    next.then(done, done)
    return next
  }

  async function tell(
    collection: string,
    bytes: number,
    { added = [], removed = [], sought = null, nowMs = 0 }: Told,
  ): Promise<readonly string[]> {
    const { found, gone } = await scan.ask({ collection, bytes, added, removed, sought, nowMs })
    for (const one of gone) known.delete(one)
    return found
  }

  /** Candidates by their signs. */
  async function candidates(
    collection: string,
    signs: Uint8Array,
    nowMs: number,
  ): Promise<readonly string[]> {
    await loaded(collection, signs.length)
    const sought = { signs, most: mostCandidates }
    const ids = await tell(collection, signs.length, { sought, nowMs })
    // The thread may have removed the collection while it searched others.
    if (ids.length > 0 || known.has(collection)) return ids
    await loaded(collection, signs.length)
    return tell(collection, signs.length, { sought, nowMs })
  }

  /** All rows, in pages. */
  async function* pages(collection: string): AsyncGenerator<readonly MemberRow[]> {
    let after = ''
    for (;;) {
      const rows = await read
        .selectFrom('vectors')
        .select(['id', 'unit', 'expires_at'])
        .where('collection', '=', collection)
        .where('id', '>', after)
        .orderBy('id')
        .limit(pageSize)
        .execute()
      yield rows
      if (rows.length < pageSize) return
      after = rows.at(-1)?.id ?? after
    }
  }

  async function named(
    collection: string,
    ids: readonly string[],
    bytes: number,
  ): Promise<readonly MemberRow[]> {
    if (ids.length === 0) return []
    const rows = await read
      .selectFrom('vectors')
      .select(['id', 'unit', 'expires_at'])
      .where('collection', '=', collection)
      .where('id', 'in', ids)
      .execute()
    const there = new Set(rows.map(({ id }) => id))
    const removed = ids.filter((id) => !there.has(id))
    if (removed.length > 0) await tell(collection, bytes, { removed })
    return rows
  }

  async function withPayloads(collection: string, near: readonly Near[]): Promise<Neighbour[]> {
    if (near.length === 0) return []
    const rows = await read
      .selectFrom('vectors')
      .select(['id', 'payload'])
      .where('collection', '=', collection)
      .where(
        'id',
        'in',
        near.map(({ id }) => id),
      )
      .execute()
    const payloads = new Map(rows.map(({ id, payload }) => [id, payload]))
    return near.flatMap(({ id, similarity }) => {
      const payload = payloads.get(id)
      return payload === undefined ? [] : { id, similarity, payload }
    })
  }

  return {
    async put({ collection, id, values, payload, expires_at }) {
      const unit = toUnit(values)
      const kept = {
        unit: toBytes(unit),
        signs: values.length < fewestMembers ? null : Buffer.from(signsOf(unit)),
        payload,
        expires_at,
        written_at: now(),
      }
      await write(async (queries) => {
        await queries
          .insertInto('vectors')
          .values({ collection, id, ...kept })
          .onConflict((conflict) => conflict.columns(['collection', 'id']).doUpdateSet(kept))
          .execute()
      })
    },
    async nearest(collection, values, { limit, minSimilarity, nowMs }) {
      const unit = toUnit(values)
      let near: Near[] = []
      const compare = (rows: readonly MemberRow[]) => {
        const found = rows.flatMap(({ id, unit: members, expires_at }) => {
          if (expires_at !== null && Number(expires_at) <= nowMs) return []
          const similarity = product(unit, members)
          return similarity >= minSimilarity ? { id, similarity } : []
        })
        near = [...near, ...found].sort((left, right) => right.similarity - left.similarity).slice(0, limit)
      }
      if (values.length < fewestMembers) {
        for await (const rows of pages(collection)) compare(rows)
      } else {
        const signs = signsOf(unit)
        compare(await named(collection, await candidates(collection, signs, nowMs), signs.length))
      }
      return withPayloads(collection, near)
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
    trim(maxVectors) {
      return write(async (queries) => {
        const oldest = queries
          .selectFrom('vectors')
          .select('written_at')
          .orderBy('written_at', 'desc')
          .limit(1)
          .offset(maxVectors)
        const result = await queries
          .deleteFrom('vectors')
          .where('written_at', '<=', oldest)
          .executeTakeFirst()
        return Number(result.numDeletedRows)
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
    close: () => scan.close(),
  }
}

interface Told {
  added?: readonly SignRow[]
  removed?: readonly string[]
  sought?: { signs: Uint8Array; most: number } | null
  nowMs?: number
}

interface Near {
  id: string
  similarity: number
}

interface MemberRow {
  id: string
  unit: Uint8Array
  expires_at: number | null
}

/** The vector scaled to length 1. One of length 0 stays unchanged and is near to nothing. */
function toUnit(values: readonly number[]): Float32Array {
  const length = Math.hypot(...values) || 1
  return Float32Array.from(values, (value) => value / length)
}

function toBytes(unit: Float32Array): Buffer {
  const bytes = Buffer.alloc(unit.length * 4)
  for (const [index, value] of unit.entries()) bytes.writeFloatLE(value, index * 4)
  return bytes
}

function product(unit: Float32Array, bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const length = Math.min(unit.length, bytes.length / 4)
  let sum = 0
  for (let index = 0; index < length; index++) sum += (unit[index] ?? 0) * view.getFloat32(index * 4, true)
  return sum
}
