/** Rows that record removals in progress. */
import type { LogFilter } from '@gateway/contract'
import type { Connection } from './connection.ts'

/** The target of a removal: entries, or a whole day. */
export interface Removed {
  filter: LogFilter
  /** The digits of the day. */
  partition?: string
}

export const states = { aggregating: 1, removing: 2, ended: 3 } as const

export interface Removal extends Removed {
  id: string
  state: number
}

interface RemovalRow {
  id: string
  removed: string
  state: number
}

/** Removals that have not ended. */
export async function openRemovals(connection: Connection): Promise<Removal[]> {
  const rows = await connection.rows<RemovalRow>(
    `select toString(id) as id, removed, state from log_removals final where state < ${states.ended} order by id`,
  )
  // Written by `put`.
  return rows.map(({ id, removed, state }) => ({ ...(JSON.parse(removed) as Removed), id, state }))
}

export const put = (connection: Connection, { id, state, ...removed }: Removal) =>
  connection.insert('log_removals', [
    { id, removed: JSON.stringify(removed), state, put_at: Date.now() } satisfies RemovalRow & {
      put_at: number
    },
  ])

/** Facts that aggregates have already replaced. */
export const isReplaced = ({ state }: Removal): boolean => state === states.removing
/** Aggregates of facts that still count themselves. */
export const isUnfinished = ({ state }: Removal): boolean => state === states.aggregating
