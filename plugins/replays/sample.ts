/** Draws a sample of the log: a number of matching entries with equal probability, from a seed. */
import type { Log, LogFilter } from '@gateway/contract'
import { sampleRanks } from './statistics/random.ts'

const pageSize = 500
/** If two drawn entries are further apart, the store skips the entries between them. */
const skipsFrom = 20

/**
 * Returns the ids of the drawn entries, oldest first. The filter's range must have ended, because a new entry would
 * change the sample.
 */
export async function drawSample(
  log: Log,
  filter: LogFilter,
  { count, seed }: { count: number; seed: number },
): Promise<string[]> {
  const total = await log.count(filter)
  const ranks = sampleRanks(total, count, seed)
  const isSparse = ranks.length > 0 && total / ranks.length > skipsFrom
  return isSparse ? skipping(log, filter, ranks) : paging(log, filter, ranks)
}

async function paging(log: Log, filter: LogFilter, ranks: readonly number[]): Promise<string[]> {
  const wanted = new Set(ranks)
  const last = ranks.at(-1) ?? -1
  const drawn: string[] = []
  let after: string | undefined
  for (let begin = 0; begin <= last; begin += pageSize) {
    const page = await log.list(filter, {
      ...(after === undefined ? {} : { after }),
      limit: pageSize,
      order: 'asc',
    })
    for (const [index, { id }] of page.entries()) if (wanted.has(begin + index)) drawn.push(id)
    if (page.length < pageSize) break
    after = page.at(-1)?.id
  }
  return drawn
}

async function skipping(log: Log, filter: LogFilter, ranks: readonly number[]): Promise<string[]> {
  const drawn: string[] = []
  let after: string | undefined
  let next = 0
  for (const rank of ranks) {
    const place = { ...(after === undefined ? {} : { after }), offset: rank - next, limit: 1 }
    const [entry] = await log.list(filter, { ...place, order: 'asc' })
    if (entry === undefined) break
    drawn.push(entry.id)
    after = entry.id
    next = rank + 1
  }
  return drawn
}
