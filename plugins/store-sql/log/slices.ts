/**
 * Ranges of facts that SQLite reads one at a time. SQLite works in one thread that serves other calls too; they get a
 * turn between two slices. If time is divided into few buckets, each slice lies within one, so that rows need no
 * sorting by bucket.
 */
import type { LogAggregation, LogFilter } from '@gateway/contract'
import { bucketOf } from '@gateway/domain'
import { sql } from 'kysely'
import type { Queries } from '../database.ts'
import { integer } from '../values.ts'
import { firstIdAt } from './conditions.ts'

/** Ids from the first, inclusive, to the second, exclusive. */
export interface Slice {
  from: Buffer
  to: Buffer
  /** The bucket of all rows. Null: no interval. Undefined: several buckets. */
  bucket: number | null | undefined
}

const sliceRows = 5000
/** The most buckets with separate slices; above it, `group by` sorts the rows. */
const mostBuckets = 16

const lastId = Buffer.alloc(16, 0xff)
const timeAt = (id: Buffer) => id.readUIntBE(0, 6)

export async function* slices(
  { from = 0, to }: LogFilter,
  interval: LogAggregation['interval'],
  queries: Queries,
): AsyncGenerator<Slice> {
  const end = to === undefined ? lastId : firstIdAt(to)
  let begin = firstIdAt(from)
  for (;;) {
    const { rows } = await sql<{ id: Buffer }>`select id from log_facts where id >= ${begin} and id < ${end}
      order by id limit 1 offset ${integer(sliceRows)}`.execute(queries)
    const next = rows[0]?.id
    yield* divide({ from: begin, to: next ?? end }, interval)
    if (next === undefined) return
    begin = next
    await new Promise((resolve) => setImmediate(resolve))
  }
}

function* divide(
  { from, to }: Pick<Slice, 'from' | 'to'>,
  interval: LogAggregation['interval'],
): Generator<Slice> {
  if (interval === undefined) return yield { from, to, bucket: null }
  const [first, last] = [bucketOf(timeAt(from), interval), bucketOf(timeAt(to), interval)]
  if ((last - first) / interval.sizeMs >= mostBuckets) return yield { from, to, bucket: undefined }
  for (let bucket = first; bucket <= last; bucket += interval.sizeMs)
    yield {
      from: bucket === first ? from : firstIdAt(bucket),
      to: bucket === last ? to : firstIdAt(bucket + interval.sizeMs),
      bucket,
    }
}
