/**
 * Runs a replay in the process that holds its lease, and ends it. Every step can be repeated, so another process can
 * continue after a crash.
 */

import { type Around, createCommits, LostLease } from '@gateway/batches/engine'
import { faultReason } from '@gateway/contract'
import type { PlacedPair } from '../compare/worst-first.ts'
import type { ReplayEngine } from '../engine.ts'
import type { ReplayCounts, ReplayData, ReplayStatus, StoredPair } from '../entities.ts'
import { reportOf } from '../report.ts'
import { isEnded, type ReplayDocument, type ReplayStore } from '../store.ts'
import { beginPair, type Sampled } from './begin-pair.ts'
import { type Budget, createBudget, noBudget, storedReservations } from './budget.ts'
import { createCalls } from './calls.ts'
import { createPool } from './pool.ts'
import type { PairParts, PairResult } from './run-pair.ts'

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
  around: Around<ReplayDocument>,
): Promise<Ending> {
  const { context, slots, handOver } = engine
  const { id, data } = replay
  const { leave, fence } = around
  const before = await store.pairsOf(replay)
  const totals = totalsOf(before)
  const commits = createCommits({ context, id, kind: 'replay', fence, handOver, slots })
  const budget = await budgetOf(engine, replay, { before, spentCents: totals.spent, commits })
  const stop = stopSignal(around)
  const counting = countNowAndThen(store, id, () => ({
    ...sumsOf(totals, data),
    unsettled: budget.unsettled,
  }))
  const parts: PairParts = { engine, replay, calls: createCalls(context, replay), budget, stop: stop.signal }
  const pool = createPool(data.concurrency)
  const keep = async (position: number, { pair, outgoing }: PairResult) => {
    await commits.add({ position, data: JSON.stringify(pair), outgoing })
    addPair(totals, pair)
    budget.settle(pair.reservations, pair.spent)
    counting.changed()
  }
  let isExhausted = false
  try {
    const done = new Set(before.map(({ position }) => position))
    for await (const sampled of entriesOf({ engine, store }, replay, done)) {
      if (stop.signal.aborted || pool.fault() !== null) break
      const began = await beginPair({ parts, pool, keep }, sampled)
      isExhausted = began === 'exhausted'
      if (began !== 'next') break
    }
    await pool.drain()
  } finally {
    stop.dispose()
    await counting.stop()
  }
  const fault = pool.fault()
  if (fault !== null && !leave.aborted) throw fault
  if (leave.aborted) return 'left'
  return isExhausted ? 'exhausted' : stop.signal.aborted ? 'stopped' : 'done'
}

/** The budget of the replay, less what earlier runs spent and reserved. */
async function budgetOf(
  { context }: ReplayEngine,
  { id, data }: ReplayDocument,
  {
    before,
    spentCents,
    commits,
  }: { before: readonly PlacedPair[]; spentCents: number; commits: ReturnType<typeof createCommits> },
): Promise<Budget> {
  if (data.budget === null) return noBudget
  return createBudget({
    limitCents: data.budget * 100,
    spentCents,
    settled: new Set(before.flatMap(({ pair }) => pair.reservations)),
    stored: await storedReservations(context.work, id),
    commits,
  })
}

/** A signal that aborts when another process takes over or the replay is cancelled. */
function stopSignal({ leave, watch }: Around<ReplayDocument>) {
  const stop = new AbortController()
  const end = () => stop.abort()
  leave.addEventListener('abort', end, { once: true })
  if (leave.aborted) end()
  const unwatch = watch((seen) => {
    if (isEnded(seen)) end()
  })
  return {
    signal: stop.signal,
    dispose() {
      leave.removeEventListener('abort', end)
      unwatch()
    },
  }
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
