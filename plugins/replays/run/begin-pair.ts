/** Begins the next pair of a replay, within its budget and its bound on requests at once. */

import { isGatewayError, type LogEntry } from '@gateway/contract'
import { planPair } from './plan-pair.ts'
import type { Pool } from './pool.ts'
import { type PairParts, type PairResult, runPair, uncompared } from './run-pair.ts'

export interface Sampled {
  position: number
  baselineId: string
  /** Null if the entry has been erased. */
  entry: LogEntry | null
}

export interface PairRun {
  parts: PairParts
  pool: Pool
  /** Stores the result of a pair. */
  keep(position: number, result: PairResult): Promise<void>
}

/** Begins one pair when there is room and budget for it, or stores why it has no comparison. */
export async function beginPair(
  { parts, pool, keep }: PairRun,
  { position, baselineId, entry }: Sampled,
): Promise<'next' | 'exhausted' | 'stopped'> {
  const { budget, stop, engine, replay } = parts
  if (entry === null) {
    await keep(position, { pair: uncompared({ id: baselineId }, 'skipped', 'erased'), outgoing: [] })
    return 'next'
  }
  await pool.room()
  const need = await planOf(parts, entry, position)
  if ('outcome' in need) {
    await keep(position, { pair: need, outgoing: [] })
    return 'next'
  }
  const reservation = await reserve(parts, pool, need.cents)
  if (reservation === null) return 'exhausted'
  const release = await engine.slots.take(replay.workspace_id ?? '')
  if (stop.aborted || pool.fault() !== null) {
    release()
    await budget.release(reservation)
    return 'stopped'
  }
  pool.begin(async () => {
    try {
      const result = await runPair(parts, { ...need, position, entry, reservation })
      if (result === null) await budget.release(reservation)
      else await keep(position, result)
    } finally {
      release()
    }
  })
  return 'next'
}

/** Reserves the cost of a pair. Pairs in flight may cost less than their reservation, so it waits for them first. */
async function reserve({ budget }: PairParts, pool: Pool, cents: number): Promise<number | null> {
  let reservation = await budget.reserve(cents)
  while (reservation === null && !pool.isIdle()) {
    await pool.one()
    reservation = await budget.reserve(cents)
  }
  return reservation
}

/** If the pair's key is refused, the pair fails. Any other error ends the run, which another process repeats. */
async function planOf(parts: PairParts, entry: LogEntry, position: number) {
  try {
    return await planPair(parts, entry, position)
  } catch (error) {
    if (!isGatewayError(error) || error.status >= 500) throw error
    return uncompared(entry, 'failed', error.code)
  }
}
