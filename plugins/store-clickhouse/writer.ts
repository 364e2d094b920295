/**
 * Writes batches in few large inserts, because the server must merge the part that each insert creates. A batch is
 * inserted immediately if there was no recent insert or the caller requests it; otherwise it goes to the queue on disk,
 * which is emptied once per `batchMs`. While the server is unavailable everything is queued. Existing rows are skipped:
 * a batch whose answer was lost can be sent again. Errors: `store_unavailable` when the queue is full.
 */
import { type GatewayError, isGatewayError } from '@gateway/contract'
import { createBound } from './bound.ts'
import { all, idCondition } from './conditions.ts'
import type { Connection } from './connection.ts'
import type { Batch, DiskQueue, RowKind } from './disk-queue.ts'
import { withoutErased } from './erasures.ts'
import type { FeedbackRow } from './feedback.ts'
import type { EntryRow } from './rows.ts'

export interface Writer {
  append(rows: readonly EntryRow[], options: { isDurable: boolean }): Promise<void>
  putFeedback(rows: readonly FeedbackRow[]): Promise<void>
  /** Sends queued batches until none is left or the server does not accept one. */
  drain(): Promise<void>
  close(): Promise<void>
}

export interface WriterOptions {
  connection: Connection
  queue: DiskQueue
  batchMs: number
  /** Called with the number of rows that the server rejects as invalid. */
  refused(rows: number, error: GatewayError): void
  /** Called once per outage of the server. */
  away(error: GatewayError): void
}

const insertRows = 10_000
const insertBytes = 32 * 1_048_576
/** An unavailable server is retried every fifth turn. */
const awayTurns = 5

export function createWriter({ connection, queue, batchMs, refused, away }: WriterOptions): Writer {
  let isAway = false
  let insertedAt = Number.NEGATIVE_INFINITY
  let draining: Promise<void> | null = null
  let turns = 0
  const timer = setInterval(
    () => {
      turns += 1
      if (!queue.isEmpty() && (!isAway || turns % awayTurns === 0)) void drain()
    },
    Math.max(50, batchMs),
  )
  timer.unref()

  async function insertEntries(rows: readonly EntryRow[], isWaiting: boolean): Promise<void> {
    const byId = new Map<string, EntryRow>()
    for (const row of rows) if (!byId.has(row.fact.id)) byId.set(row.fact.id, row)
    for (const id of await knownIds(connection, [...byId.keys()])) byId.delete(id)
    const left = await withoutErased(connection, [...byId.values()], { isWaiting })
    if (left.length === 0) return
    // Facts are written last: an entry exists when its fact does, and its contents then exist too.
    await connection.insert(
      'log_contents',
      left.map(({ content }) => content),
    )
    await connection.insert(
      'log_facts',
      left.map(({ fact }) => fact),
    )
  }

  const insert = (kind: RowKind, rows: readonly object[], isWaiting: boolean) =>
    kind === 'entries'
      ? insertEntries(rows as readonly EntryRow[], isWaiting)
      : connection.insert('log_feedback', rows)

  function noteFault(error: GatewayError): void {
    if (!isAway) away(error)
    isAway = true
  }

  async function write(kind: RowKind, rows: readonly object[], isDurable: boolean): Promise<void> {
    if (rows.length === 0) return
    const isQuiet = queue.isEmpty() && performance.now() - insertedAt >= batchMs
    if (!isAway && (isDurable || isQuiet)) {
      insertedAt = performance.now()
      try {
        return await insert(kind, rows, false)
      } catch (error) {
        if (!isGatewayError(error) || error.code !== 'store_unavailable') throw error
        noteFault(error)
      }
    }
    await queue.add(
      kind,
      rows.map((row) => JSON.stringify(row)),
      { isDurable },
    )
  }

  function drain(): Promise<void> {
    draining ??= drainAll().finally(() => {
      draining = null
    })
    return draining
  }

  async function drainAll(): Promise<void> {
    for (;;) {
      const batches = await queue.claim({ rows: insertRows, bytes: insertBytes })
      if (batches.length === 0) return
      for (const kind of ['entries', 'feedback'] as const)
        if (
          !(await send(
            kind,
            batches.filter((batch) => batch.kind === kind),
          ))
        ) {
          for (const batch of batches) await batch.release()
          return
        }
    }
  }

  /**
   * Sends several batches as one insert, or one by one if the server rejects part of it. False if it is unavailable.
   */
  async function send(kind: RowKind, batches: readonly Batch[]): Promise<boolean> {
    if (batches.length === 0) return true
    try {
      const texts = await Promise.all(batches.map((batch) => batch.read()))
      insertedAt = performance.now()
      await insert(kind, texts.flatMap(readLines), true)
      isAway = false
    } catch (error) {
      if (!isGatewayError(error)) throw error
      if (error.code === 'store_unavailable') {
        noteFault(error)
        return false
      }
      if (batches.length > 1) {
        for (const batch of batches) if (!(await send(kind, [batch]))) return false
        return true
      }
      refused(batches[0]?.rows ?? 0, error)
    }
    for (const batch of batches) await batch.remove()
    return true
  }

  return {
    append: (rows, { isDurable }) => write('entries', rows, isDurable),
    // The caller waits for the answer, so the feedback is stored first.
    putFeedback: (rows) => write('feedback', rows, true),
    drain,
    async close() {
      clearInterval(timer)
      if (!isAway && !queue.isEmpty()) await drain()
      await draining
    },
  }
}

const readLines = (text: string): object[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    // Written by `write`.
    .map((line) => JSON.parse(line) as object)

/** The most ids in one query, because the server limits its length including parameters (`max_query_size`). */
const askedIds = 2000

/** The ids that have a fact. */
async function knownIds(connection: Connection, ids: readonly string[]): Promise<string[]> {
  const known: string[] = []
  for (let at = 0; at < ids.length; at += askedIds) {
    const bound = createBound()
    const found = await connection.rows<{ id: string }>(
      `select id from log_facts where ${all([idCondition(bound, ids.slice(at, at + askedIds))])}`,
      bound.parameters,
    )
    for (const { id } of found) known.push(id)
  }
  return known
}
