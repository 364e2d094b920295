/**
 * Runs a replay in the process that holds its lease, and ends it. Every step can be repeated, so another process can
 * continue after a crash.
 */

import { type Around, createCommits, LostLease } from '@gateway/batches/engine'
import { faultReason, isGatewayError, type LogEntry } from '@gateway/contract'
import type { PlacedPair } from '../compare/worst-first.ts'
import type { ReplayEngine } from '../engine.ts'
import type { ReplayCounts, ReplayData, ReplayStatus, StoredPair } from '../entities.ts'
import { reportOf } from '../report.ts'
import { isEnded, type ReplayDocument, type ReplayStore } from '../store.ts'
import { createBudget, noBudget, storedReservations } from './budget.ts'
import { createCalls } from './calls.ts'
import { planPair } from './plan-pair.ts'
import { type PairParts, type PairResult, runPair, uncompared } from './run-pair.ts'

export interface RunnerParts {
  engine: ReplayEngine
  store: ReplayStore
}

/** The interval at which the counts of a running replay are written. */
const countsMs = 1000
/** The number of entries that are read at once. */
const readAtOnce = 20

interface Totals {
  counts: Omit<ReplayCounts, 'total'>
  /** US cents. */
  spent: number
  /** The reason of the first failed pair. */
  failure: string | null
}

function totalsOf(pairs: readonly PlacedPair[]): Totals {
  const totals: Totals = {
    counts: { completed: 0, failed: 0, skipped: 0, redacted: 0 },
    spent: 0,
    failure: null,
  }
  for (const { pair } of pairs) addPair(totals, pair)
  return totals
}

function addPair(totals: Totals, { outcome, reason, is_redacted: isRedacted, spent }: StoredPair): void {
  totals.counts[outcome] += 1
  if (outcome === 'completed' && isRedacted) totals.counts.redacted += 1
  if (outcome === 'failed') totals.failure ??= reason
  totals.spent += spent
}

export async function runReplay(
  { engine, store }: RunnerParts,
  given: ReplayDocument,
  around: Around<ReplayDocument>,
): Promise<void> {
  const { context } = engine
  const replay = await store.change(given.id, ({ status }) =>
    status === 'queued' ? { status: 'running', data: { started_at: context.now() } } : null,
  )
  if (replay === null || isEnded(replay) || around.leave.aborted) return
  const ended = await runPairs({ engine, store }, replay, around)
  if (ended === 'left') return
  await endReplay({ engine, store }, replay.id, ended)
}

/** How the run ended; `left` if another process continues it. */
type Ending = 'done' | 'stopped' | 'exhausted' | 'left'

async function runPairs(
  { engine, store }: RunnerParts,
  replay: ReplayDocument,
  { fence, leave, watch }: Around<ReplayDocument>,
): Promise<Ending> {
  const { context, slots, handOver } = engine
  const { id, data } = replay
  const before = await store.pairsOf(replay)
  const totals = totalsOf(before)
  const commits = createCommits({ context, id, kind: 'replay', fence, handOver, slots })
  const budget =
    data.budget === null
      ? noBudget
      : createBudget({
          limitCents: data.budget * 100,
          spentCents: totals.spent,
          settled: new Set(before.flatMap(({ pair }) => pair.reservations)),
          stored: await storedReservations(context.work, id),
          commits,
        })
  const stop = new AbortController()
  const end = () => stop.abort()
  leave.addEventListener('abort', end, { once: true })
  if (leave.aborted) end()
  const unwatch = watch((seen) => {
    if (isEnded(seen)) end()
  })
  const counting = countNowAndThen(store, id, () => ({
    ...sumsOf(totals, data),
    unsettled: budget.unsettled,
  }))
  const parts: PairParts = { engine, replay, calls: createCalls(context, replay), budget, stop: stop.signal }
  const running = new Set<Promise<void>>()
  let fault: unknown = null
  let isExhausted = false

  const keep = async (position: number, { pair, outgoing }: PairResult) => {
    await commits.add({ position, data: JSON.stringify(pair), outgoing })
    addPair(totals, pair)
    budget.settle(pair.reservations, pair.spent)
    counting.changed()
  }
  const begin = (work: () => Promise<void>) => {
    const done: Promise<void> = work()
      .catch((error: unknown) => {
        fault ??= error
      })
      .finally(() => void running.delete(done))
    running.add(done)
  }

  const done = new Set(before.map(({ position }) => position))
  try {
    for await (const { position, baselineId, entry } of entriesOf({ engine, store }, replay, done)) {
      if (stop.signal.aborted || fault !== null || isExhausted) break
      if (entry === null) {
        await keep(position, { pair: uncompared({ id: baselineId }, 'skipped', 'erased'), outgoing: [] })
        continue
      }
      while (running.size >= data.concurrency) await Promise.race(running)
      const need = await planOf(parts, entry, position)
      if ('outcome' in need) {
        await keep(position, { pair: need, outgoing: [] })
        continue
      }
      let reservation = await budget.reserve(need.cents)
      // Pairs in flight may cost less than their reservation.
      while (reservation === null && running.size > 0) {
        await Promise.race(running)
        reservation = await budget.reserve(need.cents)
      }
      if (reservation === null) {
        isExhausted = true
        break
      }
      const number = reservation
      const release = await slots.take(replay.workspace_id ?? '')
      if (stop.signal.aborted || fault !== null) {
        release()
        await budget.release(number)
        break
      }
      begin(async () => {
        try {
          const result = await runPair(parts, { ...need, position, entry, reservation: number })
          if (result === null) await budget.release(number)
          else await keep(position, result)
        } finally {
          release()
        }
      })
    }
    await Promise.all(running)
  } finally {
    leave.removeEventListener('abort', end)
    unwatch()
    await counting.stop()
  }
  if (fault !== null && !leave.aborted) throw fault
  if (leave.aborted) return 'left'
  return isExhausted ? 'exhausted' : stop.signal.aborted ? 'stopped' : 'done'
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

interface Sampled {
  position: number
  baselineId: string
  /** Null if the entry has been erased. */
  entry: LogEntry | null
}

/** Entries without a result, in the order of the sample. */
async function* entriesOf(
  { engine, store }: RunnerParts,
  { id, organisation_id, workspace_id }: ReplayDocument,
  done: ReadonlySet<number>,
): AsyncGenerator<Sampled> {
  const { logEntries: log } = engine.context
  const sample = await store.sampleOf(id)
  const wanted = sample
    .map((baselineId, index) => ({ baselineId, position: index + 1 }))
    .filter(({ position }) => !done.has(position))
  for (let begin = 0; begin < wanted.length; begin += readAtOnce) {
    const some = wanted.slice(begin, begin + readAtOnce)
    const found = await log.read(some.map(({ baselineId }) => baselineId))
    const byId = new Map(found.map((entry) => [entry.id, entry]))
    for (const { baselineId, position } of some) {
      const entry = byId.get(baselineId)
      const isOwn = entry?.organisation_id === organisation_id && entry?.workspace_id === workspace_id
      yield { position, baselineId, entry: entry !== undefined && isOwn ? entry : null }
    }
  }
}

const sumsOf = ({ counts, spent }: Totals, data: ReplayData): Pick<ReplayData, 'counts' | 'spent'> => ({
  counts: { total: data.counts.total, ...counts },
  spent,
})

/** Writes the counts periodically, so callers see the progress. */
function countNowAndThen(store: ReplayStore, id: string, read: () => Partial<ReplayData>) {
  let hasChanged = false
  let writing: Promise<unknown> = Promise.resolve()
  const write = () => {
    if (!hasChanged) return
    hasChanged = false
    // If a write fails, the next one includes these counts.
    writing = store.change(id, () => ({ data: read() }), true).catch(() => undefined)
  }
  const timer = setInterval(write, countsMs)
  return {
    changed() {
      hasChanged = true
    },
    async stop() {
      clearInterval(timer)
      await writing
    },
  }
}

/** Stores the final counts and the report. A cancelled replay keeps its status. */
async function endReplay({ engine, store }: RunnerParts, id: string, ending: Ending): Promise<void> {
  const { context, handOver } = engine
  const replay = await store.get(id)
  if (replay === null) return
  const pairs = await store.pairsOf(replay)
  const totals = totalsOf(pairs)
  const report = await reportOf(
    pairs.map(({ pair }) => pair),
    replay.data.seed,
    context.stopping,
  )
  await store.change(id, ({ status, data }) => ({
    ...(status === 'running' ? { status: endOf(ending, totals) } : {}),
    data: {
      ...sumsOf(totals, data),
      report,
      ended_at: data.ended_at ?? context.now(),
      error: errorOf(totals),
    },
  }))
  await handOver.all().catch((error: unknown) => {
    if (error instanceof LostLease) return
    context.log.warn({ replay: id, reason: faultReason(error) }, 'records of a replay are delivered later')
  })
}

function endOf(ending: Ending, { counts }: Totals): ReplayStatus {
  if (ending === 'exhausted') return 'budget_exhausted'
  return counts.completed === 0 && counts.failed > 0 ? 'failed' : 'completed'
}

const errorOf = ({ counts, failure }: Totals): string | null =>
  counts.completed === 0 && failure !== null ? `No pair could be compared: ${failure}.` : null
