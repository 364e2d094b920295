/**
 * Removals in progress. ClickHouse has no transactions, so a removal is a row with its target and state, and a process
 * may die at any point. New aggregates have the removal's id and do not count yet. A single insert of the next state
 * makes them count instead of their facts. Facts are deleted first, because contents are only found through them. The
 * next pruning or erasure completes an interrupted one.
 */
import { randomUUID } from 'node:crypto'
import { keepAggregates } from './aggregate.ts'
import { createBound } from './bound.ts'
import { all, conditionsOf } from './conditions.ts'
import type { Connection } from './connection.ts'
import {
  isReplaced,
  isUnfinished,
  openRemovals,
  put,
  type Removal,
  type Removed,
  states,
} from './removal-rows.ts'

/** Removes entries completely. */
export function remove(connection: Connection, removed: Removed): Promise<void> {
  return takeAway(connection, { ...removed, id: randomUUID(), state: states.removing })
}

/** Creates aggregates of entries, and then removes the entries. */
export async function replace(connection: Connection, removed: Removed): Promise<void> {
  const removal = { ...removed, id: randomUUID(), state: states.aggregating }
  await put(connection, removal)
  const bound = createBound()
  await keepAggregates(connection, {
    where: all(conditionsOf(removed.filter, { bound })),
    bound,
    removalId: removal.id,
  })
  // Another process may have considered it abandoned and deleted its aggregates.
  if (!(await openRemovals(connection)).some(({ id }) => id === removal.id)) return
  await takeAway(connection, { ...removal, state: states.removing })
}

/**
 * Completes removals that other processes have not ended.
 * @param isPruner whether unfinished aggregates are abandoned,
 * because only one process prunes at a time
 */
export async function endRemovals(
  connection: Connection,
  { isPruner }: { isPruner: boolean },
): Promise<void> {
  for (const removal of await openRemovals(connection)) {
    if (isReplaced(removal)) await takeAway(connection, removal)
    if (!isUnfinished(removal) || !isPruner) continue
    const bound = createBound()
    await connection.run(
      `delete from log_aggregates where removal_id = ${bound.value('UUID', removal.id)}`,
      bound.parameters,
    )
    await put(connection, { ...removal, state: states.ended })
  }
}

async function takeAway(connection: Connection, removal: Removal): Promise<void> {
  await put(connection, removal)
  for (const table of ['log_facts', 'log_contents']) {
    if (removal.partition !== undefined) {
      await connection.run(`alter table ${table} drop partition ${removal.partition}`)
      continue
    }
    const bound = createBound()
    const where = all(conditionsOf(removal.filter, { bound }))
    await connection.run(`delete from ${table} where ${where}`, bound.parameters)
  }
  await put(connection, { ...removal, state: states.ended })
}
