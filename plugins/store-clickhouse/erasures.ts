/**
 * Keeps erased entries erased: entries that wait on the disk of a gateway during an erasure are skipped when they are
 * finally written. An erasure is stored for as long as entries may wait.
 */
import type { LogFilter } from '@gateway/contract'
import { matchesEntry } from '@gateway/domain'
import { createBound } from './bound.ts'
import type { Connection } from './connection.ts'
import { type EntryRow, toEntry, toSummary } from './rows.ts'

interface Erasure {
  filter: string
  last_at: number
}

export function recordErasure(connection: Connection, filter: LogFilter, nowMs: number): Promise<void> {
  return connection.insert('log_erasures', [{ filter: JSON.stringify(filter), erased_at: nowMs }])
}

/**
 * The rows without those erased since their creation.
 * @param isWaiting whether they come from the queue: entries added
 * now may describe a time before an erasure
 */
export async function withoutErased(
  connection: Connection,
  rows: readonly EntryRow[],
  { isWaiting }: { isWaiting: boolean },
): Promise<readonly EntryRow[]> {
  const oldest = rows.reduce((least, { fact }) => Math.min(least, fact.created_at), Number.POSITIVE_INFINITY)
  if (!Number.isFinite(oldest)) return rows
  const bound = createBound()
  const found = await connection.rows<Erasure>(
    `select filter, max(erased_at) as last_at from log_erasures
    where erased_at >= ${bound.value('Int64', Math.floor(oldest))} group by filter`,
    bound.parameters,
  )
  if (found.length === 0) return rows
  // Written by `recordErasure`.
  const erasures = found.map(({ filter, ...rest }) => ({ ...rest, filter: JSON.parse(filter) as LogFilter }))
  return rows.filter(({ fact, content }) => {
    if (fact.source === 'custom' && !isWaiting) return true
    const entry = toEntry(toSummary(fact), content)
    return !erasures.some(({ filter, last_at }) => fact.created_at <= last_at && matchesEntry(entry, filter))
  })
}
