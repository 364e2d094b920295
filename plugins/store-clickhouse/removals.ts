/**
 * What is being removed. ClickHouse has no transactions: a removal is a row that says what goes and how far it is, so that a
 * process may die at any point. Aggregates that are being made bear the removal's id and do not count yet. They count, and
 * the facts do not count any more, from the one insert on that says so. Facts go first, contents are reached through them
 * alone. Whatever prunes or erases next ends what was begun.
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

/** Removes entries for good. */
export function remove(connection: Connection, removed: Removed): Promise<void> {
  return takeAway(connection, { ...removed, id: randomUUID(), state: states.removing })
}

/** Makes aggregates of entries, and removes them. */
export async function replace(connection: Connection, removed: Removed): Promise<void> {
  const removal = { ...removed, id: randomUUID(), state: states.aggregating }
  await put(connection, removal)
  const bound = createBound()
  await keepAggregates(connection, {
    where: all(conditionsOf(removed.filter, { bound })),
    bound,
    removalId: removal.id,
  })
  // Another process may have taken it for abandoned, and its aggregates away.
  if (!(await openRemovals(connection)).some(({ id }) => id === removal.id)) return
  await takeAway(connection, { ...removal, state: states.removing })
}

/**
 * Ends what other processes have begun and not ended. @param isPruner whether aggregates that are being made are abandoned:
 * one process prunes at a time
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
